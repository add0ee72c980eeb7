// Literals, names and brackets, and what follows them: calls, subscripts, attributes.
#include <fmt/format.h>

#include "compiler/diagnostics/lex.h"
#include "compiler/diagnostics/parse.h"
#include "compiler/lex/literals.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;

// postfix = atom (call | subscript | "." name)*
const Expr* Parser::parse_postfix() {
  Span start = peek().span;
  const Expr* expr = parse_atom();
  while (expr) {
    if (at(TokenKind::LeftParen))
      expr = parse_call(expr, start);
    else if (at(TokenKind::LeftBracket))
      expr = parse_subscript(expr, start);
    else if (at(TokenKind::Dot))
      expr = parse_attribute(expr, start);
    else
      break;
  }
  return expr;
}

const Expr* Parser::parse_attribute(const Expr* value, Span start) {
  std::size_t value_height = height;
  advance();
  const Token& name = peek();
  if (!expect(TokenKind::Name, "a name after `.`") || !rise(value_height)) return nullptr;
  auto* node = arena.make<ast::Attribute>(since(start));
  node->value = value;
  node->name = text(name);
  node->name_span = name.span;
  return node;
}

// Passes over the closing bracket; where something else stands, says which bracket is open and what could
// stand there.
bool Parser::close(const Token& open, TokenKind closer, std::string_view alternatives) {
  if (accept(closer)) return true;
  if (at(TokenKind::Invalid)) {
    ++error_count;
    return false;
  }
  if (at(TokenKind::Equal)) {
    report(peek().span, diag::assignment_in_expression);
    return false;
  }
  if (at_line_end() || first_on_line()) {
    auto error = report(open.span, diag::unclosed_bracket, text(open));
    if (!at_line_end())
      error.note(peek().span, "before this {} or {} was expected", alternatives, describe(closer));
    return false;
  }
  std::string what = fmt::format("{} or {}", alternatives, describe(closer));
  report(here(), diag::expected, what, found()).note(open.span, "`{}` is opened here", text(open));
  return false;
}

static constexpr std::string_view a_generator = "a generator expression";

// Says whether a comprehension follows an element of a bracket, and reports it.
static bool refuse_comprehension(Parser& parser, Span start, std::string_view what) {
  bool async = parser.at(TokenKind::Async) && parser.at(TokenKind::For, 1);
  if (!parser.at(TokenKind::For) && !async) return false;
  parser.not_kern(parser.since(start), what, "write a `for` loop that fills an array");
  return true;
}

// comprehension = element ("for" targets "in" or ("if" or)*)+, of which the element is parsed
static const Expr* parse_comprehension(Parser& parser, Span start, const Expr* key, const Expr* element,
                                       bool is_generator) {
  std::vector<ast::ComprehensionClause> clauses;
  std::size_t tallest = parser.height;
  auto part = [&](const Expr* expr) {
    tallest = std::max(tallest, parser.height);
    return expr;
  };
  while (parser.accept(TokenKind::For)) {
    ast::ComprehensionClause clause;
    clause.target = part(parser.parse_expression_list(true));
    if (!clause.target || !parser.check_target(clause.target) || !parser.expect(TokenKind::In, "`in`"))
      return nullptr;
    clause.iterable = part(parser.parse_or());
    std::vector<const Expr*> conditions;
    while (clause.iterable && parser.accept(TokenKind::If)) {
      conditions.push_back(part(parser.parse_or()));
      if (!conditions.back()) return nullptr;
    }
    if (!clause.iterable) return nullptr;
    clause.conditions = parser.arena.copy(conditions);
    clauses.push_back(clause);
  }
  parser.height = tallest;
  auto* node = parser.arena.make<ast::Comprehension>(parser.since(start));
  node->key = key;
  node->element = element;
  node->is_generator = is_generator;
  node->clauses = parser.arena.copy(clauses);
  return node;
}

// Makes a comprehension of an element that one follows, where Python computes it; elsewhere it is reported. Null where that
// is an error.
static const Expr* with_clauses(Parser& parser, Span start, const Expr* element, std::string_view what) {
  const bool is_one = parser.at(TokenKind::For) && parser.computes_comprehensions();
  if (is_one) return parse_comprehension(parser, start, nullptr, element, what == a_generator);
  return refuse_comprehension(parser, start, what) ? nullptr : element;
}

