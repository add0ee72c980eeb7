// What a name of a file is, in Python's order: its top level runs from the first statement to the last, and a
// kernel reads what a name is when it is first launched. Host code is not run: a name that it may bind or
// change becomes a value of the host. In a .kern file nothing but items binds names, and a constant may be
// used before it is defined.
#include <algorithm>
#include <array>
#include <complex>
#include <map>
#include <set>

#include "compiler/ast/host_modules.h"
#include "compiler/check/checker.h"
#include "compiler/check/host_blocks.h"
#include "compiler/check/host_numbers.h"

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

// Says whether a constant is a list or dict, or holds one: its elements may be changed behind its name.
static bool holds_list(const ast::Expr* expr) {
  if (!expr) return false;
  if (expr->kind == ast::Kind::List || expr->kind == ast::Kind::Dict) return true;
  if (const auto* call = ast::as<ast::Call>(expr)) {
    const auto* callee = ast::as<ast::Name>(call->callee);
    return callee && (callee->text == "list" || callee->text == "dict");
  }
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

// Says whether an element of a list or dict may be changed.
static bool holds_nested_list(const ast::Expr* expr) {
  ast::ExprList elements;
  if (const auto* list = ast::as<ast::List>(expr)) elements = list->elements;
  if (const auto* dict = ast::as<ast::Dict>(expr)) elements = dict->values;
  bool is_literal = expr && (expr->kind == ast::Kind::List || expr->kind == ast::Kind::Dict);
  if (!is_literal) return true;
  return std::any_of(elements.begin(), elements.end(), [](const ast::Expr* element) {
    return element->kind == ast::Kind::Name || element->kind == ast::Kind::Call || holds_list(element);
  });
}

// Returns what made the object that a name is, whatever was stored into it since; null where it is no constant.
static const ast::Expr* made_by(FileScope& file, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (!versions) return nullptr;
  std::size_t i = versions->size() - 1;
  while (i > 0 && ((*versions)[i].store || (*versions)[i].loop)) --i;
  return (*versions)[i].kind == Symbol::Kind::Constant && (*versions)[i].path.empty() ? (*versions)[i].init
                                                                                      : nullptr;
}

static bool is_list(FileScope& file, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (!versions || versions->back().kind != Symbol::Kind::Constant) return false;
  const ast::Expr* made = made_by(file, name);
  return holds_list(made ? made : versions->back().init);
}

// Returns the element that a statement stores into: `name[i] = value`, `name[i] += value`; null where it is
// another one.
static const ast::Subscript* stored_element(const ast::Stmt& stmt) {
  const ast::Expr* target = nullptr;
  if (const auto* assign = ast::as<ast::Assign>(&stmt)) target = assign->targets.front();
  if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) target = augmented->target;
  return ast::as<ast::Subscript>(target);
}

// ---- What may be changed ----

template <std::size_t N>
static bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a function does with an array that it is given.
enum class Handling : std::uint8_t { Reads, Views, Changes };

