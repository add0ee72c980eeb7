// Collects what each statement of a file makes of its names, from the first to the last. Host code is not
// run: a name that it may bind or change becomes a value of the host.
#include "compiler/check/bindings.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/check/host_blocks.h"
#include "compiler/check/host_numbers.h"
#include "compiler/types/names.h"

namespace kern::checker {

using ast::HostStatement;
using ast::NameUse;

Symbol host_symbol(HostReason reason, Span span, std::uint32_t place, std::string_view text) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Host;
  symbol.reason = reason;
  symbol.span = span;
  symbol.place = place;
  symbol.text = text;
  return symbol;
}

bool is_import(const Symbol& symbol) {
  return symbol.kind == Symbol::Kind::Import || symbol.kind == Symbol::Kind::FromImport;
}

bool is_same(const Symbol& a, const Symbol& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind) return false;
  // What a kernel may read of CuPy is NumPy's.
  auto known = [](std::string_view name) { return name == "cupy" ? "numpy" : name; };
  if (is_import(a)) return known(a.module) == known(b.module) && known(a.text) == known(b.text);
  if (a.kind != Symbol::Kind::Constant || a.op || b.op || !a.path.empty() || !b.path.empty()) return false;
  const auto *x = ast::as<ast::IntLiteral>(a.init), *y = ast::as<ast::IntLiteral>(b.init);
  return x && y && x->value == y->value;
}

bool is_same_import(const Symbol& a, const Symbol& b) { return is_import(a) && is_same(a, b); }

std::vector<Symbol>* versions_of(FileScope& file, std::string_view name) {
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

// Says whether an element of a list may be one itself. A name is none: the list that it is was handed on.
static bool may_be_list(FileScope& file, const ast::Expr* expr) {
  constexpr std::array<std::string_view, 12> numbers = {"int", "float", "bool", "complex", "abs", "len",
                                                        "sum", "round", "ord",  "hash",    "min", "max"};
  const auto* call = ast::as<ast::Call>(expr);
  if (!call) return holds_list(expr);
  if (const auto* name = ast::as<ast::Name>(call->callee)) {
    bool is_number =
        !versions_of(file, name->text) && std::ranges::find(numbers, name->text) != numbers.end();
    return !is_number ||
           std::ranges::any_of(call->args, [&](const ast::Expr* arg) { return may_be_list(file, arg); });
  }
  const auto* member = ast::as<ast::Attribute>(call->callee);
  const auto* base = member ? ast::as<ast::Name>(member->value) : nullptr;
  const std::vector<Symbol>* versions = base ? versions_of(file, base->text) : nullptr;
  const std::string_view module = versions ? versions->back().module : "";
  return module != "math" && !(module == "numpy" && find_numba_scalar(member->name));
}

// Says whether an element of a list or dict may be changed.
static bool holds_nested_list(FileScope& file, const ast::Expr* expr) {
  ast::ExprList elements;
  if (const auto* list = ast::as<ast::List>(expr)) elements = list->elements;
  if (const auto* dict = ast::as<ast::Dict>(expr)) elements = dict->values;
  bool is_literal = expr && (expr->kind == ast::Kind::List || expr->kind == ast::Kind::Dict);
  return !is_literal ||
         std::ranges::any_of(elements, [&](const ast::Expr* element) { return may_be_list(file, element); });
}

// Returns what made the object that a name is, whatever was stored into it since; null where it is no constant.
static const ast::Expr* made_by(FileScope& file, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (!versions) return nullptr;
  std::size_t i = versions->size() - 1;
  while (i > 0 && (*versions)[i].store) --i;
  return (*versions)[i].kind == Symbol::Kind::Constant && (*versions)[i].path.empty() ? (*versions)[i].init
                                                                                      : nullptr;
}

bool is_list(FileScope& file, std::string_view name) {
  std::vector<Symbol>* versions = versions_of(file, name);
  if (!versions || versions->back().kind != Symbol::Kind::Constant) return false;
  const ast::Expr* made = made_by(file, name);
  return holds_list(made ? made : versions->back().init);
}

bool changes_list(FileScope& file, std::string_view name, const NameUse& use) {
  bool is_shallow = use.kind != NameUse::Kind::Bind && (use.is_part || use.is_copy);
  return is_list(file, name) && !(is_shallow && !holds_nested_list(file, made_by(file, name)));
}

// Returns the element that a statement stores into: `name[i] = value`, `name[i] += value`; null where it is
// another one.
static const ast::Subscript* stored_element(const ast::Stmt& stmt) {
  const ast::Expr* target = nullptr;
  if (const auto* assign = ast::as<ast::Assign>(&stmt)) target = assign->targets.front();
  if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) target = augmented->target;
  return ast::as<ast::Subscript>(target);
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
      if (!changes || !changes_list(file, use.name, use)) continue;
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

  // Adds a store into an element: by a constant it makes a constant of the name again.
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

  // Says whether all of a `try` runs, so that its clauses do not.
  bool runs_whole(const HostStatement& statement) const {
    return statement.kind == HostStatement::Kind::Try &&
           std::ranges::all_of(statement.guarded, [&](const ast::Stmt* stmt) {
             const auto* import = ast::as<ast::Import>(stmt);
             // Only a program that has CuPy comes to a kernel which reads it.
             return runs(*stmt) || (import && import->module == "cupy" && only_imports(statement.guarded));
           });
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
    // A list that is handed on may be changed elsewhere, so what is made of it here is no constant either.
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
    case HostStatement::Kind::Plain: break;
    }
    if (!statement.launched.empty()) file.launched.try_emplace(statement.launched, statement.span.begin);
    doubt(statement.uses, end);
    hand_on(statement.uses, end);
    bind(statement.uses, end);
    if (!statement.clauses.empty())
      add_choice(statement);
    else if (statement.body)
      add_inner(statement);
  }

  // Adds the names that the clauses of a statement bind, one of which may have run before what follows.
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
    bool is_one = !in_block.empty() && std::ranges::all_of(in_block, [&](const Symbol& each) {
      return is_same_import(each, in_block.front());
    });
    if (!is_one) return;
    std::vector<Symbol>& versions = file.symbols[name]; // a name that nothing binds has no entry
    bool is_alone =
        versions.size() <= in_block.size() && std::ranges::all_of(versions, [&](const Symbol& each) {
          return each.kind == Symbol::Kind::Host && each.reason == HostReason::Bound &&
                 each.span.begin >= statement.begin && each.span.end <= statement.end;
        });
    if (!is_alone) return;
    const std::uint32_t place = versions.empty() ? in_block.front().place : versions.back().place;
    versions.assign({in_block.front()});
    versions.back().place = place;
  }

  void add_from_block(FileScope& block, std::string_view name, const HostStatement& statement) {
    const Symbol* chosen = nullptr;
    const std::vector<Symbol>* in_block = versions_of(block, name);
    if (!in_block) return;
    for (const Symbol& version : *in_block) {
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
      if (runs_whole(statement)) {
        for (const ast::Stmt* stmt : statement.guarded) add_item(context, file, *stmt);
        continue;
      }
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

} // namespace

void bind_names(Context& context, FileScope& file) {
  if (file.is_numba()) return Binder{context, file}.add_all();
  for (const ast::Stmt* item : file.tree->items) add_item(context, file, *item);
}

} // namespace kern::checker
