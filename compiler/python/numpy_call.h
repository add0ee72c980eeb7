// The arguments of a call of NumPy by the names of its parameters. Private to python/.
#pragma once

#include "compiler/python/interpreter.h"

namespace kern::python {

struct NumpyCall {
  Interpreter& run;
  const Interpreter::Arguments& args;
  std::string_view params; // with a blank between each two

  // Says whether each argument has a parameter.
  bool fits() const;
  // Return an argument; null where it is not given, or None for the second one.
  const Value* given(std::string_view name) const;
  const Value* get(std::string_view name) const;
  std::optional<WideInt> integer(std::string_view name, std::optional<WideInt> otherwise = {}) const;
  // Returns the type that `dtype` says; nothing where that is not known.
  std::optional<Type> dtype(Type otherwise) const;
  // Says whether `order` asks for the first axis to be the one whose numbers lie side by side; K and A leave it as it was.
  bool is_fortran(bool before) const;
};

// A function or a method of NumPy that python/ computes, by its name and its parameters.
using Made = std::optional<Value>;
struct NumpyFunction {
  std::string_view name, params;
  Made (*make)(const NumpyCall& call);
};
Made call_of(std::span<const NumpyFunction> functions, std::string_view name, Interpreter& run,
             const Interpreter::Arguments& args);

} // namespace kern::python
