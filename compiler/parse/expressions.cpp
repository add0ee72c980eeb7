// Operators, by precedence from the loosest to the tightest.
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"
#include "compiler/support/limits.h"

namespace kern {

using ast::BinaryOp;
using ast::CompareOp;
using ast::Expr;
using ast::UnaryOp;

namespace {

struct BinaryRow {
  TokenKind token;
  BinaryOp op;
  int precedence;
};

// Counts one level of recursion as long as it lives.
struct Level {
  explicit Level(std::size_t& count) : count_(count) { ++count_; }
  Level(const Level&) = delete;
  ~Level() { --count_; }

private:
  std::size_t& count_;
};

} // namespace

static constexpr BinaryRow binary_rows[] = {
    {TokenKind::Bar, BinaryOp::BitOr, 1},
    {TokenKind::Caret, BinaryOp::BitXor, 2},
    {TokenKind::Ampersand, BinaryOp::BitAnd, 3},
    {TokenKind::LessLess, BinaryOp::ShiftLeft, 4},
    {TokenKind::GreaterGreater, BinaryOp::ShiftRight, 4},
    {TokenKind::Plus, BinaryOp::Add, 5},
    {TokenKind::Minus, BinaryOp::Subtract, 5},
    {TokenKind::Star, BinaryOp::Multiply, 6},
    {TokenKind::Slash, BinaryOp::Divide, 6},
    {TokenKind::SlashSlash, BinaryOp::FloorDivide, 6},
    {TokenKind::Percent, BinaryOp::Modulo, 6},
    {TokenKind::At, BinaryOp::MatrixMultiply, 6},
};

static const BinaryRow* find_binary(TokenKind token) {
  for (const BinaryRow& row : binary_rows)
    if (row.token == token) return &row;
  return nullptr;
}

// Says whether an expression would nest too deep here, and reports it.
bool Parser::too_deep() {
  if (expr_depth <= limits::nesting) return false;
  report(here(), diag::nesting_too_deep, limits::nesting, "give a part of the expression a name of its own");
  return true;
}

// Sets the height of a node above the expression parsed last and a sibling; false, and reported, where it is
// too tall.
bool Parser::rise(std::size_t sibling) {
  height = std::max(height, sibling) + 1;
  if (height <= limits::expression_height) return true;
  report(previous().span, diag::nesting_too_deep, limits::expression_height,
         "give a part of the expression a name of its own");
  return false;
}

// named_expr = name ":=" expression
const Expr* Parser::parse_named(const Expr* target, Span start) {
  advance();
  const auto* name = ast::as<ast::Name>(target);
  if (!name) {
    report(target->span, diag::invalid_target, "what stands before `:=` and is no name");
    return nullptr;
  }
  const Expr* value = parse_expression();
  if (!value || !rise(0)) return nullptr;
  auto* node = arena.make<ast::NamedExpr>(since(start));
  node->target = name;
  node->value = value;
  return node;
}

// expression = named_expr | or_test ("if" or_test "else" expression)?
const Expr* Parser::parse_expression() {
  Level level(expr_depth);
  if (too_deep()) return nullptr;
  Span start = peek().span;
  const Expr* then_value = parse_or();
  if (!then_value) return nullptr;
  if (at(TokenKind::ColonEqual)) return parse_named(then_value, start);
  if (at(TokenKind::Question)) {
    report(peek().span, diag::foreign_operator, "?", "`a if condition else b`");
    return nullptr;
  }
  if (!accept(TokenKind::If)) return then_value;
  std::size_t tallest = height;
  const Expr* condition = parse_or();
  if (!condition) return nullptr;
  tallest = std::max(tallest, height);
  if (!expect(TokenKind::Else, "`else` and the value for the other case")) return nullptr;
  const Expr* else_value = parse_expression();
  if (!else_value || !rise(tallest)) return nullptr;
  auto* node = arena.make<ast::Conditional>(since(start));
  node->condition = condition;
  node->then_value = then_value;
  node->else_value = else_value;
  return node;
}

// starred = "*" bit_or | expression
const Expr* Parser::parse_starred() {
  if (!at(TokenKind::Star)) return parse_expression();
  Span start = advance().span;
  const Expr* value = parse_binary(0);
  if (!value || !rise(0)) return nullptr;
  auto* node = arena.make<ast::Starred>(since(start));
  node->value = value;
  return node;
}

static bool ends_list(TokenKind kind) {
  for (TokenKind end : {TokenKind::Newline, TokenKind::EndOfFile, TokenKind::Equal, TokenKind::RightParen,
                        TokenKind::RightBracket, TokenKind::RightBrace, TokenKind::Colon,
                        TokenKind::Semicolon, TokenKind::In})
    if (kind == end) return true;
  return false;
}

// expression_list = starred ("," starred)* ","?; with a comma it is a tuple. `operators_only` leaves
// comparisons and what binds looser alone, as the targets of a `for` need it, which end at `in`.
const Expr* Parser::parse_expression_list(bool operators_only) {
  Span start = peek().span;
  std::vector<const Expr*> elements;
  std::size_t tallest = 0;
  bool has_comma = false;
  do {
    if (has_comma && ends_list(peek().kind)) break;
    const Expr* element = operators_only && !at(TokenKind::Star) ? parse_binary(0) : parse_starred();
    if (!element) return nullptr;
    tallest = std::max(tallest, height);
    elements.push_back(element);
  } while (accept(TokenKind::Comma) && (has_comma = true));
  if (!has_comma) {
    if (!ast::as<ast::Starred>(elements[0])) return elements[0];
    return not_kern(elements[0]->span, "a starred value alone", "write a tuple: `*t,`");
  }
  if (!rise(tallest)) return nullptr;
  auto* node = arena.make<ast::Tuple>(since(start));
  node->elements = arena.copy(elements);
  return node;
}

// Makes the node of an `and` or `or` chain from its operands, which are at least one. Each is evaluated only
// where the one before it decides so: the chain counts as nested, as `a + b + c` does.
static const Expr* make_bool_op(Parser& parser, ast::BoolOpKind op, const std::vector<const Expr*>& operands,
                                Span start, std::size_t tallest) {
  if (operands.size() == 1) return operands[0];
  if (!parser.rise(tallest + operands.size() - 2)) return nullptr;
  auto* node = parser.arena.make<ast::BoolOp>(parser.since(start));
  node->op = op;
  node->operands = parser.arena.copy(operands);
  return node;
}

// Passes over a keyword operator; one of C that means the same is reported and taken for it.
static bool accept_operator(Parser& parser, TokenKind keyword, TokenKind foreign) {
  if (parser.accept(keyword)) return true;
  if (!parser.at(foreign)) return false;
  std::string_view spelling = describe(foreign);
  parser.report(parser.peek().span, diag::foreign_operator, spelling.substr(1, spelling.size() - 2),
                describe(keyword));
  parser.advance();
  return true;
}

// or_test = and_test ("or" and_test)*
const Expr* Parser::parse_or() {
  Span start = peek().span;
  std::vector<const Expr*> operands;
  std::size_t tallest = 0;
  do {
    const Expr* operand = parse_and();
    if (!operand) return nullptr;
    tallest = std::max(tallest, height);
    operands.push_back(operand);
  } while (accept_operator(*this, TokenKind::Or, TokenKind::BarBar));
  return make_bool_op(*this, ast::BoolOpKind::Or, operands, start, tallest);
}

// and_test = not_test ("and" not_test)*
const Expr* Parser::parse_and() {
  Span start = peek().span;
  std::vector<const Expr*> operands;
  std::size_t tallest = 0;
  do {
    const Expr* operand = parse_not();
    if (!operand) return nullptr;
    tallest = std::max(tallest, height);
    operands.push_back(operand);
  } while (accept_operator(*this, TokenKind::And, TokenKind::AmpersandAmpersand));
  return make_bool_op(*this, ast::BoolOpKind::And, operands, start, tallest);
}

static const Expr* make_unary(Parser& parser, UnaryOp op, const Expr* operand, Span start) {
  if (!operand || !parser.rise(0)) return nullptr;
  auto* node = parser.arena.make<ast::Unary>(parser.since(start));
  node->op = op;
  node->operand = operand;
  return node;
}

// not_test = "not" not_test | comparison
const Expr* Parser::parse_not() {
  Span start = peek().span;
  if (!accept_operator(*this, TokenKind::Not, TokenKind::Bang)) return parse_comparison();
  Level level(expr_depth);
  if (too_deep()) return nullptr;
  return make_unary(*this, UnaryOp::Not, parse_not(), start);
}

// Takes a comparison operator, which may be two words.
static std::optional<CompareOp> accept_compare_op(Parser& parser) {
  struct Row {
    TokenKind token;
    CompareOp op;
  };
  static constexpr Row rows[] = {
      {TokenKind::EqualEqual, CompareOp::Equal},
      {TokenKind::BangEqual, CompareOp::NotEqual},
      {TokenKind::Less, CompareOp::Less},
      {TokenKind::LessEqual, CompareOp::LessEqual},
      {TokenKind::Greater, CompareOp::Greater},
      {TokenKind::GreaterEqual, CompareOp::GreaterEqual},
      {TokenKind::In, CompareOp::In},
  };
  for (const Row& row : rows)
    if (parser.accept(row.token)) return row.op;
  if (parser.accept(TokenKind::Is)) return parser.accept(TokenKind::Not) ? CompareOp::IsNot : CompareOp::Is;
  if (!parser.at(TokenKind::Not) || !parser.at(TokenKind::In, 1)) return std::nullopt;
  parser.advance();
  parser.advance();
  return CompareOp::NotIn;
}

// comparison = bit_or (("==" | "!=" | "<" | "<=" | ">" | ">=" | "is" "not"? | "not"? "in") bit_or)*
const Expr* Parser::parse_comparison() {
  Span start = peek().span;
  const Expr* first = parse_binary(0);
  if (!first) return nullptr;
  std::vector<const Expr*> operands{first};
  std::vector<CompareOp> ops;
  std::size_t tallest = height;
  while (std::optional<CompareOp> op = accept_compare_op(*this)) {
    const Expr* operand = parse_binary(0);
    if (!operand) return nullptr;
    tallest = std::max(tallest, height);
    operands.push_back(operand);
    ops.push_back(*op);
  }
  if (ops.empty()) return first;
  if (!rise(tallest + ops.size() - 1)) return nullptr;
  auto* node = arena.make<ast::Compare>(since(start));
  node->operands = arena.copy(operands);
  node->ops = arena.copy(ops);
  return node;
}

// Says whether the tokens here are `++` or `--` as C has them: glued, and no operand behind them.
static bool at_increment(const Parser& parser) {
  bool doubled = parser.at(TokenKind::Plus) ? parser.at(TokenKind::Plus, 1)
                                            : parser.at(TokenKind::Minus) && parser.at(TokenKind::Minus, 1);
  if (!doubled || !parser.adjacent(1)) return false;
  for (TokenKind end : {TokenKind::Newline, TokenKind::EndOfFile, TokenKind::Semicolon, TokenKind::RightParen,
                        TokenKind::RightBracket, TokenKind::RightBrace, TokenKind::Comma})
    if (parser.at(end, 2)) return true;
  return false;
}

// bit_or = operands joined by binary operators, of which this takes those of at least a precedence
const Expr* Parser::parse_binary(int least_precedence) {
  Span start = peek().span;
  const Expr* left = parse_unary();
  while (left) {
    const BinaryRow* row = find_binary(peek().kind);
    if (!row || row->precedence < least_precedence) break;
    if (at_increment(*this)) {
      bool plus = at(TokenKind::Plus);
      report(cover(peek().span, peek(1).span), diag::foreign_operator, plus ? "++" : "--",
             plus ? "`x += 1`" : "`x -= 1`");
      return nullptr;
    }
    std::size_t left_height = height;
    Span op_span = advance().span;
    const Expr* right = parse_binary(row->precedence + 1);
    if (!right || !rise(left_height)) return nullptr;
    auto* node = arena.make<ast::Binary>(since(start));
    node->op = row->op;
    node->op_span = op_span;
    node->left = left;
    node->right = right;
    left = node;
  }
  return left;
}

// unary = ("-" | "+" | "~") unary | power
const Expr* Parser::parse_unary() {
  std::optional<UnaryOp> op;
  if (at(TokenKind::Minus)) op = UnaryOp::Negative;
  if (at(TokenKind::Plus)) op = UnaryOp::Positive;
  if (at(TokenKind::Tilde)) op = UnaryOp::Invert;
  if (!op) return parse_power();
  Level level(expr_depth);
  if (too_deep()) return nullptr;
  Span start = advance().span;
  return make_unary(*this, *op, parse_unary(), start);
}

// power = postfix ("**" unary)?
const Expr* Parser::parse_power() {
  Span start = peek().span;
  const Expr* left = parse_postfix();
  if (!left || !at(TokenKind::StarStar)) return left;
  Level level(expr_depth);
  if (too_deep()) return nullptr;
  std::size_t left_height = height;
  Span op_span = advance().span;
  const Expr* right = parse_unary();
  if (!right || !rise(left_height)) return nullptr;
  auto* node = arena.make<ast::Binary>(since(start));
  node->op = BinaryOp::Power;
  node->op_span = op_span;
  node->left = left;
  node->right = right;
  return node;
}

} // namespace kern
