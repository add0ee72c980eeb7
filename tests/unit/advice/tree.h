// The tree of a text, as a text that has no precedence: "(+ a (* b c))".
#pragma once

#include <string>

#include "compiler/ast/walk.h"
#include "compiler/parse/parse.h"

namespace kern {

inline std::string head_of(const ast::Expr& expr, const SourceManager& sources) {
  if (const auto* binary = ast::as<ast::Binary>(&expr)) return std::string(spelling(binary->op));
  if (const auto* unary = ast::as<ast::Unary>(&expr)) return "unary" + std::string(spelling(unary->op));
  if (const auto* both = ast::as<ast::BoolOp>(&expr)) return std::string(spelling(both->op));
  if (const auto* compare = ast::as<ast::Compare>(&expr)) {
    std::string text;
    for (const ast::CompareOp op : compare->ops)
      text += (text.empty() ? "" : " ") + std::string(spelling(op));
    return text;
  }
  if (const auto* attribute = ast::as<ast::Attribute>(&expr)) return "." + std::string(attribute->name);
  if (ast::as<ast::Conditional>(&expr)) return "choice";
  if (ast::as<ast::NamedExpr>(&expr)) return ":=";
  if (ast::as<ast::Call>(&expr)) return "call";
  if (ast::as<ast::Subscript>(&expr)) return "element";
  if (ast::as<ast::Tuple>(&expr)) return "tuple";
  return std::string(sources.text(expr.span));
}

inline std::string tree_of(const ast::Expr& expr, const SourceManager& sources) {
  std::string text = head_of(expr, sources);
  bool has_parts = false;
  ast::each_part(expr, [&](const ast::Expr& part) {
    text += " " + tree_of(part, sources);
    has_parts = true;
  });
  return has_parts ? "(" + text + ")" : text;
}

// Returns the tree of a text; "wrong" where it is no expression.
inline std::string tree_of(std::string text) {
  SourceManager sources;
  Diagnostics diagnostics;
  Arena arena;
  const FileId file = sources.add("test.kern", std::move(text));
  const ast::Expr* expr =
      parse_expression(sources, file, lex(sources, file, diagnostics), arena, diagnostics);
  return expr && !diagnostics.has_errors() ? tree_of(*expr, sources) : "wrong";
}

} // namespace kern
