// Simple statements: assignments, jumps, assert, raise.
#include <fmt/format.h>

#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::BinaryOp;
using ast::Expr;
using ast::Stmt;

namespace {

struct AugmentedRow {
  TokenKind token;
  BinaryOp op;
};

} // namespace

static constexpr AugmentedRow augmented_rows[] = {
    {TokenKind::PlusEqual, BinaryOp::Add},
    {TokenKind::MinusEqual, BinaryOp::Subtract},
    {TokenKind::StarEqual, BinaryOp::Multiply},
    {TokenKind::SlashEqual, BinaryOp::Divide},
    {TokenKind::SlashSlashEqual, BinaryOp::FloorDivide},
    {TokenKind::PercentEqual, BinaryOp::Modulo},
    {TokenKind::StarStarEqual, BinaryOp::Power},
    {TokenKind::AtEqual, BinaryOp::MatrixMultiply},
    {TokenKind::LessLessEqual, BinaryOp::ShiftLeft},
    {TokenKind::GreaterGreaterEqual, BinaryOp::ShiftRight},
    {TokenKind::AmpersandEqual, BinaryOp::BitAnd},
    {TokenKind::BarEqual, BinaryOp::BitOr},
    {TokenKind::CaretEqual, BinaryOp::BitXor},
};

static std::optional<BinaryOp> augmented_op(TokenKind kind) {
  for (const AugmentedRow& row : augmented_rows)
    if (row.token == kind) return row.op;
  return std::nullopt;
}

// Names an expression that is no target.
static std::string_view describe_value(const Expr& expr) {
  if (expr.kind == ast::Kind::Call) return "the result of a call";
  if (expr.kind == ast::Kind::Compare) return "a comparison";
  if (expr.kind == ast::Kind::Conditional) return "a conditional expression";
  bool computed =
      expr.kind == ast::Kind::Unary || expr.kind == ast::Kind::Binary || expr.kind == ast::Kind::BoolOp;
  return computed ? "the result of an operator" : "a literal";
}

// Says whether an expression can stand on the left of `=`, and reports it where it cannot.
bool Parser::check_target(const Expr* target) {
  if (ast::as<ast::Name>(target) || ast::as<ast::Subscript>(target) || ast::as<ast::Attribute>(target))
    return true;
  if (auto* starred = ast::as<ast::Starred>(target)) return check_target(starred->value);
  ast::ExprList elements;
  if (auto* tuple = ast::as<ast::Tuple>(target)) elements = tuple->elements;
  if (auto* list = ast::as<ast::List>(target)) elements = list->elements;
  for (const Expr* element : elements)
    if (!check_target(element)) return false;
  if (!elements.empty()) return true;
  report(target->span, diag::invalid_target, describe_value(*target));
  return false;
}

// Reports what stands behind a statement that is complete.
std::nullptr_t Parser::unexpected_end() {
  const Token& token = peek();
  for (TokenKind closer : {TokenKind::RightParen, TokenKind::RightBracket, TokenKind::RightBrace}) {
    if (token.kind != closer) continue;
    report(token.span, diag::unmatched_bracket, text(token));
    return nullptr;
  }
  if (at(TokenKind::Arrow)) {
    report(token.span, diag::foreign_operator, "->", "`.`");
    return nullptr;
  }
  bool after_name = previous().kind == TokenKind::Name;
  if (after_name && text(previous()) == "print") return expected("`(` after `print`");
  return expected("the end of the statement");
}

// Names the Kern type of C's words for types and declarations; empty for any other name.
static std::string_view type_of_c_word(std::string_view word) {
  struct Row {
    std::string_view word, type;
  };
  static constexpr Row rows[] = {
      {"int", "i32"},      {"unsigned", "u32"}, {"long", "i64"},   {"short", "i16"},   {"char", "i8"},
      {"float", "f32"},    {"double", "f64"},   {"bool", "bool"},  {"size_t", "i64"},  {"auto", "i64"},
      {"let", "i64"},      {"var", "i64"},      {"const", "i64"},  {"int32_t", "i32"}, {"int64_t", "i64"},
      {"uint32_t", "u32"}, {"uint64_t", "u64"}, {"uint8_t", "u8"}, {"int8_t", "i8"},   {"half", "f16"},
  };
  for (const Row& row : rows)
    if (row.word == word) return row.type;
  return {};
}

// Reports statements that are recognisably C's: `int i = 0`, `++i`, `// a comment`.
bool Parser::refuse_c_statement() {
  const Token& first = peek();
  if (at(TokenKind::Name) && at(TokenKind::Name, 1)) {
    std::string_view type = type_of_c_word(text(first));
    if (type.empty()) return false;
    report(cover(first.span, peek(1).span), diag::type_before_name,
           fmt::format("{}: {}", text(peek(1)), type));
    return true;
  }
  bool increment = at(TokenKind::Plus) && at(TokenKind::Plus, 1);
  bool decrement = at(TokenKind::Minus) && at(TokenKind::Minus, 1);
  if ((increment || decrement) && adjacent(1)) {
    report(cover(first.span, peek(1).span), diag::foreign_operator, increment ? "++" : "--",
           increment ? "`x += 1`" : "`x -= 1`");
    return true;
  }
  if (!at(TokenKind::SlashSlash) && !(at(TokenKind::Slash) && at(TokenKind::Star, 1))) return false;
  report(first.span, diag::foreign_operator, text(first), "`#` before a comment");
  return true;
}

