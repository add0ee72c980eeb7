// What stands inside of host code: functions that a function makes, that a class holds, or that stand under an
// `if`. It is parsed as the top level of a .py file is, but always aside: nothing in it is an error until a kernel
// needs it.
#include <algorithm>

#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;
using ast::HostStatement;
using ast::Stmt;

namespace {

// Code that is nested deeper holds nothing that can be named.
constexpr std::size_t deepest_host_code = 12;

bool opens_bracket(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace;
}

bool closes_bracket(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

struct BodyParser {
  Parser& parser;
  std::size_t begin, end; // of the statement's tokens

  TokenKind kind(std::size_t i) const { return i < end ? parser.tokens[i].kind : TokenKind::EndOfFile; }
  std::string_view text(std::size_t i) const { return parser.text(parser.tokens[i]); }

  // Returns the place of the keyword of a definition behind its decorators.
  std::size_t keyword() const {
    std::size_t i = begin;
    while (kind(i) == TokenKind::At) {
      while (i < end && kind(i) != TokenKind::Newline) ++i;
      ++i;
    }
    return kind(i) == TokenKind::Async ? i + 1 : i;
  }

  // Says whether something inside can be of use to a kernel.
  bool holds_definitions() const {
    for (std::size_t i = begin + 1; i < end; ++i) {
      bool defines = kind(i) == TokenKind::Def || kind(i) == TokenKind::Class ||
                     kind(i) == TokenKind::Lambda || kind(i) == TokenKind::Import;
      bool jits = kind(i) == TokenKind::Name && text(i) == "jit";
      if (defines || jits) return true;
    }
    return false;
  }

  // Parses the statements of a block whose Indent is at `i`; returns the place behind it.
  std::size_t parse_block(std::size_t i, std::vector<const Stmt*>& items,
                          std::vector<HostStatement>& statements) const {
    Diagnostics aside;
    Parser inner{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
    inner.host_depth = parser.host_depth + 1;
    while (inner.position < end && !inner.at(TokenKind::Dedent) && !inner.at(TokenKind::EndOfFile)) {
      if (inner.accept(TokenKind::Newline)) continue;
      inner.parse_lenient_item(items, statements);
    }
    return inner.position + 1;
  }

  // Parses all blocks of the statement: those of each of its clauses, one behind the other.
  void parse_blocks(std::vector<const Stmt*>& items, std::vector<HostStatement>& statements) const {
    for (std::size_t i = begin; i < end;)
      i = kind(i) == TokenKind::Indent ? parse_block(i, items, statements) : i + 1;
  }

  std::vector<ast::Param> parse_params(std::size_t def) const {
    Diagnostics aside;
    Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, def};
    ast::FunctionDef* head = trial.parse_signature({}, parser.tokens[def].span);
    if (head && trial.error_count == 0) return {head->params.begin(), head->params.end()};
    return name_params(def);
  }

  // The names of parameters of which some are none of Kern's.
  std::vector<ast::Param> name_params(std::size_t def) const {
    std::vector<ast::Param> params;
    std::size_t depth = 0;
    for (std::size_t i = def + 1; i < end && kind(i) != TokenKind::Newline; ++i) {
      if (opens_bracket(kind(i))) ++depth;
      if (closes_bracket(kind(i)) && --depth == 0) break;
      TokenKind before = kind(i - 1);
      bool is_param = depth == 1 && kind(i) == TokenKind::Name &&
                      (before == TokenKind::LeftParen || before == TokenKind::Comma ||
                       before == TokenKind::Star || before == TokenKind::StarStar);
      if (!is_param) continue;
      ast::Param param;
      param.name = text(i);
      param.span = parser.tokens[i].span;
      params.push_back(param);
    }
    return params;
  }

  // Says whether the blocks of a statement hold a `return` of their own function.
  bool may_return(const HostStatement& statement) const {
    if (statement.is_item || statement.kind == HostStatement::Kind::Function ||
        statement.kind == HostStatement::Kind::Class)
      return false;
    for (std::size_t i = begin; i < end; ++i) {
      Span span = parser.tokens[i].span;
      if (span.begin < statement.span.begin || span.end > statement.span.end) continue;
      if (kind(i) == TokenKind::Return) return true;
    }
    return false;
  }

  // Returns what a function returns, where that is the value of one statement of its body.
  const Expr* result_of(const std::vector<HostStatement>& statements) const {
    for (const HostStatement& statement : statements) {
      if (!may_return(statement)) continue;
      std::size_t i = begin;
      auto is_layout = [&] {
        return kind(i) == TokenKind::Newline || kind(i) == TokenKind::Indent || kind(i) == TokenKind::Dedent;
      };
      while (i < end && (parser.tokens[i].span.begin < statement.span.begin || is_layout())) ++i;
      if (kind(i) != TokenKind::Return) return nullptr;
      Diagnostics aside;
      Parser trial{parser.sources, parser.file, parser.tokens, parser.top_level, parser.arena, aside, i + 1};
      const Expr* value = trial.at_line_end() ? nullptr : trial.parse_expression_list();
      return value && trial.error_count == 0 && trial.at_line_end() ? value : nullptr;
    }
    return nullptr;
  }

  // Says whether the bases of a class name an enumeration.
  bool is_enum(std::size_t keyword) const {
    for (std::size_t i = keyword; i < end && kind(i) != TokenKind::Newline; ++i) {
      bool is_name = kind(i) == TokenKind::Name;
      if (is_name && (text(i) == "Enum" || text(i) == "IntEnum" || text(i) == "IntFlag" || text(i) == "Flag"))
        return true;
    }
    return false;
  }
};

} // namespace

void Parser::parse_host_body(std::size_t begin, HostStatement& statement) {
  if (host_depth >= deepest_host_code) return;
  BodyParser body{*this, begin, position};
  bool is_function = statement.kind == HostStatement::Kind::Function;
  bool is_class = statement.kind == HostStatement::Kind::Class;
  std::size_t keyword = body.keyword();
  // A function of Kern's that was refused is none of the host's.
  bool is_refused = is_function && statement.is_jit;
  if (is_refused || (!is_class && !is_function && !body.holds_definitions())) return;
  std::vector<const Stmt*> items;
  std::vector<HostStatement> statements;
  body.parse_blocks(items, statements);
  ast::Module* module = make_module(items, statements);
  statement.body = module;
  if (is_class) statement.is_enum = body.is_enum(keyword);
  if (!is_function) return;
  statement.params = arena.copy(body.parse_params(keyword));
  module->result = body.result_of(statements);
}

} // namespace kern
