// The parser's state and its functions over several files. Included by parse/ only.
//
// A function that parses an expression or a simple statement returns null where it reported an error; then
// the whole statement is left out and the parser goes on behind it. Functions for compound statements go on
// by themselves: they return null too, but stand behind the statement.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/parse.h"

namespace kern {

struct Parser;
// Says whether a statement begins here that no Kern file has at its top level.
bool begins_foreign_statement(const Parser& parser);

inline bool is_layout(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Indent || kind == TokenKind::Dedent;
}
inline bool opens_bracket(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket || kind == TokenKind::LeftBrace;
}
inline bool closes_bracket(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket || kind == TokenKind::RightBrace;
}

// Maps each name of a list to the place where it was given first.
using SeenNames = std::map<std::string_view, Span>;

struct Parser {
  const SourceManager& sources;
  FileId file;
  std::span<const Token> tokens;
  TopLevel top_level;
  Arena& arena;
  Diagnostics& diagnostics;

  std::size_t position = 0;    // of the next token
  std::size_t error_count = 0; // silent ones counted
  std::size_t expr_depth = 0;  // of the functions now running: what the stack must hold
  std::size_t block_depth = 0;
  std::size_t loop_depth = 0; // in this function
  std::size_t function_depth = 0;
  bool may_hold_functions = false; // whether functions may stand in the one that is parsed
  bool in_decorator = false;       // whose options may be sets
  std::size_t host_depth = 0;      // of host code around this place
  std::size_t height = 0;          // of the expression parsed last: what the stack of later phases must hold
  Diagnostics* refused =
      nullptr; // of kernels at the top level, where they do not count as errors of the file

  // parse.cpp: the cursor
  const Token& peek(std::size_t offset = 0) const {
    return tokens[std::min(position + offset, tokens.size() - 1)];
  }
  bool at(TokenKind kind, std::size_t offset = 0) const { return peek(offset).kind == kind; }
  bool at_line_end() const;
  const Token& previous() const { return tokens[position > 0 ? position - 1 : 0]; }
  const Token& advance();
  bool accept(TokenKind kind);
  std::string_view text(const Token& token) const { return sources.text(token.span); }
  // Says whether the next token begins where the one before it ended.
  bool adjacent(std::size_t offset = 0) const;
  // Says whether the next token is the first one on its line of text.
  bool first_on_line() const;
  // Returns the place behind the bracket that is closed for the one opened at i.
  std::size_t behind_bracket(std::size_t i, std::size_t end) const {
    for (std::size_t depth = 0; i < end; ++i) {
      depth += opens_bracket(tokens[i].kind);
      depth -= closes_bracket(tokens[i].kind) && depth > 0;
      if (depth == 0) return i + 1;
    }
    return end;
  }
  // Returns the first place from i on, in no bracket, at which a token is wanted; the colon of a `lambda` is not.
  template <class Wanted>
  std::size_t find_outside(std::size_t i, std::size_t end, const Wanted& wanted) const {
    for (std::size_t lambdas = 0; i < end;) {
      const TokenKind kind = tokens[i].kind;
      const bool is_of_lambda = kind == TokenKind::Colon && lambdas > 0;
      if (!is_of_lambda && wanted(kind)) return i;
      lambdas += kind == TokenKind::Lambda;
      lambdas -= is_of_lambda;
      i = opens_bracket(kind) ? behind_bracket(i, end) : i + 1;
    }
    return end;
  }
  // Returns the span from a token's begin to the end of the last token before the cursor that is text.
  Span since(Span start) const;

  // parse.cpp: errors
  template <class... Args> Diagnostics::Builder report(Span span, const DiagnosticKind<Args...>& kind,
                                                       std::type_identity_t<Args>... args) {
    ++error_count;
    return diagnostics.report(span, kind, args...);
  }
  Span here() const;         // where the next token is missed
  std::string found() const; // what stands there instead, in words
  // Reports that something else is missing here; returns null for the caller to return.
  std::nullptr_t expected(std::string_view what);
  bool expect(TokenKind kind, std::string_view what);
  std::nullptr_t not_kern(Span span, std::string_view what, std::string_view instead);
  bool check_first(SeenNames& seen, std::string_view name, Span span); // that a name is not given twice
  void skip_line();                                                    // behind its Newline
  void skip_to_line_end();                                             // before its Newline
  void skip_block();     // the Indent here to its Dedent, if there is one
  void skip_statement(); // with its block, decorators and further clauses

  // expressions.cpp: operators
  const ast::Expr* parse_expression();
  const ast::Expr* parse_named(const ast::Expr* target, Span start);
  const ast::Expr* parse_expression_list(bool operators_only = false);
  const ast::Expr* parse_or();
  const ast::Expr* parse_and();
  const ast::Expr* parse_not();
  const ast::Expr* parse_comparison();
  const ast::Expr* parse_binary(int least_precedence);
  const ast::Expr* parse_unary();
  const ast::Expr* parse_power();
  const ast::Expr* parse_starred();
  bool too_deep();
  bool rise(std::size_t sibling);

