// Functions and structs: decorators, parameters, fields.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;
using ast::Param;
using ast::Stmt;

// decorators = ("@" expression newline)+; null where one was reported, the cursor behind them all
std::optional<std::vector<const Expr*>> Parser::parse_decorators() {
  std::vector<const Expr*> decorators;
  bool good = true;
  while (accept(TokenKind::At)) {
    in_decorator = true;
    const Expr* decorator = parse_expression();
    in_decorator = false;
    if (decorator && !at_line_end()) unexpected_end();
    good = good && decorator && at_line_end();
    if (decorator) decorators.push_back(decorator);
    skip_line();
  }
  if (!good) return std::nullopt;
  return decorators;
}

// decorated = decorators (function | struct)
const Stmt* Parser::parse_decorated() {
  Span start = peek().span;
  auto decorators = parse_decorators();
  if (at(TokenKind::Async)) {
    refuse_compound_statement();
    return nullptr;
  }
  const Stmt* stmt = nullptr;
  if (at(TokenKind::Def)) {
    stmt = parse_function(decorators.value_or(std::vector<const Expr*>{}), start);
  } else if (at(TokenKind::Class)) {
    stmt = parse_struct(decorators.value_or(std::vector<const Expr*>{}), start);
  } else {
    expected("`def` or `class` after a decorator");
    skip_statement();
  }
  return decorators ? stmt : nullptr;
}

// Says whether a decorator compiles its function, by its name: `cuda.jit`, `njit(...)`. Other functions that hold
// functions are the host's.
static bool is_jit(const Expr* decorator) {
  if (const auto* call = ast::as<ast::Call>(decorator)) return is_jit(call->callee);
  if (const auto* attribute = ast::as<ast::Attribute>(decorator)) return attribute->name.ends_with("jit");
  const auto* name = ast::as<ast::Name>(decorator);
  return name && name->text.ends_with("jit");
}

// function = "def" name "(" params ")" ("->" expression)? block
const Stmt* Parser::parse_function(const std::vector<const Expr*>& decorators, Span start) {
  std::size_t outer_loops = std::exchange(loop_depth, 0);
  bool is_inner = may_hold_functions && decorators.empty();
  bool holds = is_inner || (top_level != TopLevel::Strict && std::ranges::any_of(decorators, is_jit));
  bool outer_holds = std::exchange(may_hold_functions, holds);
  ast::FunctionDef* node = parse_signature(decorators, start);
  Span header = since(start);
  ast::Block body;
  ++function_depth;
  if (node || at(TokenKind::Colon)) {
    body = parse_block("the head of the function", header);
  } else {
    skip_line();
    if (at(TokenKind::Indent)) body = parse_indented(header);
  }
  --function_depth;
  loop_depth = outer_loops;
  may_hold_functions = outer_holds;
  if (!node) return nullptr;
  node->body = body;
  node->span = since(start);
  return node;
}

// named_lambda = name "=" lambda, which is a function of that name
const Stmt* Parser::parse_named_lambda() {
  const Token& name = advance();
  advance();
  const Expr* value = parse_lambda();
  if (!value) return nullptr;
  const ast::FunctionDef& made = *ast::get<ast::Lambda>(*value).function;
  auto* node = arena.make<ast::FunctionDef>(since(name.span));
  node->name = text(name);
  node->name_span = name.span;
  node->params = made.params;
  node->body = made.body;
  return node;
}

// The head of a function up to its colon; null where it was reported.
ast::FunctionDef* Parser::parse_signature(const std::vector<const Expr*>& decorators, Span start) {
  advance();
  const Token& name = peek();
  if (!expect(TokenKind::Name, "the function's name after `def`")) return nullptr;
  if (at(TokenKind::LeftBracket))
    return not_kern(peek().span, "a list of type parameters",
                    "leave the parameters without types: the function takes any");
  const Token& open = peek();
  if (!expect(TokenKind::LeftParen, "`(` after the function's name")) return nullptr;
  std::vector<Param> params;
  if (!parse_params(params) || !close(open, TokenKind::RightParen, "`,`")) return nullptr;
  const Expr* returns = nullptr;
  if (accept(TokenKind::Arrow) && !(returns = parse_expression())) return nullptr;
  auto* node = arena.make<ast::FunctionDef>(since(start));
  node->decorators = arena.copy(decorators);
  node->name = text(name);
  node->name_span = name.span;
  node->params = arena.copy(params);
  node->returns = returns;
  return node;
}

// params = (param ("," param)* ","?)?
bool Parser::parse_params(std::vector<Param>& params) {
  SeenNames seen;
  while (!at(TokenKind::RightParen)) {
    if (at_line_end()) return true; // close() says that the bracket is open
    if (!parse_param(params, seen)) return false;
    if (!accept(TokenKind::Comma)) break;
  }
  return true;
}

