// What a name of a file is, in Python's order: its top level runs from the first statement to the last, and a
// kernel reads what a name is when it is first launched. Host code is not run: a name that it may bind or
// change becomes a value of the host. In a .kern file nothing but items binds names, and a constant may be
// used before it is defined.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "compiler/ast/host_modules.h"
#include "compiler/check/checker.h"
#include "compiler/check/host_blocks.h"

namespace kern::checker {

using ast::HostStatement;
using ast::NameUse;

static Symbol host_symbol(HostReason reason, Span span, std::uint32_t place, std::string_view text = {}) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Host;
  symbol.reason = reason;
  symbol.span = span;
  symbol.place = place;
  symbol.text = text;
  return symbol;
}

// Says whether two bindings make the same of a name: scripts repeat their imports and settings.
static bool is_same(const Symbol& a, const Symbol& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind) return false;
  bool is_import = a.kind == Symbol::Kind::Import || a.kind == Symbol::Kind::FromImport;
  if (is_import) return a.module == b.module && a.text == b.text;
  if (a.kind != Symbol::Kind::Constant || a.op || b.op || !a.path.empty() || !b.path.empty()) return false;
  const auto *x = ast::as<ast::IntLiteral>(a.init), *y = ast::as<ast::IntLiteral>(b.init);
  return x && y && x->value == y->value;
}

static std::vector<Symbol>* versions_of(FileScope& file, std::string_view name) {
  auto found = file.symbols.find(name);
  return found == file.symbols.end() || found->second.empty() ? nullptr : &found->second;
}

// Says whether a constant is a list, or holds one: its elements may be changed behind its name.
static bool holds_list(const ast::Expr* expr) {
  if (!expr) return false;
  if (expr->kind == ast::Kind::List) return true;
  if (const auto* tuple = ast::as<ast::Tuple>(expr))
    return std::any_of(tuple->elements.begin(), tuple->elements.end(), holds_list);
  if (const auto* starred = ast::as<ast::Starred>(expr)) return holds_list(starred->value);
  if (const auto* binary = ast::as<ast::Binary>(expr))
    return holds_list(binary->left) || holds_list(binary->right);
  if (const auto* choice = ast::as<ast::Conditional>(expr))
    return holds_list(choice->then_value) || holds_list(choice->else_value);
  if (const auto* either = ast::as<ast::BoolOp>(expr))
    return std::any_of(either->operands.begin(), either->operands.end(), holds_list);
  return false;
}

static bool is_list(FileScope& file, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(file, name);
  return versions && versions->back().kind == Symbol::Kind::Constant && holds_list(versions->back().init);
}

namespace {

// Goes through the statements of a .py file in their order.
struct Binder {
  Context& context;
  FileScope& file;

  // A list that is handed on may have other names afterwards, and be changed by them.
  bool hand_on(std::span<const NameUse> uses, std::uint32_t place) {
    bool any = false;
    for (const NameUse& use : uses) {
      bool changes = use.kind == NameUse::Kind::HandOn || use.kind == NameUse::Kind::Bind;
      if (!changes || !is_list(file, use.name)) continue;
      file.symbols[use.name].push_back(host_symbol(HostReason::Changed, use.span, place));
      any = true;
    }
    return any;
  }

  void bind(std::span<const NameUse> uses, std::uint32_t place) {
    for (const NameUse& use : uses)
      if (use.kind == NameUse::Kind::Bind && use.name != "*")
        file.symbols[use.name].push_back(host_symbol(HostReason::Bound, use.span, place));
  }

  void mention(std::span<const NameUse> uses, std::uint32_t place) {
    for (const NameUse& use : uses) {
      file.mentions[use.name].push_back(place);
      if (use.kind == NameUse::Kind::Bind && use.name == "*")
        file.changed.try_emplace("*", host_symbol(HostReason::Bound, use.span, place));
    }
  }

