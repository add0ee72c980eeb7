// Turns an f-string of host code into the call that means the same: f"void({T}[:])" becomes
// "void({}[:])".format(T). A field that says how it is written, `{x!r}` or `{x=}`, stays Python's.
#include <fmt/format.h>

#include "compiler/diagnostics/lex.h"
#include "compiler/lex/literals.h"
#include "compiler/parse/parser.h"

namespace kern {

// Fields are read from the rest of their string, each from its own begin on.
static constexpr std::size_t longest_f_string = 4096;

// Returns text as a template has it, where a brace is written twice.
static std::string template_text(std::string_view text) {
  std::string result;
  for (char c : text) result.append(c == '{' || c == '}' ? 2 : 1, c);
  return result;
}

namespace {

// Goes through the text of one f-string.
struct FormatReader {
  Parser& parser;
  Span span;             // of the token
  std::string_view body; // between the quotes
  std::string before, quotes;
  std::size_t position = 0, field_end = 0;
  std::size_t tallest = 0;
  std::string text{};
  std::vector<const ast::Expr*> values{};

  // Adds what stands between two braces, or a brace and an end.
  bool add_text(std::string_view piece) {
    StringValue value = string_value(before + quotes + std::string(piece) + quotes);
    text += template_text(value.text);
    return value.problem.empty();
  }

  // field = "{" expression (":" text)? "}"
  bool add_field() {
    SourceManager rest;
    Diagnostics aside;
    const FileId copy = rest.add("", std::string(body.substr(position)));
    std::vector<Token> tokens;
    std::size_t depth = 0;
    const auto shift = static_cast<std::uint32_t>(body.data() - parser.sources.text(span).data() +
                                                  static_cast<std::ptrdiff_t>(position) + span.begin);
    for (const Token& token : lex(rest, copy, aside)) {
      const bool opens = token.kind == TokenKind::LeftBrace || token.kind == TokenKind::LeftParen ||
                         token.kind == TokenKind::LeftBracket;
      const bool closes = token.kind == TokenKind::RightBrace || token.kind == TokenKind::RightParen ||
                          token.kind == TokenKind::RightBracket;
      const bool ends = depth == 1 && (token.kind == TokenKind::RightBrace || token.kind == TokenKind::Colon);
      if (token.kind == TokenKind::Invalid || token.kind == TokenKind::EndOfFile) return false;
      const Span place{parser.file, token.span.begin + shift, token.span.end + shift};
      if (ends) {
        tokens.push_back({TokenKind::EndOfFile, place});
        field_end = position + token.span.begin;
        break;
      }
      depth += opens;
      if (closes && depth-- == 0) return false;
      if (depth > 1 || !opens || token.span.begin > 0) tokens.push_back({token.kind, place});
    }
    Parser trial{parser.sources, parser.file, tokens, parser.top_level, parser.arena, aside};
    trial.expr_depth = parser.expr_depth;
    const ast::Expr* value = tokens.empty() ? nullptr : trial.parse_expression();
    if (!value || trial.error_count > 0 || !trial.at(TokenKind::EndOfFile)) return false;
    tallest = std::max(tallest, trial.height);
    const std::size_t end = body.find_first_of("{}", field_end);
    if (end == body.npos || body[end] == '{') return false;
    text += fmt::format("{{{}}}", body.substr(field_end, end - field_end));
    values.push_back(value);
    position = end + 1;
    return true;
  }

  bool read() {
    while (position < body.size()) {
      const std::size_t brace = std::min(body.find_first_of("{}", position), body.size());
      if (!add_text(body.substr(position, brace - position))) return false;
      position = brace;
      if (brace == body.size()) break;
      if (body.substr(brace + 1).starts_with(body[brace])) {
        text.append(2, body[brace]);
        position += 2;
      } else if (body[brace] == '}' || !add_field()) {
        return false;
      }
    }
    return true;
  }
};

} // namespace

// Adds an f-string to the template and the values of a call of `format`; false, with nothing taken, where it says more
// than which values stand in it.
bool Parser::parse_f_string(std::string& format, std::vector<const ast::Expr*>& values,
                            std::size_t& tallest) {
  const std::string_view token = text(peek());
  const std::size_t quote = token.find_first_of("'\"");
  const std::string_view prefix = token.substr(0, quote);
  const bool is_template = prefix.find_first_of("tT") != prefix.npos;
  if (is_template || token.size() > longest_f_string) return false;
  const bool is_triple =
      token.size() >= quote + 6 && token[quote + 1] == token[quote] && token[quote + 2] == token[quote];
  const std::size_t length = is_triple ? 3 : 1;
  FormatReader reader{*this, peek().span, token.substr(quote + length, token.size() - quote - 2 * length),
                      prefix.find_first_of("rR") != prefix.npos ? "r" : "",
                      std::string(token.substr(quote, length))};
  if (!reader.read()) return false;
  advance();
  format += reader.text;
  values.insert(values.end(), reader.values.begin(), reader.values.end());
  tallest = std::max(tallest, reader.tallest);
  return true;
}

// strings = string+, joined; those of host code may be f-strings
const ast::Expr* Parser::parse_strings() {
  const Span start = peek().span;
  std::string joined, format;
  std::vector<const ast::Expr*> values;
  std::size_t tallest = 0;
  bool is_formatted = false;
  while (at(TokenKind::String) || at(TokenKind::FString)) {
    if (at(TokenKind::FString)) {
      if (!is_host_code() || !parse_f_string(format, values, tallest)) break;
      is_formatted = true;
      continue;
    }
    const Token& token = advance();
    StringValue value = string_value(text(token));
    if (!value.problem.empty()) {
      auto begin = static_cast<std::uint32_t>(token.span.begin + value.problem_begin);
      auto end = static_cast<std::uint32_t>(begin + value.problem_length);
      report({file, begin, end}, diag::malformed_escape, value.problem);
      return nullptr;
    }
    joined += value.text;
    format += template_text(value.text);
  }
  if (at(TokenKind::FString) && is_host_code())
    return not_kern(peek().span, "an f-string with more than values in its fields",
                    "leave `!r`, `=` and widths within widths out of them");
  if (refuse_expression()) return nullptr; // an f-string joined to plain ones
  auto* node = arena.make<ast::StringLiteral>(since(start));
  node->value = arena.copy(is_formatted ? format : joined);
  if (!is_formatted) return node;
  auto* method = arena.make<ast::Attribute>(node->span);
  method->value = node;
  method->name = "format";
  method->name_span = node->span;
  height = tallest;
  if (!rise(0) || !rise(0)) return nullptr;
  auto* call = arena.make<ast::Call>(node->span);
  call->callee = method;
  call->args = arena.copy(values);
  return call;
}

} // namespace kern
