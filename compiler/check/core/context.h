// The state that all checkers of a compilation share.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/check/core/instance.h"

namespace kern::checker {

// One signature of a function.
struct DeclaredTypes {
  std::vector<Type> params;
  std::optional<Type> result; // nothing where the signature leaves it to the function
};

// One function with `@overload`.
struct Overload {
  const values::FunctionData* function = nullptr;
  values::Value target;           // what it is of: a function, or a name of a module
  bool is_cuda = false;           // it is for this target alone, and asked before those for any
  bool asks_for_literals = false; // its code speaks of types of literals, which calls do not give here
  bool prefers_literals = false;  // and Numba gives it those first

  std::string_view name() const { return function->statement->name; }
  Span name_span() const { return function->statement->name_span; }
  std::span<const ast::Param> params() const { return function->statement->params; }
};

struct Checker;
struct Context;
struct HostNames; // host_names.h
struct Target;    // targets.h

// What operations on values and calls ask of the code above them, which goes over trees.
struct Hooks {
  void (*infer)(Context&, Instance&);          // rounds.h
  ir::FunctionId (*emit)(Context&, Instance&); // rounds.h
  std::optional<Target> (*find_target)(Checker&, Span place);
  // Calls a function of the module cmath; nothing where the standard library is not there.
  std::optional<Value> (*call_complex)(Checker&, std::string_view function, std::vector<Value> args, Span);
};

struct Context {
  const Program& program;
  const CheckOptions& options;
  Diagnostics& diagnostics;
  const Hooks& hooks;
  ir::Module module;
  std::vector<std::unique_ptr<FileScope>> files;
  std::map<std::string, std::unique_ptr<Instance>> instances;
  std::unique_ptr<HostNames> host; // what names of .py files are; null where there is none
  std::vector<Instance*> active;   // being inferred or emitted, outer first
  // Rounds that found something new in an instance of a circle of calls that is not its head.
  std::size_t circle_changes = 0;
  std::set<std::tuple<std::string_view, FileId, std::uint32_t>> reported;
  std::map<std::pair<const ast::FunctionDef*, std::size_t>, bool> constant_params; // see constant_params.h
  std::map<std::string, LiteralFamily> literal_families;                           // see shared_literals.h
  std::map<const FunctionSymbol*, std::vector<DeclaredTypes>> declared_types;      // see declared_types.h
  std::optional<std::vector<Overload>> overloads; // of all files, once a call asked for them
  std::deque<ir::ConstantDecl> tables;            // what values of kind Table are, but those of -D
  std::set<std::vector<Local*>> literal_lists;    // see Value::literals
  std::string_view constant_name; // of the constant of a module being evaluated, for the names of records
  std::size_t open_constants = 0; // being evaluated, each for the one before it
  std::size_t statements = 0;     // of the functions emitted so far
  std::size_t steps = 0;          // of the work done so far, in rounds that are thrown away too
  std::optional<Span> too_large;  // where either was more than the limit

  Context(const Program& loaded, const CheckOptions& wanted, Diagnostics& sink, const Hooks& above);
  ~Context();
  std::string_view source(Span span) const { return program.sources->text(span); }
};

} // namespace kern::checker
