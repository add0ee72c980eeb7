// The items of a .py file. All else in it is host code: an item that is not meant for Kern is parsed aside,
// and passed over by its tokens where that fails.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ast/imports.h"
#include "compiler/parse/parser.h"

namespace kern {

using ast::Stmt;

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

// Returns what the last `name = value` at the top level gives a name; null where there is none.
static const ast::Expr* value_of(std::span<const Stmt* const> items, std::string_view name) {
  for (std::size_t i = items.size(); i-- > 0;) {
    const auto* assign = ast::as<ast::Assign>(items[i]);
    const auto* target =
        assign && assign->targets.size() == 1 ? ast::as<ast::Name>(assign->targets[0]) : nullptr;
    if (target && target->text == name) return assign->value;
  }
  return nullptr;
}

// Returns what `name = chain` at the top level makes the name of, where it is no import: "cuda.jit" of `gpu`.
static std::string_view alias_of(const Parser& parser, std::span<const Stmt* const> items,
                                 std::string_view name) {
  const auto* chain = ast::as<ast::Attribute>(value_of(items, name));
  return chain ? parser.sources.text(chain->span) : std::string_view{};
}

// Returns where the line ends that goes on here: at its Newline, or the end of the file.
static std::size_t line_end(const Parser& parser, std::size_t offset) {
  while (!parser.at(TokenKind::Newline, offset) && !parser.at(TokenKind::EndOfFile, offset)) ++offset;
  return offset;
}

// Says whether what stands below the decorators here is a class.
static bool decorates_class(const Parser& parser) {
  std::size_t offset = 0;
  while (parser.at(TokenKind::At, offset)) offset = line_end(parser, offset) + 1;
  return parser.at(TokenKind::Class, offset);
}

// Says whether a token of the decorator here is a text, `cuda`, or `target=name` a name of it: the target of what Numba
// makes a kernel of.
static bool has_cuda_target(const Parser& parser, std::span<const Stmt* const> items, std::size_t offset) {
  for (const std::size_t end = line_end(parser, offset); offset < end; ++offset) {
    const std::string_view text = parser.text(parser.peek(offset));
    if (text == "'cuda'" || text == "\"cuda\"") return true;
    const bool is_target = text == "target" && parser.at(TokenKind::Equal, offset + 1);
    const std::string_view name = is_target ? parser.text(parser.peek(offset + 2)) : "";
    const auto* string = ast::as<ast::StringLiteral>(value_of(items, name));
    if (string && string->value == "cuda") return true;
  }
  return false;
}

enum class DecoratorUse {
  Kernel,  // Kern's business: its errors are reported
  HostJit, // compiled for the host, but a kernel may call it
  Host
};

// Says what the decorators ahead make of the function or class below them.
static DecoratorUse decorator_use(const Parser& parser, std::span<const Stmt* const> items) {
  DecoratorUse use = DecoratorUse::HostJit;
  for (std::size_t offset = 0; parser.at(TokenKind::At, offset); offset = line_end(parser, offset) + 1) {
    DecoratorName name = decorator_name(parser, offset + 1);
    std::optional<ast::Imported> from;
    if (name.prefix.empty()) from = ast::imported(items, name.last);
    std::string_view alias = name.prefix.empty() && !from ? alias_of(parser, items, name.last) : "";
    if (!alias.empty()) name = {alias.substr(0, alias.rfind('.') + 1), alias.substr(alias.rfind('.') + 1)};
    if (from && (from->module == "numba" || from->module == "numba.cuda")) name.last = from->name;
    bool from_host = from ? from->module == "numba" : is_host_prefix(name.prefix, items);
    bool host_jit = name.last == "njit" || (name.last == "jit" && from_host);
    // Other packages have decorators of these names, too.
    bool is_word = name.last == "kernel" || name.last == "device" || name.last == "struct";
    bool kernel = name.last == "jit" || (is_word && (name.prefix.empty() || name.prefix == "kern."));
    const bool is_ufunc = from_host && (name.last == "vectorize" || name.last == "guvectorize");
    if (is_ufunc && has_cuda_target(parser, items, offset)) return DecoratorUse::Kernel;
    if (kernel && !host_jit) return DecoratorUse::Kernel;
    if (!host_jit) use = DecoratorUse::Host;
  }
  return use;
}

static bool is_compound_host_statement(const Parser& parser) {
  return parser.at(TokenKind::Class) || parser.at(TokenKind::Def) || parser.at(TokenKind::At) ||
         begins_foreign_statement(parser);
}

// Says whether a statement begins here that a keyword makes one of the host, and that has no block.
static bool is_simple_keyword(const Parser& parser) {
  for (TokenKind kind :
       {TokenKind::Break, TokenKind::Continue, TokenKind::Return, TokenKind::Del, TokenKind::Global,
        TokenKind::Nonlocal, TokenKind::Assert, TokenKind::Raise, TokenKind::Pass})
    if (parser.at(kind)) return true;
  return false;
}

// Passes over one statement of the host; returns its span.
static Span skip_host_statement(Parser& parser) {
  Span start = parser.peek().span;
  if (is_compound_host_statement(parser) && !is_simple_keyword(parser)) {
    parser.skip_statement();
  } else {
    while (!parser.at_line_end() && !parser.at(TokenKind::Semicolon)) parser.advance();
  }
  Span span = parser.since(start);
  parser.accept(TokenKind::Semicolon);
  parser.accept(TokenKind::Newline);
  parser.skip_block();
  return span;
}

// Parses one item aside: where that fails nothing is reported or added, and why it fails is returned.
static std::optional<std::string> try_item(Parser& parser, std::vector<const Stmt*>& items,
                                           Diagnostics* reasons = nullptr) {
  Diagnostics aside;
  Parser trial{parser.sources, parser.file, parser.tokens,  parser.top_level,
               parser.arena,   aside,       parser.position};
  std::vector<const Stmt*> found;
  if (trial.at(TokenKind::At) || trial.at(TokenKind::Def)) {
    trial.parse_item(found);
  } else if (trial.parse_simple_item(found) && !trial.accept(TokenKind::Semicolon) &&
             !trial.accept(TokenKind::Newline) && !trial.at(TokenKind::EndOfFile)) {
    ++trial.error_count;
  }
  if (trial.error_count > 0) {
    std::string why = aside.all().empty() ? "" : aside.all().front().message;
    if (reasons) reasons->append(std::move(aside));
    return why;
  }
  parser.position = trial.position;
  items.insert(items.end(), found.begin(), found.end());
  return std::nullopt;
}

// Fills in what a simple statement here is that is no item: a call, `del`, `return`, a store to an attribute, `global`.
void Parser::parse_simple_host(ast::HostStatement& statement) const {
  Diagnostics aside;
  Parser trial{sources, file, tokens, top_level, arena, aside, position};
  statement.is_nonlocal = at(TokenKind::Nonlocal);
  if (trial.accept(TokenKind::Global) || trial.accept(TokenKind::Nonlocal)) {
    std::vector<std::string_view> names;
    do {
      if (trial.at(TokenKind::Name)) names.push_back(text(trial.peek()));
    } while (trial.accept(TokenKind::Name) && trial.accept(TokenKind::Comma));
    statement.outer_names = arena.copy(names);
    return;
  }
  trial.loop_depth = 1;
  const Stmt* stmt = trial.parse_simple_statement();
  bool is_whole = trial.at_line_end() || trial.at(TokenKind::Semicolon);
  if (stmt && trial.error_count == 0 && is_whole) statement.simple = arena.copy(std::vector{stmt});
}

void Parser::parse_host_item(std::vector<const Stmt*>& items, std::vector<ast::HostStatement>& statements) {
  const std::size_t begin = position, count = items.size();
  Span start = peek().span;
  bool host = at(TokenKind::Class) || at(TokenKind::Indent) || begins_foreign_statement(*this);
  ast::HostStatement statement;
  DecoratorUse use = DecoratorUse::Host;
  if (at(TokenKind::At)) {
    use = decorator_use(*this, items);
    statement.is_jit = use != DecoratorUse::Host;
    host = use != DecoratorUse::Kernel && decorates_class(*this);
  }
  // An error inside of host code is one only where a kernel that needs it is asked for.
  bool is_kernel = use == DecoratorUse::Kernel && host_depth == 0;
  if (is_kernel && !refused) {
    parse_item(items);
    statement.span = since(start);
    statement.is_item = true;
  } else {
    std::optional<std::string> why =
        host ? std::string() : try_item(*this, items, is_kernel ? refused : nullptr);
    statement.is_item = !why;
    const bool is_simple = !is_compound_host_statement(*this) || is_simple_keyword(*this);
    if (why && is_simple) parse_simple_host(statement);
    statement.span = why ? skip_host_statement(*this) : since(start);
    if (why) statement.why = arena.copy(std::string_view(*why));
  }
  parse_host_body(begin, statement);
  const bool is_docstring = statement.is_item && !is_kernel && items.size() == count;
  if (!is_docstring) statements.push_back(statement);
}

} // namespace kern
