// The arguments of `kernc run`: words become scalars and arrays, by name or in the order of the kernel's
// parameters.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/check/dialect.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/driver/run/array.h"

namespace kern {

struct Scalar {
  Number number;
  std::optional<ScalarKind> kind; // as it was written, f32:2
  ScalarKind standard;            // what it is where nothing says otherwise: i64, f64, bool, c128
};

struct Argument {
  std::string param;
  std::string text; // as it was written
  std::variant<Scalar, HostArray> value;

  HostArray* array() { return std::get_if<HostArray>(&value); }
  const HostArray* array() const { return std::get_if<HostArray>(&value); }
};

// Returns the number that a parameter's default is, as text; nothing where it is none.
using DefaultText = std::function<std::optional<std::string>(const ast::Expr&)>;

// Reads one argument for each parameter, in their order; what is wrong is reported.
std::vector<Argument> read_arguments(const ast::FunctionDef& kernel, const DefaultText& default_text,
                                     Dialect dialect, std::span<const std::string> words,
                                     Diagnostics& diagnostics);

// Returns the type that an argument gives to a parameter without one, in words of both dialects: "float32[:,
// :]".
std::string type_text(const Argument& argument);

} // namespace kern
