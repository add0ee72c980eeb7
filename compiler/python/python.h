// Runs the Python of a program forward, once, and says what each name is that its kernels read. Host code that cannot be
// followed makes unknown what it may reach; nothing is reported here.
//
// check/ makes values of the types of kernels of it (host_names.h). tests/fuzz/host_names.py holds what is said here against
// Python and NumPy.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/support/arena.h"
#include "compiler/values/value.h"

namespace kern::python {
struct Scope;
}

namespace kern::values {

// A function that a `def` or `lambda` made, each time that it ran.
struct FunctionData {
  std::uint32_t serial = 0;
  const ast::HostStatement* statement =
      nullptr;                           // null of a lambda, and of a kernel that a decorator generated
  const ast::FunctionDef* def = nullptr; // null of one that no kernel can call
  const python::Scope* scope = nullptr;
  const FunctionData* of =
      nullptr; // the function that a call of a decorator gave to Numba, or to nobody knows whom
  const python::Scope* made_in = nullptr; // where that call stands
  const ast::Expr* wrapped_by = nullptr;  // what `f = wrap(f)` calls, of which nobody knows what it does
  std::span<const Value> defaults;        // of its last parameters
  std::span<const Value> decorators; // what they are, the first one first; of `cuda.jit(f)` what is called
  bool is_jit = false;               // a decorator or call gives it to Numba
  bool is_delayed = false;           // a call of it runs nothing yet: a generator, or of `async def`
  bool is_wrapped = false;           // what the host calls by its name is something else, which nobody knows
  bool is_device = false;
};

} // namespace kern::values

namespace kern::python {

// A file of the program, by the names that its imports have for others.
struct SourceFile {
  const ast::Module* tree = nullptr;
  bool is_python = true; // else its names are none of Python's
  std::vector<std::pair<std::string, std::size_t>> imports = {};
  std::string_view module = {}; // its dotted name; "" for the root
};

// -D NAME=VALUE, or NAME=FILE.py:VALUE; NAME may be dotted: "make.n", "module.N", "Class.N".
struct Given {
  std::string path;
  const ast::Expr* value = nullptr;
  std::optional<std::size_t> file = {}; // whose name `of_file` is at its end
  std::string of_file = {};
};

struct Limits {
  std::size_t steps =
      1 << 16; // expressions and statements run, and names joined, while calls and loops are followed
  std::size_t elements = 1 << 16; // that a loop goes over
  std::size_t numbers = 1 << 20;  // of arrays, made and read
  std::size_t calls = 50;         // each inside of the one before it
  std::size_t depth =
      500; // of statements and expressions, where a call begins: the stack of a thread is small
};

// What a reader sees.
struct Found {
  values::Value value;
  Span where;             // it was bound there
  std::size_t moment = 0; // at which objects hold what the reader sees
};

// A function that a kernel can call.
struct CompiledFunction {
  const values::FunctionData* data = nullptr;
  std::string path;      // of the functions and classes around it and its own name: "make.k"
  std::string root_name; // a name of the root file that is it at the end, "k" or "Class.k"; "" where none is
  bool is_compiled = false; // Numba is given it, or such a one leads to it
  bool is_of_call = false;  // a call that was followed made it