  bool finds(std::string_view module) const {
    constexpr std::array<std::string_view, 7> installed = {"numba", "numba_cuda_mlir", "numpy", "math",
                                                           "cmath", "operator",        "typing"};
    std::string_view front = module.substr(0, module.find('.'));
    bool is_installed = std::find(installed.begin(), installed.end(), front) != installed.end();
    return is_installed || find_file(context, file, module);
  }

  bool runs(const ast::Stmt& stmt) const {
    if (const auto* import = ast::as<ast::Import>(&stmt)) return finds(import->module);
    const auto* from = ast::as<ast::FromImport>(&stmt);
    if (!from) return true;
    FileScope* other = find_file(context, file, from->module);
    if (!other) return finds(from->module);
    return std::all_of(from->names.begin(), from->names.end(), [&](const ast::ImportedName& name) {
      return name.name == "*" || defines(*other, name.name) ||
             find_file(context, file, module_below(from->module, name.name));
    });
  }

  static bool defines(const FileScope& other, std::string_view name) {
    for (const ast::Stmt* item : other.tree->items) {
      const auto* assign = ast::as<ast::Assign>(item);
      const auto* target = assign ? ast::as<ast::Name>(assign->targets.front()) : nullptr;
      const auto* annotated = ast::as<ast::AnnAssign>(item);
      if (annotated) target = ast::as<ast::Name>(annotated->target);
      const auto* def = ast::as<ast::FunctionDef>(item);
      if ((target && target->text == name) || (def && def->name == name)) return true;
      if (const auto* from = ast::as<ast::FromImport>(item))
        for (const ast::ImportedName& imported : from->names)
          if (imported.alias == name) return true;
    }
    return false;
  }

  static bool only_imports(ast::Block items) {
    return std::all_of(items.begin(), items.end(), [](const ast::Stmt* item) {
      return item->kind == ast::Kind::Import || item->kind == ast::Kind::FromImport;
    });
  }

  void add_items(const HostStatement& statement, ast::Block items) {
    if (items.empty() || only_imports(items)) {
      for (const ast::Stmt* item : items) add_item(context, file, *item);
      return;
    }
    bool is_function = statement.kind == HostStatement::Kind::Function;
    bool hands_on = hand_on(is_function ? statement.head_uses : statement.uses, statement.span.end);
    for (const ast::Stmt* item : items)
      if (!hands_on || is_function) add_item(context, file, *item);
    // Host code may call a function that could be compiled too.
    if (is_function && statement.body) file.symbols[statement.name].back().host = &statement;
    // What another name was made of that may be changed is no constant either.
    if (hands_on && !is_function) bind(statement.uses, statement.span.end);
  }

  void add_skipped(const HostStatement& statement) {
    std::uint32_t end = statement.span.end;
    switch (statement.kind) {
    case HostStatement::Kind::Function:
      hand_on(statement.head_uses, end);
      file.symbols[statement.name].push_back(
          host_symbol(HostReason::Function, statement.name_span, end, statement.why));
      file.symbols[statement.name].back().host = &statement;
      return;
    case HostStatement::Kind::Class:
      hand_on(statement.uses, end);
      bind(statement.uses, end);
      file.symbols[statement.name].push_back(host_symbol(HostReason::Class, statement.name_span, end));
      file.symbols[statement.name].back().host = &statement;
      return;
    case HostStatement::Kind::Try:
      if (std::all_of(statement.guarded.begin(), statement.guarded.end(),
                      [&](const ast::Stmt* stmt) { return runs(*stmt); })) {
        for (const ast::Stmt* stmt : statement.guarded) add_item(context, file, *stmt);
        return;
      }
      break;
    case HostStatement::Kind::Plain: break;
    }
    hand_on(statement.uses, end);
    bind(statement.uses, end);
    if (statement.body) add_inner(statement);
  }

