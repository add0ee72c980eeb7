// The Signature column of the table as data, and what arguments make of it. Every row is parsed while the
// compiler is compiled: a row that cannot be read is an error there.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/types/types.h"

namespace kern {

// A set of scalar types: what a type parameter may be, or a class stands for.
struct ScalarSet {
  std::uint32_t bits = 0;
  constexpr bool contains(ScalarKind kind) const { return (bits >> static_cast<int>(kind) & 1) != 0; }
  constexpr bool operator==(const ScalarSet&) const = default;
};

// The kinds of arguments that a parameter takes; the words stand at the top of builtins.def.
enum class BuiltinParamKind : std::uint8_t {
  Scalar,    // value: f32: one of `allowed`; with one type in it that type
  Variable,  // value: T
  ArrayOf,   // array: T[...]
  Index,     // index: index
  Count,     // delta: count
  Lanes,     // mask: lanes
  Condition, // predicate: condition
  Literal,   // n: literal
  Shape,     // shape: shape
  TypeName,  // dtype: type
  Any,       // items: any
};

struct BuiltinParam {
  std::string_view name;
  BuiltinParamKind kind{};
  ScalarSet allowed;              // Scalar
  std::uint8_t variable = 0;      // Variable, ArrayOf: which type parameter
  bool variadic = false;          // *name: any number of arguments, none too
  std::string_view default_value; // as written; "" where the argument must be given
};

struct BuiltinTypeParam {
  std::string_view name;
  ScalarSet allowed;
};

// One result: a type, a type parameter, or neither where the checker finds it (of a Syntax row).
struct BuiltinResult {
  ScalarSet type;            // one type, or none
  std::int8_t variable = -1; // which type parameter
  bool is_unsigned = false;  // the unsigned integer as wide as that
};

struct BuiltinSignature {
  bool is_readable = false;
  bool is_call = false; // has parentheses
  std::array<BuiltinTypeParam, 2> type_params{};
  std::uint8_t type_param_count = 0;
  std::array<BuiltinParam, 4> params{};
  std::uint8_t param_count = 0;
  std::array<BuiltinResult, 2> results{};
  std::uint8_t result_count = 0; // 2: a tuple
  std::string_view value;        // of a constant, as written: "32", "3.14", "inf"

  std::span<const BuiltinParam> parameters() const { return {params.data(), param_count}; }
};

// Returns the signature of a builtin.
const BuiltinSignature& signature(Builtin builtin);

// An argument as written in a call; keyword is "" for a positional one. Of a type, a string or another thing
// that is no value, the type is None.
struct CallArgument {
  std::string_view keyword;
  Type type;
};

// The source of a parameter's value, and the type to which it is converted: an index to i64 (each element of
// a tuple), a count and lanes to i32, a condition to bool; a value that is no number keeps its type.
struct BoundArgument {
  std::size_t param;
  std::optional<std::size_t> argument; // in the call; nothing: the default
  Type type;
};

struct BuiltinMatch {
  std::vector<BoundArgument> arguments; // in the order of the parameters; a variadic one has any number
  std::array<Type, 2> type_args{types::error, types::error};
  Type result; // None where there is none; Error where only the checker knows (Syntax)
};

// Why arguments do not fit.
struct BuiltinMismatch {
  enum class Reason : std::uint8_t {
    NotCallable,    // threadIdx.x()
    TooMany,        // `argument` is the first one too many
    Missing,        // no argument for `param`
    UnknownKeyword, // `argument` names no parameter
    Repeated,       // `argument` is the second for `param`
    WrongType,      // `argument` cannot become what `param` wants
    Disagree,       // `argument` has nothing in common with the arguments before it
  };
  Reason reason;
  std::size_t argument = 0;
  std::size_t param = 0;
  std::string wanted;         // WrongType: "f32 or f64", "an index of 2 integers"
  Type got = types::error;    // WrongType, Disagree: the argument's type
  Type before = types::error; // Disagree: what the arguments before it have in common
};

// Which dialect's conversions hold between arguments and parameters.
enum class BuiltinTyping : std::uint8_t { Kern, Numba };

// Binds arguments to parameters and finds the types. Unknown and Error fit everywhere. Whether literals fit
// is the caller's to ask.
std::variant<BuiltinMatch, BuiltinMismatch>
match_call(Builtin builtin, std::span<const CallArgument> arguments, BuiltinTyping typing, TypeTable& table);

// Says a mismatch in words: "`x` of `math.sin` must be f32 or f64, not i32".
std::string to_string(const BuiltinMismatch& mismatch, Builtin builtin);

// Returns the value of a default that is an integer.
std::optional<std::int64_t> default_integer(const BuiltinParam& param);

} // namespace kern
