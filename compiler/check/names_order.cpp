// Finds what a name of a file is, in Python's order: its top level runs from the first statement to the last,
// and a kernel reads what a name is when it is first launched. Host code is not run: a name that it may bind
// or change becomes a value of the host. In a .kern file nothing but items binds names, and a constant may be
// used before it is defined.
#include <algorithm>
#include <complex>
#include <set>

#include "compiler/ast/host_modules.h"
#include "compiler/check/bindings.h"
#include "compiler/check/checker.h"
#include "compiler/check/host_blocks.h"
#include "compiler/check/host_numbers.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

using ast::HostStatement;
using ast::NameUse;

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

static bool is_known(Context& context, FileScope& file, std::string_view module, std::string_view name,
                     Span span) {
  const ReportingScope quiet(context.diagnostics, false);
  return Checker(context, &file, nullptr).host_name(module, name, span).has_value();
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

  // Returns what a star import makes of the name; null where it leaves it alone.
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
      taken = std::ranges::find(ast::math_names(), name) != ast::math_names().end();
    } else {
      taken = is_known(context, file, star.module, name, star.span);
      unsure = !taken && is_constant;
    }
    if (!taken && !unsure) return nullptr;
    if (unsure) symbol = host_symbol(HostReason::Bound, star.span, star.span.end);
    return &file.made.emplace_back(std::move(symbol));
  }

  // Returns what the statements before a place make of the name; its first binding where they do not bind it.
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
  const ReportingScope quiet(context.diagnostics, false);
  const Value value = constant_of_expr(context, file, condition);
  if (value.kind == ValueKind::None) return false;
  if (value.kind == ValueKind::String) return !value.text.empty();
  if (!is_constant_number(value)) return std::nullopt;
  std::optional<std::complex<double>> number = constant_complex(value);
  return number ? std::optional(*number != 0.0) : std::nullopt;
}

void decide(Context& context, FileScope& file, Choice& choice) {
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

// Returns what a name is behind a statement that binds it in some of its clauses; null where it stays what it
// was. If nobody knows which clause runs, the only one that makes a function or import of the name counts, or
// the only one that gives its function to Numba: others stand in for it where there is no GPU.
static Symbol* chosen(Context& context, FileScope& file, std::string_view name, Symbol& symbol) {
  Choice& choice = *symbol.choice;
  decide(context, file, choice);
  auto bound_in = [&](FileScope& block) -> Symbol* {
    if (!versions_of(block, name)) return nullptr;
    Symbol* found = find_own_symbol(context, block, name, {});
    if (!found) return nullptr;
    if (found->home) return found;
    // One symbol for all readers: it knows that it is being evaluated.
    for (Symbol& known : file.made)
      if (known.home == &block && known.kind == found->kind && known.span.begin == found->span.begin &&
          known.span.end == found->span.end)
        return &known;
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
    return each == found.front() || is_same_import(*each, *found.front());
  });
  bool is_alone = is_one && !had_before;
  bool is_certain = is_alone && (found.front()->kind == Symbol::Kind::Function || found.front()->host ||
                                 is_import(*found.front()));
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
        if (seen.insert(alias.name).second) {
          // A part of a list may be the whole object.
          bool is_part = alias.is_part && !is_list(file, names[i].name);
          names.push_back({alias.name, is_part || names[i].is_part});
        }
  }
  if (!found || symbol.state == Symbol::State::Evaluating) return std::nullopt;
  const ReportingScope quiet(context.diagnostics, false);
  const Value value = Checker(context, &file, nullptr).symbol_value(file, name, symbol, symbol.span);
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
    // Code that runs in a block sees what the statements before it have bound there.
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