  // Says whether a `def` made it, in no function or class.
  bool is_at_top() const { return !is_of_call && path.find('.') == path.npos && data->def->name != "lambda"; }
  // Returns its own name, the last part of its path.
  std::string_view name() const { return std::string_view(path).substr(path.rfind('.') + 1); }
  // Says whether a path means it, whole or behind the names of what is around it.
  bool is_named(std::string_view ending) const {
    return path == ending || (path.ends_with(ending) && path[path.size() - ending.size() - 1] == '.');
  }
};

// Answers what python/ can't say of a Foreign: the result of a function of Python or of a module with one among its arguments,
// or inside of a tuple there; nothing where that is not known. Operators have the names of the module `operator`, `if` asks
// "bool", and attributes "getattr".
using Ask =
    std::function<std::optional<values::Value>(std::string_view path, std::span<const values::Value> args)>;

class HostModules {
public:
  using Ask = python::Ask;
  HostModules();
  HostModules(HostModules&&) noexcept;
  HostModules& operator=(HostModules&&) noexcept;
  ~HostModules();
  // Returns what a name of the top level of a file is at the end.
  std::optional<Found> at_end(std::size_t file, std::string_view name) const;
  // Returns what a name is for a function, when a launch first runs it: one that nobody calls sees what is there at the end.
  std::optional<Found> find(const values::FunctionData& reader, std::string_view name) const;
  // The same for the function of a definition that the code around it makes without a call, last.
  std::optional<Found> find(const ast::FunctionDef& reader, std::string_view name) const;
  // Returns an attribute of what was found, as the same reader sees it.
  std::optional<Found> attribute(const Found& of, std::string_view name) const;
  // Returns what a list, a dict (keys and values in turn), or a tuple, named or not, held at a moment; nothing where that is
  // not known.
  std::optional<std::span<const values::Value>> elements(std::size_t moment,
                                                         const values::Value& object) const;
  // Returns the numbers of an array at a moment; nothing where they are not known.
  std::optional<values::Numbers> numbers(std::size_t moment, const values::Array& array) const;
  // Returns all functions that have a definition, in the order in which they were made; of lambdas those that are compiled.
  std::vector<CompiledFunction> functions() const;
  // Returns the function of a definition that the code around it makes without a call, last; the last one that a call made
  // where there is none.
  const values::FunctionData* function_of(const ast::FunctionDef& def) const;
  // Returns the function of a number; null where there is none.
  const values::FunctionData* function_at(std::uint32_t serial) const;
  std::string path_of(const values::FunctionData& function) const;
  // Returns the file in which a function stands.
  static std::size_t file_of(const values::FunctionData& function);
  // Returns the functions above which a decorator stands, alone or called, that is a name of Numba with this end: ".overload".
  std::vector<const values::FunctionData*> decorated_by(std::string_view ending) const;
  // Returns the last function that the code where this one stands defines by its name.
  const values::FunctionData* last_of_name(const values::FunctionData& function) const;
  // Returns what a name is where the code ended in which a function was made.
  std::optional<Found> beside(const values::FunctionData& function, std::string_view name) const;
  // Returns the name that a term has at the end in one of the files; "" where none binds it.
  std::string_view name_of(const values::TermData& term) const;
  // Says whether code of the program sets an attribute of a module that Kern knows, or one of which nobody knows the name.
  bool is_assigned(std::string_view module, std::string_view name) const;
  // Says whether -D gives something: a name at the top level, or in a function, class or file that is there.
  bool is_used(std::string_view given) const;
  // Returns what -D gives by that whole name: "N", "make.n".
  std::optional<Found> given(std::string_view path) const;
  // Evaluates an expression as the body of a function sees it, or the top level of a file where there is none, at the end;
  // calls of Python's functions that are not computed are terms. Nothing else sees what it makes or changes.
  std::optional<Found> evaluate(const ast::Expr& expr, const values::FunctionData* reader,
                                std::size_t file) const;
  // Calls a function of the host as the code that reads it would, and returns what it returns: nothing where the arguments are
  // none that it has, and None where it raises, as a program that runs asks for no such value. What is not known says which
  // statement nobody can decide or what is not computed. Functions that it made see its names. Nothing else does.
  std::optional<Found> call(const values::FunctionData& function, std::span<const values::Value> args,
                            std::span<const values::NamedValue> keywords, const Ask& ask) const;
  // Returns the names in sight there.
  std::vector<std::string_view> names(const values::FunctionData* reader, std::size_t file) const;
  // Returns how -D names what is read there by a name: "N", "make.n", "module.N".
  std::string define_name(const values::FunctionData* reader, std::size_t file, std::string_view name) const;
  // Returns the names of the elements of what a class of named tuples makes.
  std::vector<std::string_view> field_names(const Found& of) const;
  // Says whether the run met a limit, so that something is not known for it.
  bool is_limited() const;
  // Prints a value with what its objects hold.
  std::string print(const Found& found) const;
  // Returns the definition and the name of a function; null of one that could not be parsed as a kernel may be.
  static const ast::FunctionDef* definition(const values::Function& function);

private:
  friend HostModules run(const SourceManager&, std::span<const SourceFile>, std::span<const Given>, Limits,
                         std::function<bool(std::string_view, std::string_view)>);
  struct State;
  std::size_t moment_of(const values::FunctionData& reader) const;
  template <class Answer>
  auto answer_at(const values::FunctionData* reader, std::size_t file, const Answer& answer) const;
  std::unique_ptr<State> state_;
};

// Says whether a module that Kern knows has a name, "numba.types" and "float32": which `import *` binds.
using Knows = std::function<bool(std::string_view module, std::string_view name)>;

HostModules run(const SourceManager& sources, std::span<const SourceFile> files,
                std::span<const Given> given = {}, Limits limits = {}, Knows knows = {});

} // namespace kern::python