  // The functions and classes in the blocks of a statement, which may have run behind it. Of several of one name
  // the first that is given to Numba counts: others stand in for it where there is no GPU.
  void add_inner(const HostStatement& statement) {
    FileScope& block = add_block(context, file, statement);
    for (const HostStatement& each : statement.body->statements)
      if (each.kind == HostStatement::Kind::Function || each.kind == HostStatement::Kind::Class)
        add_from_block(block, each.name, statement);
    for (const auto& inner : block.children)
      for (const auto& [name, versions] : inner->symbols) add_from_block(block, name, statement);
    for (const auto& [name, versions] : block.symbols) add_import(versions, name, statement.span);
  }

  // An import in a block, where nothing else binds the name: a kernel that reads it can only mean the module. The branches of
  // a statement may import the same one from packages that have Numba's names.
  void add_import(const std::vector<Symbol>& in_block, std::string_view name, Span statement) {
    std::vector<Symbol>& versions = file.symbols[name];
    bool is_alone =
        versions.size() <= in_block.size() && std::ranges::all_of(versions, [&](const Symbol& each) {
          return each.kind == Symbol::Kind::Host && each.reason == HostReason::Bound &&
                 each.span.begin >= statement.begin && each.span.end <= statement.end;
        });
    bool is_import = std::ranges::all_of(in_block, [&](const Symbol& each) {
      bool imports = each.kind == Symbol::Kind::Import || each.kind == Symbol::Kind::FromImport;
      return imports && is_same(each, in_block.front());
    });
    is_import = is_import && !in_block.empty();
    if (!is_alone || !is_import) return;
    const std::uint32_t place = versions.empty() ? in_block.front().place : versions.back().place;
    versions.assign({in_block.front()});
    versions.back().place = place;
  }

  void add_from_block(FileScope& block, std::string_view name, const HostStatement& statement) {
    const Symbol* chosen = nullptr;
    for (const Symbol& version : block.symbols[name]) {
      bool defines = version.kind == Symbol::Kind::Function || version.host;
      bool is_given = version.function && !version.function->def->decorators.empty();
      bool had_given = chosen && chosen->function && !chosen->function->def->decorators.empty();
      if (defines && (!chosen || (is_given && !had_given))) chosen = &version;
    }
    if (!chosen) return;
    std::vector<Symbol>& versions = file.symbols[name];
    bool is_known = !versions.empty() && versions.back().function == chosen->function &&
                    versions.back().host == chosen->host && versions.back().kind == chosen->kind;
    if (is_known) return;
    versions.push_back(*chosen);
    versions.back().place = statement.span.end;
  }

  void add_params() {
    if (!file.owner || file.owner->kind != HostStatement::Kind::Function) return;
    for (const ast::Param& param : file.owner->params)
      file.symbols[param.name].push_back(host_symbol(HostReason::Captured, param.span, 0));
  }

  void add_all() {
    add_params();
    ast::Block items = file.tree->items;
    for (const HostStatement& statement : file.tree->statements) {
      std::size_t count = 0;
      while (count < items.size() && items[count]->span.begin < statement.span.end) ++count;
      ast::Block own = items.subspan(0, count);
      items = items.subspan(count);
      bool is_function = statement.kind == HostStatement::Kind::Function;
      bool is_import = statement.is_item && !own.empty() && only_imports(own);
      if (!is_import) mention(is_function ? statement.head_uses : statement.uses, statement.span.begin);
      if (is_function)
        for (const NameUse& use : statement.uses) file.readers[use.name].push_back(statement.name);
      if (statement.is_item)
        add_items(statement, own);
      else
        add_skipped(statement);
    }
    for (const ast::Stmt* item : items) add_item(context, file, *item);
  }
};

// What functions do that are called: at a time that nobody knows.
struct Changes {
  Context& context;
  FileScope& file;