static Handling handling_of(FileScope& file, std::string_view callee) {
  static constexpr std::array<std::string_view, 9> python = {"format", "float",   "int",  "bool", "abs",
                                                             "round",  "complex", "hash", "type"};
  static constexpr std::array<std::string_view, 9> changing = {
      "put", "copyto", "fill_diagonal", "place", "putmask", "put_along_axis", "shuffle", "at", "partial"};
  static constexpr std::array<std::string_view, 31> viewing = {"asarray",
                                                               "asanyarray",
                                                               "ascontiguousarray",
                                                               "asfortranarray",
                                                               "require",
                                                               "ravel",
                                                               "reshape",
                                                               "transpose",
                                                               "squeeze",
                                                               "atleast_1d",
                                                               "atleast_2d",
                                                               "atleast_3d",
                                                               "broadcast_to",
                                                               "swapaxes",
                                                               "moveaxis",
                                                               "rollaxis",
                                                               "expand_dims",
                                                               "flip",
                                                               "fliplr",
                                                               "flipud",
                                                               "rot90",
                                                               "diagonal",
                                                               "diag",
                                                               "split",
                                                               "array_split",
                                                               "hsplit",
                                                               "vsplit",
                                                               "real",
                                                               "imag",
                                                               "frombuffer",
                                                               "broadcast_arrays"};
  const std::string_view last = callee.substr(callee.rfind('.') + 1);
  if (last.starts_with("assert")) return Handling::Reads;
  const std::string_view first = callee.substr(0, callee.find('.'));
  FileScope* scope = &file;
  while (scope && !versions_of(*scope, first)) scope = scope->parent;
  if (!scope) return callee == first && is_in(python, callee) ? Handling::Reads : Handling::Changes;
  const Symbol& symbol = versions_of(*scope, first)->back();
  if (callee == first && symbol.host && !symbol.host->changes_params) return Handling::Reads;
  bool is_import = symbol.kind == Symbol::Kind::Import || symbol.kind == Symbol::Kind::FromImport;
  if (!is_import) return Handling::Changes;
  const bool is_numpy = symbol.module == "numpy" || symbol.module.starts_with("numpy.");
  if (is_numpy && is_in(changing, last)) return Handling::Changes;
  if (is_numpy) return is_in(viewing, last) ? Handling::Views : Handling::Reads;
  const bool is_cuda = symbol.text == "cuda" || symbol.module == "numba.cuda" || symbol.module == "math";
  return is_cuda ? Handling::Reads : Handling::Changes;
}

