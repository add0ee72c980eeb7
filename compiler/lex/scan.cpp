// One token: a name or keyword, a number, a string, punctuation; or the end of the line.
#include <array>
#include <string>

#include <fmt/format.h>

#include "compiler/diagnostics/lex.h"
#include "compiler/lex/identifiers.h"
#include "compiler/lex/lexer.h"
#include "compiler/lex/literals.h"
#include "compiler/support/utf8.h"

namespace kern {

struct Word {
  TokenKind kind;
  std::string_view spelling;
};

static constexpr Word keywords[] = {
#define TOKEN(Kind, Description)
#define KEYWORD(Kind, Spelling) {TokenKind::Kind, Spelling},
#define PUNCTUATION(Kind, Spelling)
#include "compiler/lex/tokens.def"
};

static constexpr Word punctuation[] = {
#define TOKEN(Kind, Description)
#define KEYWORD(Kind, Spelling)
#define PUNCTUATION(Kind, Spelling) {TokenKind::Kind, Spelling},
#include "compiler/lex/tokens.def"
};

static TokenKind keyword_or_name(std::string_view word) {
  for (const Word& keyword : keywords)
    if (keyword.spelling == word) return keyword.kind;
  return TokenKind::Name;
}

// Returns the kind of a string with this prefix; Name where it is no prefix of a string.
static TokenKind string_kind(std::string_view prefix) {
  std::string letters;
  for (char c : prefix) letters.push_back(static_cast<char>(c | 0x20));
  for (std::string_view plain : {"", "r", "u"})
    if (letters == plain) return TokenKind::String;
  for (std::string_view bytes : {"b", "br", "rb"})
    if (letters == bytes) return TokenKind::Bytes;
  for (std::string_view interpolated : {"f", "fr", "rf", "t", "tr", "rt"})
    if (letters == interpolated) return TokenKind::FString;
  return TokenKind::Name;
}

static void scan_string_token(Lexer& lexer, std::size_t begin, TokenKind kind) {
  std::size_t quote = lexer.position;
  if (lexer.scan_string(kind == TokenKind::FString)) return lexer.push(kind, begin, lexer.position);
  std::size_t shown =
      lexer.text.substr(quote, 3) == std::string(3, lexer.text[quote]) ? quote + 3 : lexer.position;
  lexer.report(lexer.span(begin, shown), diag::unterminated_string,
               shown == quote + 3 ? "the end of the file" : "the end of the line");
  lexer.push(TokenKind::Invalid, begin, lexer.position);
}

// Moves behind the name that begins here.
static void skip_name(Lexer& lexer) {
  while (!lexer.at_end()) {
    CodePoint point = decode_utf8(lexer.text.substr(lexer.position));
    if (!point.valid || !is_name_continue(point.value)) return;
    lexer.position += point.length;
  }
}

static void scan_name(Lexer& lexer) {
  std::size_t begin = lexer.position;
  skip_name(lexer);
  std::string_view word = lexer.text.substr(begin, lexer.position - begin);
  bool quoted = lexer.at() == '"' || lexer.at() == '\'';
  TokenKind kind = quoted && word.size() <= 2 ? string_kind(word) : TokenKind::Name;
  if (kind != TokenKind::Name) return scan_string_token(lexer, begin, kind);
  lexer.push(keyword_or_name(word), begin, lexer.position);
}

static void scan_number_token(Lexer& lexer) {
  std::size_t begin = lexer.position;
  NumberScan number = scan_number(lexer.text.substr(begin));
  lexer.position += number.length;
  Span span = lexer.span(begin, lexer.position);
  if (!number.problem.empty())
    lexer.report(span, diag::malformed_number, lexer.text.substr(begin, number.length), number.problem);
  lexer.tokens.push_back({number.kind, span});
}

// Keeps the stack of open brackets; a closing one that fits an outer one closes the inner ones too. Brackets
// that do not match are the parser's to report.
static void track_bracket(std::vector<Bracket>& open, char mark, std::size_t begin) {
  if (mark == '(' || mark == '[' || mark == '{') return open.push_back({mark, begin});
  char opener = mark == ')' ? '(' : mark == ']' ? '[' : mark == '}' ? '{' : '\0';
  if (opener == '\0' || open.empty()) return;
  std::size_t match = open.size();
  while (match > 0 && open[match - 1].mark != opener) --match;
  open.resize(match > 0 ? match - 1 : open.size() - 1);
}

static bool scan_punctuation(Lexer& lexer) {
  std::string_view rest = lexer.text.substr(lexer.position);
  for (const Word& mark : punctuation) {
    if (mark.spelling[0] != rest[0] || !rest.starts_with(mark.spelling)) continue;
    lexer.push(mark.kind, lexer.position, lexer.position + mark.spelling.size());
    track_bracket(lexer.brackets, rest[0], lexer.position);
    lexer.position += mark.spelling.size();
    return true;
  }
  return false;
}

// Returns the ASCII text that a character is often pasted for; empty where there is none.
static std::string_view look_alike(char32_t value) {
  struct Pair {
    char32_t value;
    std::string_view ascii;
  };
  static constexpr Pair pairs[] = {
      {0xA0, " "},    {0xD7, "*"},    {0xF7, "/"},    {0x2013, "-"},   {0x2014, "-"}, {0x2018, "'"},
      {0x2019, "'"},  {0x201C, "\""}, {0x201D, "\""}, {0x2026, "..."}, {0x2212, "-"}, {0x2260, "!="},
      {0x2264, "<="}, {0x2265, ">="}, {0x3000, " "},  {0xFF08, "("},   {0xFF09, ")"}, {0xFF0C, ","},
      {0xFF1A, ":"},  {0xFF1B, ";"},  {0xFF1D, "="},
  };
  for (const Pair& pair : pairs)
    if (pair.value == value) return pair.ascii;
  return {};
}

// Returns a character as a message can show it.
static std::string shown(std::string_view text, char32_t value) {
  if (value < 0x20 || value == 0x7F) return fmt::format("\\x{:02x}", static_cast<unsigned>(value));
  bool invisible = (value >= 0x7F && value < 0xA1) || (value >= 0x2000 && value < 0x2010) ||
                   value == 0x3000 || (value >= 0x2028 && value < 0x2030) ||
                   (value >= 0xE000 && value < 0xF900) || value == 0xFEFF || value >= 0xE0000;
  return invisible ? fmt::format("U+{:04X}", static_cast<unsigned>(value)) : std::string(text);
}

// Passes over a run of bytes or characters of which no token is made, and reports its first.
static void skip_unexpected(Lexer& lexer) {
  std::size_t begin = lexer.position;
  CodePoint first = decode_utf8(lexer.text.substr(begin));
  lexer.position += first.length;
  Span span = lexer.span(begin, lexer.position);
  if (!first.valid) {
    while (!lexer.at_end() && !decode_utf8(lexer.text.substr(lexer.position)).valid) ++lexer.position;
    lexer.report(span, diag::malformed_utf8, fmt::format("{:02X}", static_cast<unsigned>(first.value)));
  } else {
    auto report = lexer.report(span, diag::unexpected_character,
                               shown(lexer.text.substr(begin, first.length), first.value));
    if (std::string_view ascii = look_alike(first.value); !ascii.empty())
      report.note("U+{:04X} only looks like `{}`; type that instead", static_cast<unsigned>(first.value),
                  ascii);
  }
  lexer.push(TokenKind::Invalid, begin, lexer.position);
}

// A backslash joins the next line to this one.
static void scan_backslash(Lexer& lexer) {
  std::size_t begin = lexer.position++;
  std::size_t length = lexer.line_end_length();
  lexer.position += length;
  if (length > 0 && !lexer.at_end()) return;
  lexer.report(lexer.span(begin, begin + 1), diag::stray_backslash);
  lexer.push(TokenKind::Invalid, begin, begin + 1);
}

void Lexer::scan_token() {
  if (at_end()) return;
  if (line_end_length() > 0) return end_line();
  char c = at();
  if (c == ' ' || c == '\t' || c == '\f') {
    ++position;
    return;
  }
  if (c == '#') {
    while (!at_end() && line_end_length() == 0) ++position;
    return;
  }
  if (c == '\\') return scan_backslash(*this);
  auto is_digit = [](char digit) { return digit >= '0' && digit <= '9'; };
  if (is_digit(c) || (c == '.' && is_digit(at(1)))) return scan_number_token(*this);
  if (c == '"' || c == '\'') return scan_string_token(*this, position, TokenKind::String);
  CodePoint point = decode_utf8(text.substr(position));
  if (point.valid && is_name_start(point.value)) return scan_name(*this);
  if (!scan_punctuation(*this)) skip_unexpected(*this);
}

} // namespace kern