// Reports the kinds of parameters that Kern does not have.
bool Parser::refuse_param() {
  bool bare_star = at(TokenKind::Star) && !at(TokenKind::Name, 1);
  if (at(TokenKind::Slash))
    not_kern(peek().span, "`/` among parameters", "leave it out: any parameter can be given by position");
  else if (at(TokenKind::StarStar))
    not_kern(peek().span, "a `**` parameter", "name each parameter");
  else if (bare_star)
    not_kern(peek().span, "`*` among parameters", "leave it out: any parameter can be given by name");
  else
    return false;
  return true;
}

// param = "*"? name (":" expression)? ("=" expression)?
bool Parser::parse_param(std::vector<Param>& params, SeenNames& seen) {
  if (refuse_param()) return false;
  Param param;
  if (accept(TokenKind::Star)) param.kind = ast::ParamKind::VarArgs;
  const Token& name = peek();
  if (!expect(TokenKind::Name, "the name of a parameter")) return false;
  if (at(TokenKind::Name)) {
    report(cover(name.span, peek().span), diag::type_before_name,
           fmt::format("{}: {}", text(peek()), text(name)));
    return false;
  }
  param.name = text(name);
  param.span = name.span;
  if (accept(TokenKind::Colon) && !(param.annotation = parse_expression())) return false;
  if (accept(TokenKind::Equal) && !(param.default_value = parse_expression())) return false;
  check_first(seen, param.name, name.span);
  if (!params.empty()) {
    const Param& before = params.back();
    if (before.kind == ast::ParamKind::VarArgs) {
      not_kern(name.span, "a parameter after `*`", "put it before the `*` parameter");
      return false;
    }
    bool needs_default = before.default_value && !param.default_value && param.kind == ast::ParamKind::Normal;
    if (needs_default)
      report(name.span, diag::parameter_order, param.name).note(before.span, "this one has a default");
  }
  params.push_back(param);
  return true;
}

// struct = "class" name ("(" ")")? ":" newline indent field+ dedent
const Stmt* Parser::parse_struct(const std::vector<const Expr*>& decorators, Span start) {
  advance();
  const Token& name = peek();
  bool good = expect(TokenKind::Name, "the struct's name after `class`");
  if (good && at(TokenKind::LeftBracket)) {
    not_kern(peek().span, "a list of type parameters", "write a struct for each type");
    good = false;
  }
  if (good && accept(TokenKind::LeftParen) && !accept(TokenKind::RightParen)) {
    not_kern(peek().span, "a base class", "repeat its fields, or hold it as a field");
    good = false;
  }
  if (!good) {
    skip_statement();
    return nullptr;
  }
  if (!at(TokenKind::Colon)) {
    report(here(), diag::expected_colon, "the struct's name", found());
    skip_statement();
    return nullptr;
  }
  ast::Block body = parse_fields();
  auto* node = arena.make<ast::StructDef>(since(start));
  node->decorators = arena.copy(decorators);
  node->name = text(name);
  node->name_span = name.span;
  node->body = body;
  return node;
}

// Says whether a statement is a field of a struct or its docstring, and reports it where it is none.
static bool check_field(Parser& parser, const Stmt* stmt, SeenNames& seen) {
  if (auto* text = ast::as<ast::ExprStmt>(stmt); text && ast::as<ast::StringLiteral>(text->value))
    return true;
  auto* field = ast::as<ast::AnnAssign>(stmt);
  auto* name = field ? ast::as<ast::Name>(field->target) : nullptr;
  if (name) return parser.check_first(seen, name->text, name->span);
  parser.report(stmt->span, diag::struct_member, "this statement");
  return false;
}

// Parses one line of a struct.
static void parse_field(Parser& parser, std::vector<const Stmt*>& fields, SeenNames& seen) {
  if (parser.at(TokenKind::Def) || parser.at(TokenKind::At) || parser.at(TokenKind::Async)) {
    parser.report(parser.peek().span, diag::struct_member, "a method");
    return parser.skip_statement();
  }
  std::vector<const Stmt*> stmts;
  parser.parse_statement(stmts);
  for (const Stmt* stmt : stmts)
    if (!ast::as<ast::Pass>(stmt) && check_field(parser, stmt, seen)) fields.push_back(stmt);
}

// fields = ":" simple_line | ":" newline indent field+ dedent
ast::Block Parser::parse_fields() {
  Span colon = advance().span;
  std::vector<const Stmt*> fields;
  SeenNames seen;
  if (!at_line_end()) {
    parse_field(*this, fields, seen);
    return arena.copy(fields);
  }
  accept(TokenKind::Newline);
  if (!accept(TokenKind::Indent)) {
    report(colon, diag::expected_block, "the struct's name");
    return {};
  }
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) parse_field(*this, fields, seen);
  accept(TokenKind::Dedent);
  return arena.copy(fields);
}

} // namespace kern
