// The lexer's state and its functions over several files. Included by lex/ only.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/lex/lex.h"

namespace kern {

// How far a line is indented, measured twice as Python does: with tabs to the next multiple of 8, and with
// tabs as one column. Two indents compare only where both measures agree; else tabs and spaces are mixed
// inconsistently.
struct IndentWidth {
  std::uint32_t column = 0;
  std::uint32_t characters = 0;
};

struct Bracket {
  char mark; // ( [ {
  std::size_t begin;
};

struct Lexer {
  std::string_view text;
  FileId file;
  Diagnostics& diagnostics;
  std::vector<Token> tokens = {};
  std::size_t position = 0;
  std::vector<Bracket> brackets = {};                 // the open ones
  std::vector<IndentWidth> indents = {IndentWidth{}}; // of the open blocks
  bool at_line_start = true;                          // of a logical line
  std::size_t line_first = 0;                         // the index of this logical line's first token
  std::size_t resumptions = 0; // how often the text behind an open bracket was read again
  std::size_t read_before = 0; // up to here all is reported
  bool fields_broken = false;  // an f-string's field had no end

  // lex.cpp: lines and indentation
  void run();
  void begin_line();
  void end_line();
  bool resume_below_bracket();

  // scan.cpp: what stands on a line
  void scan_token();

  // scan_string.cpp. Moves behind the string whose opening quote is at `position`; false where it has no end.
  bool scan_string(bool interpolated);

  char at(std::size_t offset = 0) const {
    return position + offset < text.size() ? text[position + offset] : '\0';
  }
  bool at_end() const { return position >= text.size(); }
  // Returns the length of the line end here: 0 where there is none.
  std::size_t line_end_length() const {
    return at_end() ? 0 : at() == '\n' ? 1 : at() != '\r' ? 0 : at(1) == '\n' ? 2 : 1;
  }

  // Reports what is wrong with the text, unless that was done when it was read the first time.
  template <class... Args> Diagnostics::Builder report(Span span, const DiagnosticKind<Args...>& kind,
                                                       std::type_identity_t<Args>... args) {
    return span.begin < read_before ? Diagnostics::Builder(diagnostics, -1)
                                    : diagnostics.report(span, kind, args...);
  }
  Span span(std::size_t begin, std::size_t end) const {
    return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void push(TokenKind kind, std::size_t begin, std::size_t end) {
    tokens.push_back({kind, span(begin, end)});
  }
};

} // namespace kern