// simple_stmt = assignment | expression | "pass" | "break" | "continue" | return | assert | raise | delete
const Stmt* Parser::parse_simple_statement() {
  if (at(TokenKind::Break) || at(TokenKind::Continue) || at(TokenKind::Pass)) return parse_jump();
  if (at(TokenKind::Return)) return parse_return();
  if (at(TokenKind::Assert)) return parse_assert();
  if (at(TokenKind::Raise)) return parse_raise();
  if (at(TokenKind::Del)) return parse_delete();
  if (may_hold_functions && at(TokenKind::Name) && at(TokenKind::Equal, 1) && at(TokenKind::Lambda, 2))
    return parse_named_lambda();
  if (refuse_simple_statement() || refuse_c_statement()) return nullptr;
  return parse_expression_statement();
}

// jump = "pass" | "break" | "continue"
const Stmt* Parser::parse_jump() {
  const Token& token = advance();
  if (token.kind == TokenKind::Pass) return arena.make<ast::Pass>(token.span);
  if (loop_depth == 0) report(token.span, diag::outside_loop, text(token));
  if (token.kind == TokenKind::Break) return arena.make<ast::Break>(token.span);
  return arena.make<ast::Continue>(token.span);
}

// return = "return" expression_list?
const Stmt* Parser::parse_return() {
  Span start = advance().span;
  const Expr* value = nullptr;
  if (!at_line_end() && !at(TokenKind::Semicolon) && !(value = parse_expression_list())) return nullptr;
  auto* node = arena.make<ast::Return>(since(start));
  node->value = value;
  return node;
}

// assert = "assert" expression ("," expression)?
const Stmt* Parser::parse_assert() {
  Span start = advance().span;
  const Expr* condition = parse_expression();
  if (!condition) return nullptr;
  const Expr* message = nullptr;
  if (accept(TokenKind::Comma) && !(message = parse_expression())) return nullptr;
  auto* node = arena.make<ast::Assert>(since(start));
  node->condition = condition;
  node->message = message;
  return node;
}

// raise = "raise" expression?
const Stmt* Parser::parse_raise() {
  Span start = advance().span;
  const Expr* value = nullptr;
  if (!at_line_end() && !at(TokenKind::Semicolon) && !(value = parse_expression())) return nullptr;
  if (at(TokenKind::From))
    return not_kern(peek().span, "`raise ... from`", "leave out `from` and what follows it");
  auto* node = arena.make<ast::Raise>(since(start));
  node->value = value;
  return node;
}

// delete = "del" expression_list
const Stmt* Parser::parse_delete() {
  Span start = advance().span;
  const Expr* targets = parse_expression_list();
  if (!targets || !check_target(targets)) return nullptr;
  auto* node = arena.make<ast::Delete>(since(start));
  const auto* tuple = ast::as<ast::Tuple>(targets);
  node->targets = tuple ? tuple->elements : arena.copy(std::vector{targets});
  return node;
}

// expression_stmt = expression_list (":" ... | "=" ... | augmented ...)?
const Stmt* Parser::parse_expression_statement() {
  Span start = peek().span;
  if (at(TokenKind::Name) && at(TokenKind::ColonEqual, 1)) {
    report(peek(1).span, diag::foreign_operator, ":=", "`=`; inside of an expression it stands in brackets");
    return nullptr;
  }
  const Expr* first = parse_expression_list();
  if (!first) return nullptr;
  if (at(TokenKind::Colon)) return parse_annotated(first, start);
  if (at(TokenKind::Equal)) return parse_assign(first, start);
  if (augmented_op(peek().kind)) return parse_augmented(first, start);
  auto* node = arena.make<ast::ExprStmt>(since(start));
  node->value = first;
  return node;
}

// annotated = target ":" expression ("=" expression_list)?
const Stmt* Parser::parse_annotated(const Expr* target, Span start) {
  if (at(TokenKind::Newline, 1)) {
    report(peek().span, diag::expected, "`if`, `while`, `for` or `def` before a line that ends in `:`",
           "none of them");
    return nullptr;
  }
  if (!check_target(target)) return nullptr;
  if (ast::as<ast::Tuple>(target) || ast::as<ast::List>(target) || ast::as<ast::Starred>(target))
    return not_kern(peek().span, "a type for several targets", "annotate each name on a line of its own");
  advance();
  const Expr* annotation = parse_expression();
  if (!annotation) return nullptr;
  const Expr* value = nullptr;
  if (accept(TokenKind::Equal) && !(value = parse_expression_list())) return nullptr;
  auto* node = arena.make<ast::AnnAssign>(since(start));
  node->target = target;
  node->annotation = annotation;
  node->value = value;
  return node;
}

// assign = (targets "=")+ expression_list
const Stmt* Parser::parse_assign(const Expr* first, Span start) {
  std::vector<const Expr*> targets;
  const Expr* value = first;
  while (at(TokenKind::Equal)) {
    if (!check_target(value)) return nullptr;
    targets.push_back(value);
    Span equal = advance().span;
    if (at_line_end() || at(TokenKind::Semicolon)) {
      report({file, equal.end, equal.end}, diag::expected, "a value after `=`", found());
      return nullptr;
    }
    value = parse_expression_list();
    if (!value) return nullptr;
  }
  auto* node = arena.make<ast::Assign>(since(start));
  node->targets = arena.copy(targets);
  node->value = value;
  return node;
}

// augmented = target ("+=" | "-=" | ...) expression_list
const Stmt* Parser::parse_augmented(const Expr* target, Span start) {
  if (!check_target(target)) return nullptr;
  const Token& op = advance();
  if (ast::as<ast::Tuple>(target) || ast::as<ast::List>(target)) {
    report(target->span, diag::invalid_target, fmt::format("a tuple before {}", describe(op.kind)));
    return nullptr;
  }
  const Expr* value = parse_expression_list();
  if (!value) return nullptr;
  auto* node = arena.make<ast::AugAssign>(since(start));
  node->target = target;
  node->op = *augmented_op(op.kind);
  node->op_span = op.span;
  node->value = value;
  return node;
}

} // namespace kern