  // Returns the names that lead to functions which are called: what runs in order mentions them, or a
  // function of the host that is called does. The functions of an imported file may be called by any other.
  std::set<std::string_view> called_names() const {
    std::multimap<std::string_view, const HostStatement*> functions;
    std::vector<std::string_view> names;
    bool is_root = !file.parent && &file == context.files.front().get();
    for (const HostStatement& statement : file.tree->statements) {
      if (statement.kind != HostStatement::Kind::Function || statement.is_jit) continue;
      functions.emplace(statement.name, &statement);
      if (!is_root || file.mentions.contains(statement.name)) names.push_back(statement.name);
    }
    std::set<std::string_view> called(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i)
      for (auto [each, end] = functions.equal_range(names[i]); each != end; ++each)
        for (const NameUse& use : each->second->uses)
          if (functions.contains(use.name) && called.insert(use.name).second) names.push_back(use.name);
    return called;
  }

  void set_attribute(const NameUse& use) {
    std::vector<Symbol>* versions = versions_of(file, use.name);
    if (!versions) return;
    const Symbol& base = versions->back();
    bool is_module = base.kind == Symbol::Kind::Import || base.kind == Symbol::Kind::FromImport;
    if (!is_module) return;
    FileScope* other = find_file(context, file, base.module);
    if (base.kind == Symbol::Kind::FromImport)
      other = find_file(context, file, module_below(base.module, base.text));
    if (other)
      other->changed.try_emplace(use.attribute, host_symbol(HostReason::Bound, use.span, 0));
    else
      context.host_changes.insert(
          {base.kind == Symbol::Kind::Import ? base.module : base.text, use.attribute});
  }

  void apply(std::span<const NameUse> uses, bool is_body) {
    for (const NameUse& use : uses) {
      if (use.kind == NameUse::Kind::SetAttribute) set_attribute(use);
      if (!is_body) continue;
      if (use.kind == NameUse::Kind::Bind)
        file.changed.try_emplace(use.name, host_symbol(HostReason::Bound, use.span, 0));
      if (use.kind == NameUse::Kind::HandOn && is_list(file, use.name))
        file.changed.try_emplace(use.name, host_symbol(HostReason::Changed, use.span, 0));
    }
  }

  void find() {
    std::set<std::string_view> called = called_names();
    for (const HostStatement& statement : file.tree->statements) {
      if (statement.kind != HostStatement::Kind::Function)
        apply(statement.uses, false);
      else if (!statement.is_jit && called.contains(statement.name))
        apply(statement.uses, true);
    }
  }
};

} // namespace

void bind_names(Context& context, FileScope& file) {
  if (file.is_numba()) return Binder{context, file}.add_all();
  for (const ast::Stmt* item : file.tree->items) add_item(context, file, *item);
}

void find_changes(Context& context, FileScope& file) { Changes{context, file}.find(); }

// Returns the places at which a function may begin to run: where something is mentioned that leads to it.
static std::span<const std::uint32_t> launches_of(FileScope& file, std::string_view function) {
  auto [known, is_new] = file.launches.try_emplace(function);
  if (!is_new) return known->second;
  std::vector<std::string_view> names{function};
  std::set<std::string_view> seen{function};
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (auto mentions = file.mentions.find(names[i]); mentions != file.mentions.end())
      places.insert(places.end(), mentions->second.begin(), mentions->second.end());
    if (auto readers = file.readers.find(names[i]); readers != file.readers.end())
      for (std::string_view reader : readers->second)
        if (seen.insert(reader).second) names.push_back(reader);
  }
  return file.launches[function] = std::move(places);
}

