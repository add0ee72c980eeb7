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
#include "compiler/driver/data/array.h"

namespace kern {

struct Scalar {
  Number number;
  std::optional<ScalarKind> kind; // as it was written, f32:2
  ScalarKind standard;            // what it is where nothing says otherwise: i64, f64, bool, c128
};

// An element of an array, by its number in C order.
struct ElementOf {
  HostArray* array;
  std::int64_t index;
};

// The text that a tuple has before its first and behind its last element.
struct TupleBrackets {
  std::string before, after;
};

struct Argument {
  std::string param;                                 // "x", of an element of a tuple "t.0"
  std::string text;                                  // as it was written
  std::variant<Scalar, HostArray, HostArray*> value; // the last is an array of an earlier stage
  HostArray* copied_from = nullptr;      // what it begins as, where that is known only when its stage begins
  std::optional<ElementOf> element = {}; // likewise where a scalar comes from
  std::size_t owner = 0;                 // the parameter in the source that it belongs to
  TupleBrackets brackets = {};
  bool is_made = false;  // nobody gave it: of a generated kernel, which makes it
  bool is_field = false; // `p.x=1`: it has the place of that field of a record

  HostArray* array() { return const_cast<HostArray*>(std::as_const(*this).array()); }
  const HostArray* array() const {
    auto* earlier = std::get_if<HostArray*>(&value);
    return earlier ? *earlier : std::get_if<HostArray>(&value);
  }
  bool is_earlier() const { return std::holds_alternative<HostArray*>(value); }
};

// An array of an earlier stage of the run, by its name.
struct EarlierArray {
  std::string_view name;
  HostArray* array;
};

// Returns the number that a parameter's default is, as text; nothing where it is none.
using DefaultText = std::function<std::optional<std::string>(const ast::Expr&)>;

// Reads one argument for each parameter, in their order; what is wrong is reported. A word that is the name of
// an earlier array means that array, and `t[0]` the scalar that is there when the stage begins.
std::vector<Argument> read_arguments(const ast::FunctionDef& kernel, const DefaultText& default_text,
                                     Dialect dialect, std::span<const std::string> words,
                                     std::span<const EarlierArray> earlier, Diagnostics& diagnostics);

// Returns the type that an argument gives to a parameter without one, in words of both dialects: "float32[:,
// :]".
std::string type_text(const Argument& argument);

} // namespace kern
