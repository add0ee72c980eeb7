// The entries of the phase, the cursor over the tokens, and what every production says where it cannot go on.
#include "compiler/parse/parse.h"

#include <fmt/format.h>

#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"

namespace kern {

bool Parser::at_line_end() const { return at(TokenKind::Newline) || at(TokenKind::EndOfFile); }

const Token& Parser::advance() {
  const Token& token = peek();
  if (position + 1 < tokens.size()) ++position;
  return token;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool Parser::adjacent(std::size_t offset) const {
  std::size_t index = position + offset;
  return index > 0 && index < tokens.size() && tokens[index - 1].span.end == tokens[index].span.begin;
}

bool Parser::first_on_line() const {
  if (position == 0) return true;
  std::uint32_t begin = previous().span.end;
  return sources.text({file, begin, std::max(begin, peek().span.begin)}).find('\n') != std::string_view::npos;
}

Span Parser::since(Span start) const {
  std::size_t last = position;
  while (last > 1 && is_layout(tokens[last - 1].kind)) --last;
  return {file, start.begin, std::max(start.end, tokens[last > 0 ? last - 1 : 0].span.end)};
}

static bool is_keyword(TokenKind kind) { return kind >= TokenKind::False && kind <= TokenKind::Yield; }

// The end of a line or block is shown right behind the last token: that is where something is missing.
Span Parser::here() const {
  bool invisible = is_layout(peek().kind) || at(TokenKind::EndOfFile);
  if (!invisible || position == 0) return peek().span;
  std::uint32_t end = previous().kind == TokenKind::Newline ? previous().span.begin : previous().span.end;
  return {file, end, end};
}

std::string Parser::found() const {
  constexpr std::size_t longest = 40;
  const Token& token = peek();
  if (is_keyword(token.kind)) return fmt::format("the keyword {}", describe(token.kind));
  bool has_words =
      token.kind == TokenKind::Name || token.kind == TokenKind::Int || token.kind == TokenKind::Float;
  if (has_words && text(token).size() <= longest) return fmt::format("`{}`", text(token));
  return std::string(describe(token.kind));
}

std::nullptr_t Parser::expected(std::string_view what) {
  if (at(TokenKind::Invalid)) {
    ++error_count; // reported by the lexer
    return nullptr;
  }
  report(here(), diag::expected, what, found());
  return nullptr;
}

bool Parser::expect(TokenKind kind, std::string_view what) {
  if (accept(kind)) return true;
  expected(what);
  return false;
}

std::nullptr_t Parser::not_kern(Span span, std::string_view what, std::string_view instead) {
  report(span, diag::python_construct, what, instead);
  return nullptr;
}

bool Parser::check_first(SeenNames& seen, std::string_view name, Span span) {
  auto [first, inserted] = seen.emplace(name, span);
  if (!inserted) report(span, diag::repeated_name, name).note(first->second, "the first time is here");
  return inserted;
}

void Parser::skip_to_line_end() {
  while (!at_line_end()) advance();
}

void Parser::skip_line() {
  skip_to_line_end();
  accept(TokenKind::Newline);
}

void Parser::skip_block() {
  if (!at(TokenKind::Indent)) return;
  std::size_t depth = 0;
  do {
    if (at(TokenKind::Indent)) ++depth;
    if (at(TokenKind::Dedent)) --depth;
    advance();
  } while (depth > 0 && !at(TokenKind::EndOfFile));
}

void Parser::skip_statement() {
  while (at(TokenKind::At)) skip_line();
  skip_line();
  skip_block();
  while (at(TokenKind::Elif) || at(TokenKind::Else) || at(TokenKind::Except) || at(TokenKind::Finally)) {
    skip_line();
    skip_block();
  }
}

const ast::Module* parse(const SourceManager& sources, FileId file, std::span<const Token> tokens,
                         TopLevel top_level, Arena& arena, Diagnostics& diagnostics, Diagnostics* refused) {
  Parser parser{sources, file, tokens, top_level, arena, diagnostics};
  parser.refused = refused;
  return parser.parse_module();
}

const ast::Expr* parse_expression(const SourceManager& sources, FileId file, std::span<const Token> tokens,
                                  Arena& arena, Diagnostics& diagnostics) {
  Parser parser{sources, file, tokens, TopLevel::Strict, arena, diagnostics};
  const ast::Expr* expr = parser.parse_expression_list();
  while (parser.accept(TokenKind::Newline)) {}
  if (!expr || parser.at(TokenKind::EndOfFile)) return expr;
  return parser.expected("the end of the expression");
}

} // namespace kern