// What `from math import *` binds.
static bool is_in_math(std::string_view name) {
  constexpr std::array<std::string_view, 62> names = {
      "acos",      "acosh",    "asin",   "asinh", "atan",      "atan2",    "atanh",     "cbrt",  "ceil",
      "comb",      "copysign", "cos",    "cosh",  "degrees",   "dist",     "e",         "erf",   "erfc",
      "exp",       "exp2",     "expm1",  "fabs",  "factorial", "floor",    "fmod",      "frexp", "fsum",
      "gamma",     "gcd",      "hypot",  "inf",   "isclose",   "isfinite", "isinf",     "isnan", "isqrt",
      "lcm",       "ldexp",    "lgamma", "log",   "log10",     "log1p",    "log2",      "modf",  "nan",
      "nextafter", "perm",     "pi",     "pow",   "prod",      "radians",  "remainder", "sin",   "sinh",
      "sqrt",      "sumprod",  "tan",    "tanh",  "tau",       "trunc",    "ulp",       "fma"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

static bool is_known(Context& context, FileScope& file, std::string_view module, std::string_view name,
                     Span span) {
  bool was_enabled = context.diagnostics.enabled();
  context.diagnostics.set_enabled(false);
  bool known = Checker(context, &file, nullptr).host_name(module, name, span).has_value();
  context.diagnostics.set_enabled(was_enabled);
  return known;
}

// Says whether `from module import *` takes a name: not one with an underscore, unless `__all__` lists it.
// Nothing where that is not known.
static std::optional<bool> is_public(FileScope& file, std::string_view name) {
  std::vector<Symbol>* all = versions_of(file, "__all__");
  if (!all) return !name.starts_with('_');
  if (all->size() != 1 || all->front().kind != Symbol::Kind::Constant) return std::nullopt;
  ast::ExprList elements;
  if (const auto* list = ast::as<ast::List>(all->front().init)) elements = list->elements;
  if (const auto* tuple = ast::as<ast::Tuple>(all->front().init)) elements = tuple->elements;
  for (const ast::Expr* element : elements) {
    const auto* text = ast::as<ast::StringLiteral>(element);
    if (!text) return std::nullopt;
    if (text->value == name) return true;
  }
  return elements.empty() ? std::nullopt : std::optional(false);
}

namespace {

// One search for a name. Star imports lead from file to file, to each of them once.
struct Search {
  Context& context;
  std::string_view name;
  std::set<const FileScope*> visited{};

  // What a star import makes of the name: null where it leaves it alone.
  Symbol* through_star(FileScope& file, const StarImport& star, const Symbol* before) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::FromImport;
    symbol.span = star.span;
    symbol.place = star.span.end;
    symbol.module = star.module;
    symbol.text = name;
    bool is_constant = before && before->kind == Symbol::Kind::Constant;
    bool taken = false, unsure = false;
    if (FileScope* other = find_file(context, file, star.module)) {
      bool has = visited.insert(other).second && version_at(*other, ~std::uint32_t{0});
      std::optional<bool> given = is_public(*other, name);
      taken = has && given.value_or(false);
      unsure = has && !given;
    } else if (star.module == "math") {
      taken = is_in_math(name);
    } else {
      taken = is_known(context, file, star.module, name, star.span);
      unsure = !taken && is_constant;
    }
    if (!taken && !unsure) return nullptr;
    if (unsure) symbol = host_symbol(HostReason::Bound, star.span, star.span.end);
    return &file.made.emplace_back(std::move(symbol));
  }

  // What the statements before a place make of the name; its first binding where they do not bind it.
  Symbol* version_at(FileScope& file, std::uint32_t place) {
    std::vector<Symbol>* versions = versions_of(file, name);
    Symbol* found = nullptr;
    if (versions)
      for (Symbol& version : *versions)
        if (version.place <= place) found = &version;
    for (std::size_t i = file.star_imports.size(); i-- > 0;) {
      const StarImport& star = file.star_imports[i];
      if (star.span.end > place) continue;
      if (found && found->place > star.span.end) break;
      if (Symbol* symbol = through_star(file, star, found)) return symbol;
    }
    return found || !versions ? found : &versions->front();
  }
};

} // namespace

// Says whether a function that reads a name may run before the name becomes what it is at the end.
static bool runs_before(Context& context, FileScope& file, std::string_view name, const NameReader& reader,
                        const Symbol& last) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (!versions || versions->front().place >= last.place) return false;
  const std::string_view function = reader.function ? reader.function->def->name : reader.outer->name;
  const std::uint32_t begin = reader.function ? reader.function->def->span.begin : reader.outer->span.begin;
  for (std::uint32_t launch : launches_of(file, function)) {
    bool counts = launch >= begin && launch >= versions->front().place && launch < last.place;
    if (counts && !is_same(*Search{context, name}.version_at(file, launch), last)) return true;
  }
  return false;
}

