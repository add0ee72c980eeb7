// Blocks, the statements that have them, and how the parser goes on behind an error.
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"
#include "compiler/support/limits.h"

namespace kern {

using ast::Expr;
using ast::Stmt;

static bool is_compound(const Parser& parser) {
  for (TokenKind kind : {TokenKind::If, TokenKind::While, TokenKind::For, TokenKind::Try, TokenKind::With,
                         TokenKind::Async, TokenKind::Def, TokenKind::Class, TokenKind::At})
    if (parser.at(kind)) return true;
  return parser.at_match_statement();
}

// Reports a clause whose statement is missing, and parses its block all the same.
static bool refuse_lone_clause(Parser& parser) {
  TokenKind kind = parser.peek().kind;
  bool of_try = kind == TokenKind::Except || kind == TokenKind::Finally;
  if (kind != TokenKind::Elif && kind != TokenKind::Else && !of_try) return false;
  std::string_view spelling = describe(kind);
  Span header = parser.peek().span;
  parser.report(header, diag::lone_clause, spelling.substr(1, spelling.size() - 2),
                of_try ? "`try`" : "`if`");
  parser.skip_line();
  if (parser.at(TokenKind::Indent)) parser.parse_indented(header);
  return true;
}

// statement = if_stmt | while_stmt | for_stmt | simple_line
void Parser::parse_statement(std::vector<const Stmt*>& out) {
  const Stmt* stmt = nullptr;
  if (accept(TokenKind::Newline)) return; // of a line that held nothing but a backslash
  if (at(TokenKind::Indent)) {
    Span span = peek(1).span;
    report(span, diag::unexpected_indent);
    ast::Block inner = parse_indented(span);
    out.insert(out.end(), inner.begin(), inner.end());
    return;
  }
  if (at(TokenKind::If))
    stmt = parse_if();
  else if (at(TokenKind::While))
    stmt = parse_while();
  else if (at(TokenKind::For))
    stmt = parse_for();
  else if (may_hold_functions && at(TokenKind::Def))
    stmt = parse_function({}, peek().span);
  else if (refuse_lone_clause(*this) || refuse_compound_statement())
    return;
  else
    return parse_simple_line(out);
  if (stmt) out.push_back(stmt);
}

// Goes on behind a simple statement that was reported. A block below it is parsed for its errors: its header
// was probably meant to be something else.
static void recover(Parser& parser, Span header) {
  parser.skip_line();
  if (!parser.at(TokenKind::Indent)) return;
  ++parser.loop_depth; // nobody knows whether the header is that of a loop
  parser.parse_indented(header);
  --parser.loop_depth;
}

// simple_line = simple_stmt (";" simple_stmt)* ";"? newline
void Parser::parse_simple_line(std::vector<const Stmt*>& out) {
  Span header = peek().span;
  do {
    if (accept(TokenKind::Newline)) return; // behind a last semicolon
    const Stmt* stmt = parse_simple_statement();
    if (!stmt) return recover(*this, header);
    if (!at_line_end() && !at(TokenKind::Semicolon)) {
      unexpected_end();
      return recover(*this, header);
    }
    out.push_back(stmt);
  } while (accept(TokenKind::Semicolon));
  accept(TokenKind::Newline);
}

// Parses the statements of a block whose Indent is here.
ast::Block Parser::parse_indented(Span header) {
  if (block_depth >= limits::nesting) {
    report(header, diag::nesting_too_deep, limits::nesting,
           "move the inner blocks into a function of their own");
    skip_block();
    return {};
  }
  ++block_depth;
  std::vector<const Stmt*> stmts;
  accept(TokenKind::Indent);
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) parse_statement(stmts);
  accept(TokenKind::Dedent);
  --block_depth;
  return arena.copy(stmts);
}

// Passes over the colon of a header; false where it is missing: that is reported, the rest of the line not
// read.
static bool expect_colon(Parser& parser, std::string_view what) {
  if (parser.accept(TokenKind::Colon)) return true;
  if (parser.at(TokenKind::Invalid)) {
    ++parser.error_count;
  } else if (parser.at(TokenKind::RightParen) || parser.at(TokenKind::RightBracket) ||
             parser.at(TokenKind::RightBrace)) {
    parser.unexpected_end();
  } else {
    parser.report(parser.here(), diag::expected_colon, what, parser.found());
  }
  parser.skip_to_line_end();
  return false;
}

// block = ":" simple_line | ":" newline indent statement+ dedent
ast::Block Parser::parse_block(std::string_view what, Span header) {
  bool has_colon = expect_colon(*this, what);
  if (!at_line_end()) {
    std::vector<const Stmt*> stmts;
    if (!is_compound(*this)) {
      parse_simple_line(stmts);
      return arena.copy(stmts);
    }
    report(peek().span, diag::stands_alone, found());
    skip_line();
    skip_block();
    return {};
  }
  Span end = here();
  accept(TokenKind::Newline);
  if (at(TokenKind::Indent)) return parse_indented(header);
  if (!has_colon) return {};
  auto error = report(end, diag::expected_block, what);
  if (sources.locate(header).line != sources.locate(end).line)
    error.note(header, "the statement begins here");
  return {};
}