  // primaries.cpp: literals, names, brackets, calls, subscripts
  const ast::Expr* parse_postfix();
  const ast::Expr* parse_call(const ast::Expr* callee, Span start);
  bool parse_argument(std::vector<const ast::Expr*>& args, std::vector<ast::Keyword>& keywords,
                      SeenNames& seen);
  const ast::Expr* parse_subscript(const ast::Expr* value, Span start);
  const ast::Expr* parse_index();
  const ast::Expr* parse_attribute(const ast::Expr* value, Span start);
  const ast::Expr* parse_atom();
  const ast::Expr* parse_lambda();
  const ast::Expr* parse_dict();
  // Says whether Python computes what stands here, outside of functions of a .py file.
  bool is_host_code() const { return top_level == TopLevel::Host && function_depth == 0; }
  // Decorators are Kern's to read.
  bool computes_comprehensions() const { return is_host_code() && !in_decorator; }
  const ast::Expr* parse_int();
  const ast::Expr* parse_parenthesised();
  const ast::Expr* parse_list();
  bool at_set() const;
  const ast::Expr* parse_set();
  bool close(const Token& open, TokenKind closer, std::string_view alternatives);

  // format_strings.cpp
  const ast::Expr* parse_strings();
  bool parse_f_string(std::string& format, std::vector<const ast::Expr*>& values, std::size_t& tallest);

  // blocks.cpp: blocks and compound statements
  void parse_statement(std::vector<const ast::Stmt*>& out);
  void parse_simple_line(std::vector<const ast::Stmt*>& out);
  ast::Block parse_block(std::string_view what, Span header);
  ast::Block parse_indented(Span header);
  const ast::Expr* parse_condition();
  const ast::Stmt* parse_if();
  const ast::Stmt* parse_while();
  const ast::Stmt* parse_for();
  ast::Block parse_loop_else();
  bool c_style_for() const;
  bool at_match_statement() const; // constructs.cpp

  // statements.cpp: simple statements
  const ast::Stmt* parse_simple_statement();
  const ast::Stmt* parse_expression_statement();
  const ast::Stmt* parse_annotated(const ast::Expr* target, Span start);
  const ast::Stmt* parse_assign(const ast::Expr* first, Span start);
  const ast::Stmt* parse_augmented(const ast::Expr* target, Span start);
  const ast::Stmt* parse_jump();
  const ast::Stmt* parse_return();
  const ast::Stmt* parse_assert();
  const ast::Stmt* parse_raise();
  const ast::Stmt* parse_delete();
  bool check_target(const ast::Expr* target);
  std::nullptr_t unexpected_end();
  bool refuse_c_statement();

  // constructs.cpp: the Python that is not Kern
  bool refuse_expression();
  bool refuse_simple_statement();
  bool refuse_compound_statement();

  // functions.cpp: def and class
  const ast::Stmt* parse_decorated();
  std::optional<std::vector<const ast::Expr*>> parse_decorators();
  const ast::Stmt* parse_function(const std::vector<const ast::Expr*>& decorators, Span start);
  const ast::Stmt* parse_named_lambda();
  ast::FunctionDef* parse_signature(const std::vector<const ast::Expr*>& decorators, Span start);
  bool parse_params(std::vector<ast::Param>& params);
  bool parse_param(std::vector<ast::Param>& params, SeenNames& seen);
  bool refuse_param();
  const ast::Stmt* parse_struct(const std::vector<const ast::Expr*>& decorators, Span start);
  ast::Block parse_fields();

  // imports.cpp
  bool parse_import(std::vector<const ast::Stmt*>& out);
  bool parse_from_import(std::vector<const ast::Stmt*>& out);
  std::string_view parse_dotted_name();

  // top_level.cpp, host_items.cpp
  const ast::Module* parse_module();
  void parse_item(std::vector<const ast::Stmt*>& items);
  const ast::Module* make_module(const std::vector<const ast::Stmt*>& items,
                                 const std::vector<ast::HostStatement>& statements);
  bool parse_simple_item(std::vector<const ast::Stmt*>& items);

  // host_items.cpp: the top level of a .py file
  void parse_host_item(std::vector<const ast::Stmt*>& items, std::vector<ast::HostStatement>& statements);
  void parse_simple_host(ast::HostStatement& statement) const;

  // host_bodies.cpp
  // Fills in a statement whose tokens are those from `begin` to the cursor: what it defines, and what stands inside of it.
  void parse_host_body(std::size_t begin, ast::HostStatement& statement);
  bool is_match_statement(std::size_t begin) const; // begins there

  // host_names.cpp
  // Return what tokens do with names: those of whole statements, of the head of a clause, and of the decorators and the
  // parameters of a function.
  std::span<const ast::NameUse> names_in_statements(std::size_t begin, std::size_t end) const;
  std::span<const ast::NameUse> names_in_head(std::size_t begin, std::size_t end) const;
};

} // namespace kern