// Says whether a use may change an object, or give it another name.
static Handling handling_of(FileScope& file, const NameUse& use) {
  if (use.kind == NameUse::Kind::Alias) return Handling::Views;
  if (use.kind == NameUse::Kind::SetAttribute) return Handling::Changes;
  if (use.kind != NameUse::Kind::HandOn) return Handling::Reads;
  return use.callee.empty() ? Handling::Changes : handling_of(file, use.callee);
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
      bool changes = use.kind == NameUse::Kind::Bind || handling_of(file, use) != Handling::Reads;
      if (!changes || !is_list(file, use.name)) continue;
      bool is_shallow = use.kind != NameUse::Kind::Bind && (use.is_part || use.is_copy);
      if (is_shallow && !holds_nested_list(made_by(file, use.name))) continue;
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

  // Notes what may change an array from a place on: it is handed on, or another name for it is.
  void doubt(std::span<const NameUse> uses, std::uint32_t place) {
    for (const NameUse& use : uses) {
      const Handling handling = handling_of(file, use);
      if (handling == Handling::Changes)
        file.doubts[use.name].push_back({place, use.span, false, use.is_part});
      if (use.kind == NameUse::Kind::Bind && use.is_in_place) doubt_aliases(use, place);
      if (handling != Handling::Views || use.is_copy) continue;
      for (const NameUse& other : uses) {
        bool is_target = other.kind == NameUse::Kind::Bind || other.kind == NameUse::Kind::SetAttribute ||
                         (other.kind == NameUse::Kind::HandOn && other.callee.empty());
        if (is_target && other.name != use.name) add_alias(other.name, use);
      }
    }
  }

  void add_alias(std::string_view name, const NameUse& use) {
    file.aliases[name].push_back({use.name, use.is_part});
    file.aliases[use.name].push_back({name, use.is_part});
  }

  // name += value changes the array, of which the names that it had before are names too.
  void doubt_aliases(const NameUse& use, std::uint32_t place) {
    for (const Alias& alias : file.aliases[use.name])
      file.doubts[alias.name].push_back({place, use.span, false, alias.is_part});
  }

  // What stores into an element by a constant makes a constant of the name again.
  bool add_store(const HostStatement& statement, const ast::Stmt& item) {
    const ast::Subscript* element = stored_element(item);
    if (!element) return false;
    const std::string_view name = ast::get<ast::Name>(*element->value).text;
    std::vector<Symbol>* versions = versions_of(file, name);
    Symbol symbol;
    if (const auto* augmented = ast::as<ast::AugAssign>(&item)) {
      symbol.op = augmented->op;
      symbol.init = augmented->value;
    } else {
      symbol.init = ast::get<ast::Assign>(item).value;
    }
    symbol.store = element;
    add_change(statement, name, versions, std::move(symbol), element->span);
    return true;
  }

  // The loops that fill arrays; false where it stores into what it binds itself, which may be a part of another array.
  bool add_loop(const HostStatement& statement) {
    const std::uint32_t place = statement.span.end;
    std::set<std::string_view> names, bound;
    std::vector<NameUse> others;
    for (const NameUse& use : statement.uses) {
      if (use.kind == NameUse::Kind::HandOn && use.callee.empty()) names.insert(use.name);
      if (use.kind == NameUse::Kind::Bind) bound.insert(use.name);
    }
    for (std::string_view name : names)
      if (bound.contains(name)) return false;
    for (const NameUse& use : statement.uses)
      if (!names.contains(use.name)) others.push_back(use);
    doubt(others, place);
    hand_on(others, place);
    bind(statement.uses, place);
    for (std::string_view name : names) {
      Symbol symbol;
      symbol.loop = statement.loop;
      symbol.init = statement.loop->iterable;
      add_change(statement, name, versions_of(file, name), std::move(symbol), statement.loop->span);
    }
    return true;
  }

  // Adds what a name is behind a statement that changes it; an object with other names is in doubt with them.
  void add_change(const HostStatement& statement, std::string_view name, std::vector<Symbol>* versions,
                  Symbol symbol, Span span) {
    const std::uint32_t place = statement.span.end;
    symbol.kind = Symbol::Kind::Constant;
    symbol.span = span;
    symbol.place = place;
    std::vector<NameUse> others;
    for (const NameUse& use : statement.uses)
      if (use.name != name) others.push_back(use);
    if (symbol.store) {
      hand_on(others, place);
      doubt(others, place);
    }
    if (!versions) return;
    // A list or dict takes the object itself, an array its numbers.
    for (const NameUse& use : others)
      if (symbol.store && is_list(file, name) && handling_of(file, use) == Handling::Views)
        add_alias(name, use);
    const bool is_alone = !file.aliases.contains(name);
    const Symbol& before = versions->back();
    if ((before.kind == Symbol::Kind::Constant || before.choice) && is_alone)
      versions->push_back(std::move(symbol));
    else if (is_list(file, name))
      versions->push_back(host_symbol(HostReason::Changed, span, place));
    else
      file.doubts[name].push_back({place, span, false, false});
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
    if (!is_function && items.size() == 1 && add_store(statement, *items.front())) return;
    std::span<const NameUse> uses = is_function ? statement.head_uses : statement.uses;
    doubt(uses, statement.span.end);
    bool hands_on = hand_on(uses, statement.span.end);
    for (const ast::Stmt* item : items)
      if (!hands_on || is_function) add_item(context, file, *item);
    // Host code may call a function that could be compiled too.
    if (is_function && statement.body) file.symbols[statement.name].back().host = &statement;
    // What another name was made of that may be changed is no constant either.
    if (hands_on && !is_function) bind(statement.uses, statement.span.end);
    for (const ast::Stmt* item : items)
      if (const auto* assign = ast::as<ast::Assign>(item); assign && assign->targets.size() > 1)
        share(statement, assign->value);
  }

  // A = B = value makes names of one object.
  void share(const HostStatement& statement, const ast::Expr* value) {
    const NameUse* first = nullptr;
    for (const NameUse& use : statement.uses) {
      if (use.kind != NameUse::Kind::Bind) continue;
      if (first && first->name != use.name) add_alias(use.name, *first);
      if (!first) first = &use;
      if (holds_list(value))
        file.symbols[use.name].push_back(host_symbol(HostReason::Changed, use.span, statement.span.end));
    }
  }

  void add_skipped(const HostStatement& statement) {
    std::uint32_t end = statement.span.end;
    switch (statement.kind) {
    case HostStatement::Kind::Function:
      doubt(statement.head_uses, end);
      hand_on(statement.head_uses, end);
      file.symbols[statement.name].push_back(
          host_symbol(HostReason::Function, statement.name_span, end, statement.why));
      file.symbols[statement.name].back().host = &statement;
      return;
    case HostStatement::Kind::Class:
      doubt(statement.uses, end);
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
    if (statement.loop && add_loop(statement)) return;
    if (!statement.launched.empty()) file.launched.try_emplace(statement.launched, statement.span.begin);
    doubt(statement.uses, end);
    hand_on(statement.uses, end);
    bind(statement.uses, end);
    if (!statement.clauses.empty())
      add_choice(statement);
    else if (statement.body)
      add_inner(statement);
  }

  // What the clauses of a statement bind, one of which may have run behind it.
  void add_choice(const HostStatement& statement) {
    Choice& choice = file.choices.emplace_back();
    choice.statement = &statement;
    std::set<std::string_view> names;
    for (const ast::HostClause& clause : statement.clauses) {
      FileScope& block = add_block(context, file, *clause.block);
      choice.blocks.push_back(&block);
      for (const auto& [name, versions] : block.symbols)
        if (!versions.empty()) names.insert(name);
    }
    for (std::string_view name : names) {
      std::vector<Symbol>& versions = file.symbols[name];
      bool is_new = versions.empty() || versions.back().place != statement.span.end;
      if (is_new) versions.push_back(host_symbol(HostReason::Bound, statement.span, statement.span.end));
      versions.back().choice = &choice;
    }
  }

  // The functions and classes inside of a statement that is none of the known ones.
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

  // Returns the file of a module, or the scope of a class, that a name is, perhaps through other names.
  FileScope* members_of(FileScope& from, std::string_view name, const Symbol** module = nullptr,
                        int depth = 0) {
    constexpr int longest_chain = 8;
    FileScope* scope = &from;
    while (scope && !versions_of(*scope, name)) scope = scope->parent;
    if (!scope || depth > longest_chain) return nullptr;
    const Symbol& base = versions_of(*scope, name)->back();
    if (base.kind == Symbol::Kind::Host && base.host && base.host->kind == HostStatement::Kind::Class)
      return scope_inside(*scope, *base.host);
    if (base.kind == Symbol::Kind::Constant && base.path.empty()) {
      const auto* call = ast::as<ast::Call>(base.init);
      const auto* other = ast::as<ast::Name>(call ? call->callee : base.init);
      return other && other->text != name ? members_of(*scope, other->text, module, depth + 1) : nullptr;
    }
    if (base.kind == Symbol::Kind::FromImport) {
      if (FileScope* file_below = find_file(context, *scope, module_below(base.module, base.text)))
        return file_below;
      FileScope* other = find_file(context, *scope, base.module);
      return other ? members_of(*other, base.text, module, depth + 1) : nullptr;
    }
    if (base.kind != Symbol::Kind::Import) return nullptr;
    return find_file(context, *scope, base.module);
  }

  // name.attribute = value, name.A.attribute = value
  void set_attribute(const NameUse& use) {
    std::vector<Symbol>* versions = versions_of(file, use.name);
    FileScope* members = members_of(file, use.name);
    std::string_view attribute = use.attribute;
    for (std::size_t dot; members && (dot = attribute.find('.')) != attribute.npos;) {
      members = members_of(*members, attribute.substr(0, dot));
      attribute.remove_prefix(dot + 1);
    }
    if (members) {
      members->changed.try_emplace(attribute, host_symbol(HostReason::Bound, use.span, 0));
      return;
    }
    if (!versions) return;
    const Symbol& base = versions->back();
    if (base.kind == Symbol::Kind::Import || base.kind == Symbol::Kind::FromImport)
      context.host_changes.insert(
          {base.kind == Symbol::Kind::Import ? base.module : base.text, use.attribute});
  }

  void change(FileScope& scope, std::string_view name, const NameUse& use) {
    if (is_list(scope, name))
      scope.changed.try_emplace(name, host_symbol(HostReason::Changed, use.span, 0));
    else
      scope.doubts[name].push_back({0, use.span, true, use.is_part});
  }

  // A change of an object that another file, or a class, has a name for.
  void change_elsewhere(const NameUse& use) {
    if (handling_of(file, use) == Handling::Reads) return;
    std::vector<Symbol>* versions = versions_of(file, use.name);
    if (versions && versions->back().kind == Symbol::Kind::FromImport)
      if (FileScope* other = find_file(context, file, versions->back().module))
        change(*other, versions->back().text, use);
    FileScope* members = members_of(file, use.name);
    if (!members) return;
    if (!use.attribute.empty()) return change(*members, use.attribute, use);
    // Whoever has a class may set its attributes.
    if (members->is_class() && use.kind == NameUse::Kind::HandOn)
      members->changed.try_emplace("*", host_symbol(HostReason::Bound, use.span, 0));
  }

  // Says whether an object that one of the names stands for may be changed.
  bool is_in_doubt(std::span<const NameUse> uses) const {
    std::vector<std::string_view> names;
    std::set<std::string_view> seen;
    for (const NameUse& use : uses)
      if (use.kind != NameUse::Kind::Read && use.kind != NameUse::Kind::Alias && seen.insert(use.name).second)
        names.push_back(use.name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (file.doubts.contains(names[i])) return true;
      if (auto aliases = file.aliases.find(names[i]); aliases != file.aliases.end())
        for (const Alias& alias : aliases->second)
          if (seen.insert(alias.name).second) names.push_back(alias.name);
    }
    return false;
  }

  // What the methods of a class do to its own attributes.
  void apply_methods(const HostStatement& statement) {
    FileScope* members = scope_inside(file, statement);
    if (!members) return;
    for (const NameUse& use : statement.uses) {
      const bool is_own = use.name == "cls" || use.name == "self";
      const bool sets = use.kind == NameUse::Kind::SetAttribute && use.name == "cls";
      if (sets) members->changed.try_emplace(use.attribute, host_symbol(HostReason::Bound, use.span, 0));
      if (is_own && use.kind == NameUse::Kind::HandOn && !use.attribute.empty())
        change(*members, use.attribute, use);
    }
  }

  void apply(std::span<const NameUse> uses, bool is_body) {
    for (const NameUse& use : uses) {
      if (use.kind == NameUse::Kind::SetAttribute) set_attribute(use);
      if (use.kind == NameUse::Kind::HandOn ||
          (use.kind == NameUse::Kind::Alias && (is_body || is_in_doubt(uses))))
        change_elsewhere(use);
      if (!is_body) continue;
      if (use.kind == NameUse::Kind::Bind)
        file.changed.try_emplace(use.name, host_symbol(HostReason::Bound, use.span, 0));
      if (versions_of(file, use.name) && use.kind != NameUse::Kind::Bind &&
          handling_of(file, use) != Handling::Reads)
        change(file, use.name, use);
    }
  }

  void find() {
    std::set<std::string_view> called = called_names();
    for (const HostStatement& statement : file.tree->statements) {
      if (statement.kind == HostStatement::Kind::Class) apply_methods(statement);
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

static std::optional<Doubt> doubt_of(Context& context, FileScope& file, std::string_view name, Symbol& symbol,
                                     const NameReader& reader);

// Returns what a name is for the functions of a block: what the block binds it to once, as long as nothing else
// may bind it behind the block.
static Symbol* symbol_of_block(Context& context, FileScope& block, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(block, name);
  if (!versions || versions->size() != 1 || versions->front().kind == Symbol::Kind::Host) return nullptr;
  bool is_constant = versions->front().kind == Symbol::Kind::Constant;
  if (is_constant && doubt_of(context, block, name, versions->front(), {})) return nullptr;
  for (FileScope* outer = block.parent; outer; outer = outer->parent) {
    if (outer->changed.contains(name)) return nullptr;
    if (const std::vector<Symbol>* later = versions_of(*outer, name))
      for (const Symbol& version : *later) {
        const bool is_of_block =
            version.choice && version.choice->statement->span.begin <= block.owner->span.begin;
        if (version.place > block.owner->span.end && !is_of_block) return nullptr;
      }
    if (!is_block(*outer)) break;
  }
  return &versions->front();
}

// ---- What a clause binds ----

// Returns whether a condition of the top level holds; nothing where that is not known.
static std::optional<bool> holds(Context& context, FileScope& file, const ast::Expr& condition) {
  const bool was_enabled = context.diagnostics.enabled();
  context.diagnostics.set_enabled(false);
  const Value value = constant_of_expr(context, file, condition);
  context.diagnostics.set_enabled(was_enabled);
  if (value.kind == ValueKind::None) return false;
  if (value.kind == ValueKind::String) return !value.text.empty();
  if (!is_constant_number(value)) return std::nullopt;
  std::optional<std::complex<double>> number = constant_complex(value);
  return number ? std::optional(*number != 0.0) : std::nullopt;
}

static void decide(Context& context, FileScope& file, Choice& choice) {
  if (choice.state != Choice::State::New) return;
  choice.state = Choice::State::Deciding;
  std::span<const ast::HostClause> clauses = choice.statement->clauses;
  for (std::size_t i = 0; i <= clauses.size(); ++i) {
    choice.is_decided = i == clauses.size() || clauses[i].is_else;
    if (i < clauses.size() && clauses[i].is_else) choice.taken = i;
    if (choice.is_decided) break;
    std::optional<bool> runs =
        clauses[i].condition ? holds(context, file, *clauses[i].condition) : std::nullopt;
    if (!runs) break;
    if (!*runs) continue;
    choice.is_decided = true;
    choice.taken = i;
    break;
  }
  choice.state = Choice::State::Done;
}

static bool is_given_to_numba(const Symbol& symbol) {
  return symbol.function && !symbol.function->def->decorators.empty();
}

// Returns what a name is behind a statement that binds it in some of its clauses; null where it stays what it was.
// Where nobody knows which clause runs, the only one that makes a function or import of the name counts, or the
// only one that gives its function to Numba: others stand in for it where there is no GPU.
static Symbol* chosen(Context& context, FileScope& file, std::string_view name, Symbol& symbol) {
  Choice& choice = *symbol.choice;
  decide(context, file, choice);
  auto bound_in = [&](FileScope& block) -> Symbol* {
    if (!versions_of(block, name)) return nullptr;
    Symbol* found = find_own_symbol(context, block, name, {});
    if (!found) return nullptr;
    if (found->home) return found;
    Symbol& at_home = file.made.emplace_back(*found);
    at_home.home = &block;
    at_home.place = symbol.place;
    return &at_home;
  };
  if (choice.is_decided) return choice.taken ? bound_in(*choice.blocks[*choice.taken]) : nullptr;
  bool had_before = versions_of(file, name)->front().place < symbol.place;
  std::vector<Symbol*> found;
  for (FileScope* block : choice.blocks)
    if (Symbol* each = bound_in(*block)) found.push_back(each);
  std::size_t given = static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](const Symbol* each) { return is_given_to_numba(*each); }));
  if (given == 1 && !had_before)
    return *std::find_if(found.begin(), found.end(),
                         [](const Symbol* each) { return is_given_to_numba(*each); });
  // Branches may import the same from packages that have each other's names.
  const bool is_one = !found.empty() && std::all_of(found.begin(), found.end(), [&](const Symbol* each) {
    const bool is_import = each->kind == Symbol::Kind::Import || each->kind == Symbol::Kind::FromImport;
    return each == found.front() || (is_import && is_same(*each, *found.front()));
  });
  bool is_alone = is_one && !had_before;
  bool is_certain = is_alone && (found.front()->kind == Symbol::Kind::Function || found.front()->host ||
                                 found.front()->kind == Symbol::Kind::Import ||
                                 found.front()->kind == Symbol::Kind::FromImport);
  return is_certain ? found.front() : &symbol;
}

// ---- Arrays that may be changed ----

// Says whether a value is an object of which a part may be changed; of `is_part`, a part of a part.
static bool can_change(const Value& value, bool is_part) {
  if (value.kind == ValueKind::Table)
    return !is_part || !is_scalar(value.type) || extents_of(value).size() > 1;
  if (value.kind == ValueKind::Dict) return true;
  if (!is_tuple(value)) return false;
  if (is_constant_array(value)) return !is_part || extents_of(value).size() > 1;
  return std::any_of(value.elements.begin(), value.elements.end(),
                     [](const Value& element) { return can_change(element, false); });
}

// Returns what may have changed the object that a constant is, before it is read; nothing where nothing may.
static std::optional<Doubt> doubt_of(Context& context, FileScope& file, std::string_view name, Symbol& symbol,
                                     const NameReader& reader) {
  if (file.doubts.empty()) return std::nullopt;
  std::uint32_t last = reader.place.value_or(~std::uint32_t{0});
  if (reader.function && reader.function->file == &file)
    if (auto first = file.launched.find(reader.function->def->name); first != file.launched.end())
      last = first->second;
  std::vector<Alias> names{{name, false}};
  std::set<std::string_view> seen{name};
  std::optional<Doubt> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (auto doubts = file.doubts.find(names[i].name); doubts != file.doubts.end())
      for (const Doubt& doubt : doubts->second) {
        bool counts = doubt.is_any_time || (doubt.place > symbol.place && doubt.place <= last);
        bool is_part = names[i].is_part || (doubt.is_part && names[i].name == name);
        if (counts && (!found || (found->is_part && !is_part))) found = doubt, found->is_part = is_part;
      }
    if (auto aliases = file.aliases.find(names[i].name); aliases != file.aliases.end())
      for (const Alias& alias : aliases->second)
        if (seen.insert(alias.name).second) names.push_back({alias.name, alias.is_part || names[i].is_part});
  }
  if (!found || symbol.state == Symbol::State::Evaluating) return std::nullopt;
  const bool was_enabled = context.diagnostics.enabled();
  context.diagnostics.set_enabled(false);
  const Value value = Checker(context, &file, nullptr).symbol_value(file, name, symbol, symbol.span);
  context.diagnostics.set_enabled(was_enabled);
  return can_change(value, found->is_part) ? found : std::nullopt;
}