// argument = name "=" expression | "*" bit_or | expression
bool Parser::parse_argument(std::vector<const Expr*>& args, std::vector<ast::Keyword>& keywords,
                            SeenNames& seen) {
  const Token& first = peek();
  if (at(TokenKind::StarStar) && is_host_code()) {
    advance();
    const Expr* value = parse_expression();
    if (value) keywords.push_back({"", first.span, value});
    return value != nullptr;
  }
  if (at(TokenKind::StarStar)) {
    not_kern(first.span, "`**` in a call", "name the arguments: `f(a=1, b=2)`");
    return false;
  }
  if (at(TokenKind::Name) && at(TokenKind::Equal, 1)) {
    advance();
    advance();
    check_first(seen, text(first), first.span);
    const Expr* value = parse_expression();
    if (value) keywords.push_back({text(first), first.span, value});
    return value != nullptr;
  }
  bool starred = at(TokenKind::Star);
  const Expr* value = parse_starred();
  if (value) value = with_clauses(*this, first.span, value, a_generator);
  if (!value) return false;
  if (!keywords.empty() && !starred)
    report(value->span, diag::argument_order).note(keywords.back().span, "this one has a name");
  args.push_back(value);
  return true;
}

// call = "(" (argument ("," argument)* ","?)? ")"
const Expr* Parser::parse_call(const Expr* callee, Span start) {
  std::size_t tallest = height;
  const Token& open = advance();
  std::vector<const Expr*> args;
  std::vector<ast::Keyword> keywords;
  SeenNames seen;
  while (!at(TokenKind::RightParen)) {
    if (at_line_end() && !close(open, TokenKind::RightParen, "an argument")) return nullptr;
    if (!parse_argument(args, keywords, seen)) return nullptr;
    tallest = std::max(tallest, height);
    if (!accept(TokenKind::Comma)) break;
  }
  if (!close(open, TokenKind::RightParen, "`,`") || !rise(tallest)) return nullptr;
  auto* node = arena.make<ast::Call>(since(start));
  node->callee = callee;
  node->args = arena.copy(args);
  node->keywords = arena.copy(keywords);
  return node;
}

// index = expression? ":" expression? (":" expression?)? | starred
const Expr* Parser::parse_index() {
  Span start = peek().span;
  std::size_t tallest = 0;
  const Expr* parts[3] = {};
  auto parse_part = [&](const Expr*& part) {
    if (at(TokenKind::Colon) || at(TokenKind::Comma) || at(TokenKind::RightBracket)) return true;
    part = parse_expression();
    tallest = std::max(tallest, height);
    return part != nullptr;
  };
  if (at(TokenKind::Star)) return parse_starred();
  if (!parse_part(parts[0])) return nullptr;
  if (!at(TokenKind::Colon)) return parts[0] ? parts[0] : expected("an index");
  for (std::size_t i = 1; i < 3 && accept(TokenKind::Colon); ++i)
    if (!parse_part(parts[i])) return nullptr;
  height = tallest;
  if (!rise(0)) return nullptr;
  auto* node = arena.make<ast::Slice>(since(start));
  node->start = parts[0];
  node->stop = parts[1];
  node->step = parts[2];
  return node;
}

// subscript = "[" index ("," index)* ","? "]"
const Expr* Parser::parse_subscript(const Expr* value, Span start) {
  std::size_t tallest = height;
  const Token& open = advance();
  std::vector<const Expr*> indices;
  do {
    if (!indices.empty() && at(TokenKind::RightBracket)) break;
    if (at_line_end() && !close(open, TokenKind::RightBracket, "an index")) return nullptr;
    const Expr* index = parse_index();
    if (!index) return nullptr;
    tallest = std::max(tallest, height);
    indices.push_back(index);
  } while (accept(TokenKind::Comma));
  if (!close(open, TokenKind::RightBracket, "`,`") || !rise(tallest)) return nullptr;
  auto* node = arena.make<ast::Subscript>(since(start));
  node->value = value;
  node->indices = arena.copy(indices);
  return node;
}

