// A file's items. In a .kern file everything else is an error. In a .py file everything else is host code: an
// item that is not meant for Kern is first parsed in silence, and passed over by its tokens where that fails.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ast/imports.h"
#include "compiler/diagnostics/parse.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Expr;
using ast::Stmt;

static constexpr std::string_view only_items = "it holds imports, constants, structs and functions";

namespace {

// Keeps diagnostics silent as long as it lives.
struct Silence {
  explicit Silence(Diagnostics& diagnostics) : diagnostics_(diagnostics), before_(diagnostics.enabled()) {
    diagnostics_.set_enabled(false);
  }
  Silence(const Silence&) = delete;
  ~Silence() { diagnostics_.set_enabled(before_); }

private:
  Diagnostics& diagnostics_;
  bool before_;
};

} // namespace

static bool is_name_target(const Expr* target) {
  if (ast::as<ast::Name>(target)) return true;
  auto* tuple = ast::as<ast::Tuple>(target);
  return tuple && std::all_of(tuple->elements.begin(), tuple->elements.end(), is_name_target);
}

static bool is_constant(const Stmt* stmt) {
  if (auto* assign = ast::as<ast::Assign>(stmt))
    return std::all_of(assign->targets.begin(), assign->targets.end(), is_name_target);
  auto* annotated = ast::as<ast::AnnAssign>(stmt);
  return annotated && annotated->value && ast::as<ast::Name>(annotated->target);
}

static bool is_docstring(const Stmt* stmt) {
  auto* expr = ast::as<ast::ExprStmt>(stmt);
  return expr && ast::as<ast::StringLiteral>(expr->value);
}

// Parses one simple item; false where it was reported or is none.
static bool parse_simple_item(Parser& parser, std::vector<const Stmt*>& items) {
  if (parser.at(TokenKind::Import)) return parser.parse_import(items);
  if (parser.at(TokenKind::From)) return parser.parse_from_import(items);
  const Stmt* stmt = parser.parse_simple_statement();
  if (!stmt || is_docstring(stmt)) return stmt;
  if (is_constant(stmt)) {
    items.push_back(stmt);
    return true;
  }
  if (ast::as<ast::AnnAssign>(stmt) && parser.at_line_end()) {
    parser.expected("`=` and the value of the constant");
    return true;
  }
  std::string_view what = ast::as<ast::ExprStmt>(stmt) ? "an expression" : "this statement";
  parser.report(stmt->span, diag::foreign_code, what, only_items);
  return true;
}

static bool begins_foreign_statement(const Parser& parser) {
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
           "write `@struct` on the line before it where it is a struct");
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
    if (!parse_simple_item(*this, items)) return skip_statement();
  } while (accept(TokenKind::Semicolon));
  if (!at_line_end()) {
    unexpected_end();
    return skip_statement();
  }
  accept(TokenKind::Newline);
}

// The attribute chain behind an `@`: its last name, and what stands before it.
struct DecoratorName {
  std::string_view prefix; // "cuda." of "cuda.jit"
  std::string_view last;
};

static DecoratorName decorator_name(const Parser& parser, std::size_t offset) {
  Span start = parser.peek(offset).span;
  Span last = start;
  while (parser.at(TokenKind::Name, offset)) {
    last = parser.peek(offset).span;
    if (!parser.at(TokenKind::Dot, offset + 1)) break;
    offset += 2;
  }
  return {parser.sources.text({start.file, start.begin, last.begin}), parser.sources.text(last)};
}

// Says whether `jit` with this prefix is Numba's for the host: `numba.jit`, `nb.jit`.
static bool is_host_prefix(std::string_view prefix, std::span<const Stmt* const> items) {
  return std::any_of(items.begin(), items.end(), [&](const Stmt* item) {
    auto* import = ast::as<ast::Import>(item);
    return import && import->module == "numba" && prefix == std::string(import->alias) + ".";
  });
}

enum class DecoratorUse {
  Kernel,  // Kern's business: its errors are reported
  HostJit, // compiled for the host, but a kernel may call it
  Host
};

// Says what the decorators ahead make of the function or class below them.
static DecoratorUse decorator_use(const Parser& parser, std::span<const Stmt* const> items) {
  DecoratorUse use = DecoratorUse::HostJit;
  for (std::size_t offset = 0; parser.at(TokenKind::At, offset); ++offset) {
    DecoratorName name = decorator_name(parser, offset + 1);
    std::optional<ast::Imported> from;
    if (name.prefix.empty()) from = ast::imported(items, name.last);
    if (from && (from->module == "numba" || from->module == "numba.cuda")) name.last = from->name;
    bool from_host = from ? from->module == "numba" : is_host_prefix(name.prefix, items);
    bool host_jit = name.last == "njit" || (name.last == "jit" && from_host);
    bool kernel =
        name.last == "jit" || name.last == "kernel" || name.last == "device" || name.last == "struct";
    if (kernel && !host_jit) return DecoratorUse::Kernel;
    if (!host_jit) use = DecoratorUse::Host;
    while (!parser.at(TokenKind::Newline, offset) && !parser.at(TokenKind::EndOfFile, offset)) ++offset;
  }
  return use;
}

static bool is_compound_host_statement(const Parser& parser) {
  return parser.at(TokenKind::Class) || parser.at(TokenKind::Def) || parser.at(TokenKind::At) ||
         begins_foreign_statement(parser);
}

// Passes over one statement of the host and records it.
static void skip_host_statement(Parser& parser, std::vector<Span>& skipped) {
  Span start = parser.peek().span;
  if (is_compound_host_statement(parser)) {
    parser.skip_statement();
  } else {
    while (!parser.at_line_end() && !parser.at(TokenKind::Semicolon)) parser.advance();
  }
  skipped.push_back(parser.since(start));
  parser.accept(TokenKind::Semicolon);
  parser.accept(TokenKind::Newline);
  parser.skip_block();
}

// Parses one item in silence; false, and nothing added, where it is none.
static bool try_item(Parser& parser, std::vector<const Stmt*>& items) {
  Silence silence(parser.diagnostics);
  std::size_t position = parser.position, errors = parser.error_count, count = items.size();
  if (parser.at(TokenKind::At) || parser.at(TokenKind::Def)) {
    parser.parse_item(items);
  } else if (parse_simple_item(parser, items) && !parser.accept(TokenKind::Semicolon) &&
             !parser.accept(TokenKind::Newline) && !parser.at(TokenKind::EndOfFile)) {
    ++parser.error_count;
  }
  if (parser.error_count == errors) return true;
  parser.position = position;
  items.resize(count);
  return false;
}

void Parser::parse_lenient_item(std::vector<const Stmt*>& items, std::vector<Span>& skipped) {
  bool host = at(TokenKind::Class) || at(TokenKind::Indent) || begins_foreign_statement(*this);
  if (at(TokenKind::At)) {
    DecoratorUse use = decorator_use(*this, items);
    if (use == DecoratorUse::Kernel) return parse_item(items);
    host = use == DecoratorUse::Host;
  }
  if (host || !try_item(*this, items)) skip_host_statement(*this, skipped);
}

const ast::Module* Parser::parse_module() {
  std::vector<const Stmt*> items;
  std::vector<Span> skipped;
  while (!at(TokenKind::EndOfFile)) {
    if (accept(TokenKind::Newline) || accept(TokenKind::Dedent)) continue;
    if (top_level == TopLevel::Lenient)
      parse_lenient_item(items, skipped);
    else
      parse_item(items);
  }
  return arena.make<ast::Module>(file, arena.copy(items), arena.copy(skipped));
}

} // namespace kern