Symbol* find_own_symbol(Context& context, FileScope& file, std::string_view name, const NameReader& reader) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (versions && versions->front().is_given) return &versions->front();
  Symbol* found = Search{context, name, {&file}}.version_at(file, reader.place.value_or(~std::uint32_t{0}));
  while (found && found->choice) {
    Symbol* in_clause = chosen(context, file, name, *found);
    const std::uint32_t begin = found->choice->statement->span.begin;
    if (in_clause == found) break;
    const bool had_before = versions->front().place <= begin;
    found = in_clause || !had_before ? in_clause : Search{context, name, {&file}}.version_at(file, begin);
    if (in_clause) break;
  }
  if (auto changed = file.changed.find(name); changed != file.changed.end()) return &changed->second;
  if (found && found->kind == Symbol::Kind::Constant && file.is_numba())
    if (std::optional<Doubt> doubt = doubt_of(context, file, name, *found, reader)) {
      Symbol changed = host_symbol(HostReason::Changed, doubt->span, found->place);
      return &file.made.emplace_back(changed);
    }
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
    if (scope->is_round) {
      std::vector<Symbol>* own = versions_of(*scope, name);
      if (own && owner) *owner = scope;
      if (own) return &own->back();
      continue;
    }
    // What runs in a block sees what the statements before it have bound there.
    const std::vector<Symbol>* in_block =
        inner.place && is_block(*scope) ? versions_of(*scope, name) : nullptr;
    Symbol* found = in_block && in_block->front().place <= *inner.place
                        ? find_own_symbol(context, *scope, name, inner)
                    : is_block(*scope) ? symbol_of_block(context, *scope, name)
                    : is_hidden        ? nullptr
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