// Parses what stands between brackets, up to and with the closing one; null where it reported.
static std::optional<std::vector<const Expr*>>
parse_elements(Parser& parser, TokenKind closer, std::string_view comprehension, bool& has_comma) {
  const Token& open = parser.advance();
  std::vector<const Expr*> elements;
  std::size_t tallest = 0;
  while (!parser.at(closer)) {
    if (parser.at_line_end() && !parser.close(open, closer, "an expression")) return std::nullopt;
    const Expr* element = parser.parse_starred();
    if (element) element = with_clauses(parser, open.span, element, comprehension);
    if (!element) return std::nullopt;
    tallest = std::max(tallest, parser.height);
    elements.push_back(element);
    if (!parser.accept(TokenKind::Comma)) break;
    has_comma = true;
  }
  if (!parser.close(open, closer, "`,`")) return std::nullopt;
  parser.height = tallest;
  return elements;
}

// parenthesised = "(" (starred ("," starred)* ","?)? ")"; with a comma, or empty, it is a tuple
const Expr* Parser::parse_parenthesised() {
  Span start = peek().span;
  bool has_comma = false;
  auto elements = parse_elements(*this, TokenKind::RightParen, a_generator, has_comma);
  if (!elements) return nullptr;
  if (elements->size() == 1 && !has_comma) {
    if (!ast::as<ast::Starred>((*elements)[0])) return (*elements)[0];
    return not_kern((*elements)[0]->span, "a starred value alone", "write a tuple: `(*t,)`");
  }
  if (!rise(0)) return nullptr;
  auto* node = arena.make<ast::Tuple>(since(start));
  node->elements = arena.copy(*elements);
  return node;
}

// list = "[" (starred ("," starred)* ","?)? "]"
const Expr* Parser::parse_list() {
  Span start = peek().span;
  bool has_comma = false;
  auto elements = parse_elements(*this, TokenKind::RightBracket, "a list comprehension", has_comma);
  if (!elements || !rise(0)) return nullptr;
  const auto* made = elements->size() == 1 ? ast::as<ast::Comprehension>((*elements)[0]) : nullptr;
  if (made && made->span.begin == start.begin) return made;
  auto* node = arena.make<ast::List>(since(start));
  node->elements = arena.copy(*elements);
  return node;
}

// `{}` and `{k: v}` are dicts.
bool Parser::at_set() const {
  return in_decorator && at(TokenKind::LeftBrace) && !at(TokenKind::RightBrace, 1) &&
         !at(TokenKind::StarStar, 1) && !at(TokenKind::Colon, 2);
}

// set = "{" starred ("," starred)* ","? "}"
const Expr* Parser::parse_set() {
  Span start = peek().span;
  bool has_comma = false;
  auto elements = parse_elements(*this, TokenKind::RightBrace, "a set comprehension", has_comma);
  if (!elements || !rise(0)) return nullptr;
  auto* node = arena.make<ast::Set>(since(start));
  node->elements = arena.copy(*elements);
  return node;
}

// dict = "{" (expression ":" expression ("," expression ":" expression)* ","?)? "}"
const Expr* Parser::parse_dict() {
  Span start = peek().span;
  const Token& open = advance();
  std::vector<const Expr*> keys, values;
  std::size_t tallest = 0;
  while (!at(TokenKind::RightBrace)) {
    const Expr* key = parse_expression();
    tallest = std::max(tallest, height);
    if (!key || !expect(TokenKind::Colon, "`:` behind the key")) return nullptr;
    const Expr* value = parse_expression();
    tallest = std::max(tallest, height);
    if (!value) return nullptr;
    if (keys.empty() && at(TokenKind::For) && computes_comprehensions()) {
      height = tallest;
      const Expr* made = parse_comprehension(*this, start, key, value, false);
      return made && close(open, TokenKind::RightBrace, "`for`") && rise(0) ? made : nullptr;
    }
    keys.push_back(key);
    values.push_back(value);
    if (!accept(TokenKind::Comma)) break;
  }
  if (!close(open, TokenKind::RightBrace, "`,`") || !rise(tallest)) return nullptr;
  auto* node = arena.make<ast::Dict>(since(start));
  node->keys = arena.copy(keys);
  node->values = arena.copy(values);
  return node;
}

const Expr* Parser::parse_int() {
  const Token& token = advance();
  std::optional<std::uint64_t> value = int_value(text(token));
  if (!value) {
    report(token.span, diag::integer_too_large);
    return nullptr;
  }
  auto* node = arena.make<ast::IntLiteral>(token.span);
  node->value = *value;
  return node;
}

