// Finds the end of a string. A plain one ends at its next quote; an f-string holds replacement fields, in
// which any expression stands, strings with the same quotes included. Nothing of an f-string is kept: it only
// has to end in the right place.
#include "compiler/lex/lexer.h"

namespace kern {

namespace {

struct Quote {
  char mark;
  bool triple;
};

} // namespace

static constexpr int f_string_nesting =
    20; // of f-strings in fields of f-strings; Python allows fewer in practice

static Quote open_quote(Lexer& lexer) {
  char mark = lexer.at();
  bool triple = lexer.at(1) == mark && lexer.at(2) == mark;
  lexer.position += triple ? 3 : 1;
  return {mark, triple};
}

// Says whether the string ends here, and moves behind its end.
static bool close_quote(Lexer& lexer, Quote quote) {
  if (lexer.at() != quote.mark || (quote.triple && (lexer.at(1) != quote.mark || lexer.at(2) != quote.mark)))
    return false;
  lexer.position += quote.triple ? 3 : 1;
  return true;
}

// A backslash takes the next character with it, in raw strings too; a line end may be two bytes.
static void skip_escape(Lexer& lexer) {
  ++lexer.position;
  std::size_t line_end = lexer.line_end_length();
  lexer.position += line_end > 0 ? line_end : lexer.at_end() ? 0 : 1;
}

static bool scan_plain(Lexer& lexer, Quote quote) {
  while (!lexer.at_end()) {
    if (close_quote(lexer, quote)) return true;
    if (!quote.triple && lexer.line_end_length() > 0) return false;
    if (lexer.at() == '\\')
      skip_escape(lexer);
    else
      ++lexer.position;
  }
  return false;
}

static bool scan_interpolated(Lexer& lexer, Quote quote, int depth);

// Says whether the word before a quote makes it an f-string.
static bool has_f_prefix(const Lexer& lexer) {
  for (std::size_t back = 1; back <= 2 && back <= lexer.position; ++back) {
    char c = static_cast<char>(lexer.text[lexer.position - back] | 0x20);
    if (c == 'f' || c == 't') return true;
    if (c != 'r') return false;
  }
  return false;
}

// field = "{" expr ("!" conversion)? (":" spec)? "}", from behind its brace; a spec holds text and fields
static bool scan_field(Lexer& lexer, Quote quote, int depth) {
  int brackets = 0;
  bool in_spec = false;
  while (!lexer.at_end()) {
    char c = lexer.at();
    if (in_spec && !quote.triple && lexer.line_end_length() > 0) return false;
    if (!in_spec && (c == '"' || c == '\'')) {
      bool interpolated = has_f_prefix(lexer);
      Quote inner = open_quote(lexer);
      if (!(interpolated ? scan_interpolated(lexer, inner, depth + 1) : scan_plain(lexer, inner)))
        return false;
      continue;
    }
    ++lexer.position;
    if (in_spec && c == '{') {
      if (depth > f_string_nesting || !scan_field(lexer, quote, depth + 1)) return false;
    } else if (c == '}' && brackets == 0) {
      return true;
    } else if (c == ':' && brackets == 0) {
      in_spec = true;
    } else if (!in_spec && (c == '(' || c == '[' || c == '{')) {
      ++brackets;
    } else if (!in_spec && (c == ')' || c == ']' || c == '}')) {
      --brackets;
    }
  }
  return false;
}

static bool scan_interpolated(Lexer& lexer, Quote quote, int depth) {
  if (depth > f_string_nesting) return false;
  while (!lexer.at_end()) {
    if (close_quote(lexer, quote)) return true;
    if (!quote.triple && lexer.line_end_length() > 0) return false;
    char c = lexer.at();
    if (c == '\\' && lexer.at(1) != '{' && lexer.at(1) != '}') {
      skip_escape(lexer);
      continue;
    }
    ++lexer.position;
    if (c != '{') continue;
    if (lexer.at() == '{')
      ++lexer.position;
    else if (!scan_field(lexer, quote, depth))
      return false;
  }
  return false;
}

bool Lexer::scan_string(bool interpolated) {
  std::size_t begin = position;
  Quote quote = open_quote(*this);
  if (!interpolated || fields_broken) return scan_plain(*this, quote);
  if (scan_interpolated(*this, quote, 0)) return true;
  // A field that does not end: from here on f-strings are taken as plain text, so that the rest of the file
  // is not lost and no text is scanned again and again.
  fields_broken = true;
  position = begin;
  return scan_plain(*this, open_quote(*this));
}

} // namespace kern
