// A file's items. In a .kern file everything else is an error; host_items.cpp reads a .py file.
#include <algorithm>

#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;
using ast::Stmt;

static constexpr std::string_view only_items = "it holds imports, constants, structs and functions";

static bool is_name_target(const Expr* target) {
  if (ast::as<ast::Name>(target)) return true;
  auto* tuple = ast::as<ast::Tuple>(target);
  return tuple && std::all_of(tuple->elements.begin(), tuple->elements.end(), is_name_target);
}

// table[i] = value, which changes what a constant of Python code is.
static bool is_element(const Expr* target) {
  auto* subscript = ast::as<ast::Subscript>(target);
  return subscript && ast::as<ast::Name>(subscript->value);
}

static bool is_constant(const Stmt* stmt, TopLevel top_level) {
  // Python code may work a constant out in steps.
  const bool is_host = top_level == TopLevel::Host;
  if (auto* augmented = ast::as<ast::AugAssign>(stmt))
    return is_host && (ast::as<ast::Name>(augmented->target) || is_element(augmented->target));
  if (auto* assign = ast::as<ast::Assign>(stmt))
    return (is_host && assign->targets.size() == 1 && is_element(assign->targets.front())) ||
           std::all_of(assign->targets.begin(), assign->targets.end(), is_name_target);
  auto* annotated = ast::as<ast::AnnAssign>(stmt);
  return annotated && annotated->value && ast::as<ast::Name>(annotated->target);
}

static bool is_docstring(const Stmt* stmt) {
  auto* expr = ast::as<ast::ExprStmt>(stmt);
  return expr && ast::as<ast::StringLiteral>(expr->value);
}

// Parses one simple item; false where it was reported or is none.
bool Parser::parse_simple_item(std::vector<const Stmt*>& items) {
  if (at(TokenKind::Import)) return parse_import(items);
  if (at(TokenKind::From)) return parse_from_import(items);
  const Stmt* stmt = parse_simple_statement();
  if (!stmt || is_docstring(stmt)) return stmt;
  if (is_constant(stmt, top_level)) {
    items.push_back(stmt);
    return true;
  }
  if (ast::as<ast::AnnAssign>(stmt) && at_line_end()) {
    expected("`=` and the value of the constant");
    return true;
  }
  std::string_view what = ast::as<ast::ExprStmt>(stmt) ? "an expression" : "this statement";
  report(stmt->span, diag::foreign_code, what, only_items);
  return true;
}

bool begins_foreign_statement(const Parser& parser) {
  for (TokenKind kind :
       {TokenKind::If, TokenKind::While, TokenKind::For, TokenKind::Try, TokenKind::With, TokenKind::Async,
        TokenKind::Elif, TokenKind::Else, TokenKind::Except, TokenKind::Finally, TokenKind::Break,
        TokenKind::Continue, TokenKind::Return, TokenKind::Del, TokenKind::Global, TokenKind::Nonlocal,
        TokenKind::Assert, TokenKind::Raise, TokenKind::Pass})
    if (parser.at(kind)) return true;
  return parser.at_match_statement();
}

// item = decorated | function | (simple_item (";" simple_item)* newline)
void Parser::parse_item(std::vector<const Stmt*>& items) {
  const Stmt* stmt = nullptr;
  if (at(TokenKind::At) || at(TokenKind::Def)) {
    stmt = at(TokenKind::At) ? parse_decorated() : parse_function({}, peek().span);
    if (stmt) items.push_back(stmt);
    return;
  }
  if (at(TokenKind::Class)) {
    report(peek().span, diag::foreign_code, "a class",
           "write `@struct` before it where it holds typed fields, `x: f32`");
    return skip_statement();
  }
  if (at(TokenKind::Indent)) {
    report(peek(1).span, diag::unexpected_indent);
    return skip_block();
  }
  if (begins_foreign_statement(*this)) {
    report(peek().span, diag::foreign_code, describe(peek().kind), only_items);
    return skip_statement();
  }
  do {
    if (at_line_end()) break;
    if (!parse_simple_item(items)) return skip_statement();
  } while (accept(TokenKind::Semicolon));
  if (!at_line_end()) {
    unexpected_end();
    return skip_statement();
  }
  accept(TokenKind::Newline);
}

const ast::Module* Parser::make_module(const std::vector<const Stmt*>& items,
                                       const std::vector<ast::HostStatement>& statements) {
  return arena.make<ast::Module>(file, arena.copy(items), arena.copy(statements));
}

const ast::Module* Parser::parse_module() {
  std::vector<const Stmt*> items;
  std::vector<ast::HostStatement> statements;
  while (!at(TokenKind::EndOfFile)) {
    if (accept(TokenKind::Newline) || accept(TokenKind::Dedent)) continue;
    if (top_level == TopLevel::Host)
      parse_host_item(items, statements);
    else
      parse_item(items);
  }
  return make_module(items, statements);
}

} // namespace kern