// Reports that no expression begins here, with the C habits that are known.
static std::nullptr_t no_expression(Parser& parser) {
  const Token& before = parser.previous();
  bool glued = parser.adjacent();
  auto after = [&](TokenKind kind) { return glued && before.kind == kind; };
  bool triple = after(TokenKind::EqualEqual) || after(TokenKind::BangEqual);
  if (parser.at(TokenKind::Equal) && triple) {
    bool equal = before.kind == TokenKind::EqualEqual;
    parser.report(cover(before.span, parser.peek().span), diag::foreign_operator,
                  equal ? "===" : "!==", equal ? "`==`" : "`!=`");
    return nullptr;
  }
  if (parser.at(TokenKind::Greater) && after(TokenKind::Less)) {
    parser.report(cover(before.span, parser.peek().span), diag::foreign_operator, "<>", "`!=`");
    return nullptr;
  }
  bool begins_line = parser.position == 0 || before.kind == TokenKind::Newline ||
                     before.kind == TokenKind::Indent || before.kind == TokenKind::Dedent ||
                     before.kind == TokenKind::Semicolon;
  if (begins_line) return parser.expected("a statement");
  bool is_name =
      before.kind == TokenKind::Name || before.kind == TokenKind::Int || before.kind == TokenKind::Float;
  std::string_view words = is_name ? "what stands before it" : describe(before.kind);
  return parser.expected(fmt::format("an expression after {}", words));
}

// lambda = "lambda" (name ("=" expression)? ("," name ("=" expression)?)* ","?)? ":" expression
const Expr* Parser::parse_lambda() {
  Span start = advance().span;
  std::vector<ast::Param> params;
  while (!at(TokenKind::Colon)) {
    ast::Param param;
    param.name = text(peek());
    param.span = peek().span;
    if (!expect(TokenKind::Name, "the name of a parameter")) return nullptr;
    if (accept(TokenKind::Equal) && !(param.default_value = parse_expression())) return nullptr;
    params.push_back(param);
    if (!accept(TokenKind::Comma)) break;
  }
  if (!expect(TokenKind::Colon, "`:` behind the parameters of `lambda`")) return nullptr;
  const Expr* value = parse_expression();
  if (!value) return nullptr;
  auto* result = arena.make<ast::Return>(value->span);
  result->value = value;
  auto* function = arena.make<ast::FunctionDef>(since(start));
  function->name = "lambda";
  function->name_span = start;
  function->params = arena.copy(params);
  function->body = arena.copy(std::vector<const ast::Stmt*>{result});
  auto* node = arena.make<ast::Lambda>(since(start));
  node->function = function;
  return node;
}

// atom = name | literal | string+ | "..." | parenthesised | list | set
const Expr* Parser::parse_atom() {
  height = 1;
  const Token& token = peek();
  if (accept(TokenKind::Name)) {
    auto* node = arena.make<ast::Name>(token.span);
    node->text = text(token);
    return node;
  }
  if (at(TokenKind::LeftParen)) return parse_parenthesised();
  if (at(TokenKind::LeftBracket)) return parse_list();
  if (at_set()) return parse_set();
  if (at(TokenKind::Int)) return parse_int();
  if (at(TokenKind::String) || (at(TokenKind::FString) && is_host_code())) return parse_strings();
  if (accept(TokenKind::Float)) {
    auto* node = arena.make<ast::FloatLiteral>(token.span);
    node->value = float_value(text(token));
    return node;
  }
  if (accept(TokenKind::Imaginary)) {
    auto* node = arena.make<ast::ImaginaryLiteral>(token.span);
    node->value = float_value(text(token).substr(0, text(token).size() - 1));
    return node;
  }
  if (at(TokenKind::True) || at(TokenKind::False)) {
    auto* node = arena.make<ast::BoolLiteral>(token.span);
    node->value = advance().kind == TokenKind::True;
    return node;
  }
  if (accept(TokenKind::None)) return arena.make<ast::NoneLiteral>(token.span);
  if (accept(TokenKind::Ellipsis)) return arena.make<ast::EllipsisLiteral>(token.span);
  if (at(TokenKind::Lambda) && is_host_code()) return parse_lambda();
  if (at(TokenKind::LeftBrace) && is_host_code()) return parse_dict();
  if (refuse_expression()) return nullptr;
  return no_expression(*this);
}

} // namespace kern
