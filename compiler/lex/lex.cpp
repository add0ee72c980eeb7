// Lines first, then what stands on them: a logical line begins with a comparison of its indent with the open
// blocks and ends in Newline; inside brackets neither happens. What is no Python is reported here. Python
// that is not Kern (f-strings, integers beyond 64 bits) makes tokens and is left to the parser: it may stand
// in host code that nobody compiles.
#include "compiler/lex/lex.h"

#include "compiler/diagnostics/lex.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/lex/lexer.h"
#include "compiler/support/limits.h"

namespace kern {

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

static IndentWidth measure(std::string_view blank) {
  IndentWidth width;
  for (char c : blank) {
    if (c == '\f') {
      width = {};
      continue;
    }
    width.column = c == '\t' ? (width.column / 8 + 1) * 8 : width.column + 1;
    ++width.characters;
  }
  return width;
}

// Says whether the two measures disagree about which of the indents is deeper.
static bool inconsistent(IndentWidth a, IndentWidth b) {
  auto order = [](std::uint32_t x, std::uint32_t y) { return x < y ? -1 : x > y; };
  return order(a.column, b.column) != order(a.characters, b.characters);
}

static void compare_indent(Lexer& lexer, std::size_t begin) {
  IndentWidth width = measure(lexer.text.substr(begin, lexer.position - begin));
  Span blank = lexer.span(begin, lexer.position);
  if (inconsistent(width, lexer.indents.back())) lexer.report(blank, diag::mixed_indentation);
  if (width.column > lexer.indents.back().column) {
    lexer.indents.push_back(width);
    lexer.push(TokenKind::Indent, begin, lexer.position);
    return;
  }
  while (width.column < lexer.indents.back().column) {
    IndentWidth outer = lexer.indents[lexer.indents.size() - 2];
    if (width.column > outer.column) {
      // Between two blocks: the line counts as one of the inner block, which goes on at this indent.
      lexer.report(lexer.span(lexer.position, lexer.position), diag::inconsistent_dedent);
      lexer.indents.back() = width;
      return;
    }
    lexer.indents.pop_back();
    lexer.push(TokenKind::Dedent, lexer.position, lexer.position);
  }
}

// Passes over blank lines and comments to the next line that holds a token, and compares its indent.
void Lexer::begin_line() {
  while (true) {
    std::size_t begin = position;
    while (is_blank(at())) ++position;
    if (at() == '#')
      while (!at_end() && line_end_length() == 0) ++position;
    if (std::size_t length = line_end_length()) {
      position += length;
      continue;
    }
    if (!at_end()) compare_indent(*this, begin);
    at_line_start = false;
    line_first = tokens.size();
    return;
  }
}

// Says whether a line begins with a keyword that stands in no expression: inside brackets that means that one
// was never closed, and the line is better read as a statement than as their content.
static bool begins_statement(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\f"), line.size()));
  std::string_view word = line.substr(0, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
  if (word.size() < line.size() &&
      std::string_view(" \t:\r\n").find(line[word.size()]) == std::string_view::npos)
    return false;
  for (std::string_view keyword :
       {"def", "class", "return", "while", "import", "assert", "raise", "break", "continue", "pass", "del",
        "global", "nonlocal", "elif", "except", "finally"})
    if (word == keyword) return true;
  return false;
}

static bool is_closing(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

// A bracket was left open. The first line below it that is indented no deeper than its statement, and does
// not begin by closing a bracket, is probably the next statement: what was made of the text from there on is
// forgotten, and it is read again. False where there is no such line, or where this happened so often that it
// would take too long.
bool Lexer::resume_below_bracket() {
  constexpr std::size_t most = 20;
  if (brackets.empty() || ++resumptions > most) return false;
  for (std::size_t i = line_first + 1; i < tokens.size(); ++i) {
    std::size_t begin = tokens[i].span.begin, end_before = tokens[i - 1].span.end;
    std::size_t line_end = text.substr(end_before, begin - end_before).rfind('\n');
    if (line_end == std::string_view::npos || end_before < brackets.front().begin) continue;
    std::size_t line = end_before + line_end + 1;
    bool deeper = measure(text.substr(line, begin - line)).column > indents.back().column;
    if (deeper || is_closing(tokens[i].kind)) continue;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end());
    brackets.clear();
    read_before = std::max(read_before, position);
    position = line - 1;
    return true;
  }
  return false;
}

void Lexer::end_line() {
  std::size_t begin = position;
  position += line_end_length();
  if (!brackets.empty() && !begins_statement(text.substr(position, 256))) return;
  if (resume_below_bracket()) begin = position++;
  brackets.clear();
  push(TokenKind::Newline, begin, position);
  at_line_start = true;
}

void Lexer::run() {
  if (text.starts_with("\xEF\xBB\xBF")) position = 3;
  do {
    while (!at_end()) {
      if (at_line_start) begin_line();
      scan_token();
    }
  } while (resume_below_bracket());
  if (!tokens.empty() && tokens.back().kind != TokenKind::Newline && tokens.back().kind != TokenKind::Dedent)
    push(TokenKind::Newline, position, position);
  for (; indents.size() > 1; indents.pop_back()) push(TokenKind::Dedent, position, position);
}

std::vector<Token> lex(const SourceManager& sources, FileId file, Diagnostics& diagnostics) {
  Lexer lexer{sources.file(file).text, file, diagnostics};
  if (lexer.text.size() > limits::source_bytes)
    diagnostics.report(lexer.span(0, 0), diag::source_too_large, lexer.text.size(), limits::source_bytes);
  else
    lexer.run();
  lexer.push(TokenKind::EndOfFile, lexer.position, lexer.position);
  return std::move(lexer.tokens);
}

} // namespace kern