// Says whether a function is defined in a scope, perhaps in a block of it.
static bool stands_in(const FunctionSymbol& function, const FileScope& scope) {
  const FileScope* at = function.file;
  while (at != &scope && is_block(*at)) at = at->parent;
  return at == &scope;
}

// Returns what a name is for the functions of a block: what the block binds it to once, as long as nothing else
// may bind it behind the block.
static Symbol* symbol_of_block(FileScope& block, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(block, name);
  if (!versions || versions->size() != 1 || versions->front().kind == Symbol::Kind::Host) return nullptr;
  for (FileScope* outer = block.parent; outer; outer = outer->parent) {
    if (outer->changed.contains(name)) return nullptr;
    if (const std::vector<Symbol>* later = versions_of(*outer, name))
      for (const Symbol& version : *later)
        if (version.place > block.owner->span.end) return nullptr;
    if (!is_block(*outer)) break;
  }
  return &versions->front();
}

Symbol* find_own_symbol(Context& context, FileScope& file, std::string_view name, const NameReader& reader) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (versions && versions->front().is_given) return &versions->front();
  Symbol* found = Search{context, name, {&file}}.version_at(file, reader.place.value_or(~std::uint32_t{0}));
  if (auto changed = file.changed.find(name); changed != file.changed.end()) return &changed->second;
  bool is_value = found && (found->kind == Symbol::Kind::Constant ||
                            (found->kind == Symbol::Kind::FromImport &&
                             (found->module == "math" || !ast::is_host_module(found->module))));
  if (auto any = file.changed.find("*"); any != file.changed.end() && is_value) return &any->second;
  bool is_read_by_function =
      found && ((reader.function && stands_in(*reader.function, file)) || reader.outer);
  if (!is_read_by_function || found->kind == Symbol::Kind::Host) return found;
  if (!runs_before(context, file, name, reader, *found)) return found;
  return &file.made.emplace_back(host_symbol(HostReason::Launched, found->span, found->place));
}

Symbol* find_symbol(Context& context, FileScope& file, std::string_view name, const NameReader& reader,
                    FileScope** owner) {
  NameReader inner = reader;
  for (FileScope* scope = &file; scope; scope = scope->parent) {
    // The names of a class are seen by its own statements only, and by a kernel that was made of a function beside it.
    bool is_made = inner.function ? inner.function->file == scope && inner.function->def->generated != nullptr
                                  : scope == &file && !inner.outer;
    bool is_hidden = scope->is_class() && !inner.place && !is_made;
    Symbol* found = is_block(*scope) ? symbol_of_block(*scope, name)
                    : is_hidden      ? nullptr
                                     : find_own_symbol(context, *scope, name, inner);
    if (found && owner) *owner = scope;
    if (found) return found;
    // A class runs where it stands, a function when it is called.
    if (is_block(*scope)) continue;
    if (!scope->is_class() || !inner.place) inner = {std::nullopt, nullptr, scope->owner};
  }
  return nullptr;
}

bool is_last_definition(const FunctionSymbol& function) {
  std::vector<Symbol>* versions = versions_of(*function.file, function.def->name);
  if (!versions) return true;
  const FunctionSymbol* last = nullptr;
  for (const Symbol& version : *versions)
    if (version.kind == Symbol::Kind::Function) last = version.function;
  return !last || last == &function;
}

} // namespace kern::checker