// Parses the condition of a header. `=` is reported and taken for `==`; after any other error the rest of the
// header is passed over.
const Expr* Parser::parse_condition() {
  Span start = peek().span;
  const Expr* condition = parse_expression();
  if (condition && at(TokenKind::Equal)) {
    report(advance().span, diag::assignment_in_expression);
    const Expr* right = parse_expression();
    if (right) {
      auto* compare = arena.make<ast::Compare>(since(start));
      compare->operands = arena.copy(std::vector<const Expr*>{condition, right});
      compare->ops = arena.copy(std::vector{ast::CompareOp::Equal});
      return compare;
    }
    condition = nullptr;
  }
  if (!condition)
    while (!at_line_end() && !(at(TokenKind::Colon) && at(TokenKind::Newline, 1))) advance();
  return condition;
}

// Parses the block of a header; one that was reported needs no further words about a missing colon or block.
static ast::Block parse_body(Parser& parser, bool header_is_good, std::string_view what, Span header) {
  if (header_is_good || parser.at(TokenKind::Colon)) return parser.parse_block(what, header);
  parser.skip_line();
  return parser.at(TokenKind::Indent) ? parser.parse_indented(header) : ast::Block{};
}

// if_stmt = ("if" | "elif") condition block ("elif" ... | "else" block)?
const Stmt* Parser::parse_if() {
  Span start = advance().span;
  const Expr* condition = parse_condition();
  ast::Block then_body = parse_body(*this, condition, "the condition", start);
  ast::Block else_body;
  bool else_if = at(TokenKind::Else) && at(TokenKind::If, 1);
  if (else_if) {
    report(cover(peek().span, peek(1).span), diag::else_if);
    advance();
  }
  if (else_if || at(TokenKind::Elif)) {
    if (block_depth >= limits::nesting) {
      report(peek().span, diag::nesting_too_deep, limits::nesting, "an `elif` counts as one level");
      skip_statement();
      return nullptr;
    }
    ++block_depth;
    const Stmt* nested = parse_if();
    --block_depth;
    if (nested) else_body = arena.copy(std::vector{nested});
  } else if (at(TokenKind::Else)) {
    Span header = advance().span;
    else_body = parse_block("`else`", header);
  }
  if (!condition) return nullptr;
  auto* node = arena.make<ast::If>(since(start));
  node->condition = condition;
  node->then_body = then_body;
  node->else_body = else_body;
  return node;
}

// loop_else = ("else" block)?
ast::Block Parser::parse_loop_else() {
  if (!at(TokenKind::Else)) return {};
  Span header = advance().span;
  return parse_block("`else`", header);
}

// while_stmt = "while" condition block loop_else
const Stmt* Parser::parse_while() {
  Span start = advance().span;
  const Expr* condition = parse_condition();
  ++loop_depth;
  ast::Block body = parse_body(*this, condition, "the condition", start);
  --loop_depth;
  Span span = since(start);
  ast::Block else_body = parse_loop_else();
  if (!condition) return nullptr;
  auto* node = arena.make<ast::While>(span);
  node->condition = condition;
  node->body = body;
  node->else_body = else_body;
  return node;
}

// Says whether a `for` is C's: a semicolon stands in its brackets.
bool Parser::c_style_for() const {
  if (!at(TokenKind::LeftParen)) return false;
  for (std::size_t offset = 1; !at(TokenKind::Newline, offset) && !at(TokenKind::EndOfFile, offset); ++offset)
    if (at(TokenKind::Semicolon, offset)) return true;
  return false;
}

// for_stmt = "for" targets "in" expression_list block loop_else
const Stmt* Parser::parse_for() {
  Span start = advance().span;
  const Expr* target = nullptr;
  const Expr* iterable = nullptr;
  if (c_style_for())
    not_kern(start, "a `for` with semicolons", "write `for i in range(n):`");
  else if ((target = parse_expression_list(true)) && check_target(target) && expect(TokenKind::In, "`in`"))
    iterable = parse_expression_list();
  if (!iterable)
    while (!at_line_end() && !(at(TokenKind::Colon) && at(TokenKind::Newline, 1))) advance();
  ++loop_depth;
  ast::Block body = parse_body(*this, iterable, "the header of the loop", start);
  --loop_depth;
  Span span = since(start);
  ast::Block else_body = parse_loop_else();
  if (!iterable) return nullptr;
  auto* node = arena.make<ast::For>(span);
  node->target = target;
  node->iterable = iterable;
  node->body = body;
  node->else_body = else_body;
  return node;
}

} // namespace kern
