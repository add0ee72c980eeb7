// Imports.
#include "compiler/ast/host_modules.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Stmt;

// dotted_name = name ("." name)*; empty where it was reported
std::string_view Parser::parse_dotted_name() {
  std::string joined;
  do {
    const Token& name = peek();
    if (!expect(TokenKind::Name, "the name of a module")) return {};
    joined += joined.empty() ? "" : ".";
    joined += text(name);
  } while (accept(TokenKind::Dot));
  return arena.copy(joined);
}

// import = "import" dotted_name ("as" name)? ("," dotted_name ("as" name)?)*
bool Parser::parse_import(std::vector<const Stmt*>& out) {
  advance();
  do {
    Span start = peek().span;
    std::string_view module = parse_dotted_name();
    if (module.empty()) return false;
    std::string_view alias = module.substr(0, module.find('.'));
    bool is_renamed = accept(TokenKind::As);
    if (is_renamed) {
      alias = text(peek());
      if (!expect(TokenKind::Name, "a name after `as`")) return false;
    }
    auto* node = arena.make<ast::Import>(since(start));
    node->module = module;
    node->alias = alias;
    node->is_renamed = is_renamed;
    out.push_back(node);
  } while (accept(TokenKind::Comma));
  return true;
}

// Parses one name of a from-import.
static bool parse_imported_name(Parser& parser, std::vector<ast::ImportedName>& names) {
  const Token& name = parser.peek();
  if (!parser.expect(TokenKind::Name, "a name to import")) return false;
  std::string_view alias = parser.text(name);
  if (parser.accept(TokenKind::As)) {
    alias = parser.text(parser.peek());
    if (!parser.expect(TokenKind::Name, "a name after `as`")) return false;
  }
  names.push_back({parser.text(name), alias, parser.since(name.span)});
  return true;
}

// Parses the module of a from-import: dots, a dotted name, or both. A module of Numba has the name that Numba
// gives it, whichever package offers it. Empty where it was reported.
static std::string_view parse_from_module(Parser& parser) {
  std::string dots;
  while (parser.at(TokenKind::Dot) || parser.at(TokenKind::Ellipsis)) dots += parser.text(parser.advance());
  if (!dots.empty() && parser.at(TokenKind::Import)) return parser.arena.copy(dots);
  std::string_view name = parser.parse_dotted_name();
  if (name.empty() || dots.empty()) return ast::canonical_module(name);
  return parser.arena.copy(dots + std::string(name));
}

// from_import = "from" "."* dotted_name? "import" ("*" | names | "(" names ","? ")")
bool Parser::parse_from_import(std::vector<const Stmt*>& out) {
  Span start = advance().span;
  Span module_start = peek().span;
  std::string_view module = parse_from_module(*this);
  if (module.empty()) return false;
  Span module_span = since(module_start);
  if (!expect(TokenKind::Import, "`import` after the module")) return false;
  std::vector<ast::ImportedName> names;
  const Token& open = peek();
  if (accept(TokenKind::Star)) {
    names.push_back({"*", "*", open.span});
  } else {
    bool bracket = accept(TokenKind::LeftParen);
    do {
      if (bracket && !names.empty() && at(TokenKind::RightParen)) break;
      if (!parse_imported_name(*this, names)) return false;
    } while (accept(TokenKind::Comma));
    if (bracket && !close(open, TokenKind::RightParen, "`,`")) return false;
  }
  auto* node = arena.make<ast::FromImport>(since(start));
  node->module = module;
  node->module_span = module_span;
  node->names = arena.copy(names);
  out.push_back(node);
  return true;
}

} // namespace kern
