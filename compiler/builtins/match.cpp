// Arguments against a signature, in three steps: each argument finds its parameter, each type parameter its
// type, and each argument the type it is converted to. The first thing that does not fit is the answer.
#include <algorithm>

#include "compiler/builtins/signature.h"
#include "compiler/types/convert.h"

namespace kern {

namespace {

using Reason = BuiltinMismatch::Reason;

bool is_number(Type type) { return is_scalar(type) || is_literal(type); }
bool fits_everywhere(Type type) { return type == types::unknown || type == types::error; }

// Returns "i32", "i32 or i64", "i32, i64 or u32".
std::string list_types(ScalarSet set) {
  std::string text;
  std::uint32_t left = set.bits;
  for (int kind = 0; left != 0; ++kind) {
    std::uint32_t bit = 1u << kind;
    if ((left & bit) == 0) continue;
    left &= ~bit;
    if (!text.empty()) text += left == 0 ? " or " : ", ";
    text += to_string(types::scalar(ScalarKind(kind)));
  }
  return text;
}

std::string list_elements(ScalarSet set) {
  constexpr int last = static_cast<int>(ScalarKind::F64), first = static_cast<int>(ScalarKind::I8);
  bool is_every_number = set.bits == (1u << (last + 1)) - (1u << first);
  return is_every_number ? "numbers" : list_types(set);
}

struct Matcher {
  const BuiltinSignature& signature;
  std::span<const CallArgument> arguments;
  BuiltinTyping typing;
  TypeTable& table;
  BuiltinMatch match{{}, {types::error, types::error}, types::none};
  std::optional<BuiltinMismatch> mismatch = std::nullopt;

  std::size_t last_param() const { return signature.param_count == 0 ? 0 : signature.param_count - 1u; }

  void fail(Reason reason, std::size_t argument, std::size_t param) {
    if (!mismatch) mismatch = BuiltinMismatch{reason, argument, param, {}, types::error, types::error};
  }

  void fail_type(std::size_t argument, std::size_t param, std::string wanted) {
    if (mismatch) return;
    fail(Reason::WrongType, argument, param);
    mismatch->wanted = std::move(wanted);
    mismatch->got = arguments[argument].type;
  }

  // ---- Each argument finds its parameter ----

  std::optional<std::size_t> find_param(std::string_view keyword) const {
    for (std::size_t i = 0; i < signature.param_count; ++i)
      if (signature.params[i].name == keyword && !signature.params[i].variadic) return i;
    return std::nullopt;
  }

  bool is_given(std::size_t param) const {
    return std::ranges::any_of(match.arguments,
                               [&](const BoundArgument& bound) { return bound.param == param; });
  }

  void place_argument(std::size_t index) {
    std::string_view keyword = arguments[index].keyword;
    std::optional<std::size_t> param = index;
    if (!keyword.empty()) {
      param = find_param(keyword);
      if (!param) return fail(Reason::UnknownKeyword, index, 0);
      if (is_given(*param)) return fail(Reason::Repeated, index, *param);
    } else if (index >= signature.param_count) {
      param = last_param();
      if (signature.param_count == 0 || !signature.params[*param].variadic)
        return fail(Reason::TooMany, index, 0);
    }
    match.arguments.push_back({*param, index, types::error});
  }

  void place_arguments() {
    for (std::size_t i = 0; i < arguments.size(); ++i) place_argument(i);
    for (std::size_t i = 0; i < signature.param_count; ++i) {
      const BuiltinParam& param = signature.params[i];
      if (param.variadic || is_given(i)) continue;
      if (param.default_value.empty()) return fail(Reason::Missing, 0, i);
      match.arguments.push_back({i, std::nullopt, types::error});
    }
    std::ranges::sort(match.arguments, {},
                      [](const BoundArgument& bound) { return std::pair(bound.param, bound.argument); });
  }

  // ---- Each type parameter finds its type ----

  std::optional<Type> join_types(Type a, Type b) const {
    if (typing == BuiltinTyping::Kern) return join(a, b);
    return is_literal(a) && is_literal(b) ? join(a, b) : numba_unify(a, b);
  }

  // Returns the type in the set that a value is given as: its own, or the first one that it converts to; a
  // literal and a bool become i64, else f64.
  std::optional<Type> fit(Type type, ScalarSet allowed) const {
    if (fits_everywhere(type)) return type;
    if (!is_number(type)) return std::nullopt;
    Type own = default_type(type);
    if (allowed.contains(own->scalar)) return own;
    bool is_real = is_float(type) || is_complex(type);
    bool is_loose =
        is_literal(type) || is_boolean(type) || (typing == BuiltinTyping::Numba && is_integer(type));
    for (Type wide : {types::i64, types::f64})
      if (is_loose && allowed.contains(wide->scalar) && !(is_real && is_integer(wide))) return wide;
    for (std::size_t kind = 0; allowed.bits >> kind != 0 && !is_loose; ++kind)
      if (allowed.contains(ScalarKind(kind)) && converts(type, types::scalar(ScalarKind(kind))))
        return types::scalar(ScalarKind(kind));
    return std::nullopt;
  }

  // The element of an array decides alone; returns false where there is no array.
  bool bind_by_array(std::size_t variable) {
    for (const BoundArgument& bound : match.arguments) {
      const BuiltinParam& param = signature.params[bound.param];
      if (param.kind != BuiltinParamKind::ArrayOf || param.variable != variable || !bound.argument) continue;
      Type type = arguments[*bound.argument].type;
      ScalarSet allowed = signature.type_params[variable].allowed;
      bool fits = is_array(type) && allowed.contains(type->scalar);
      if (!fits && !fits_everywhere(type))
        fail_type(*bound.argument, bound.param, "an array of " + list_elements(allowed));
      match.type_args[variable] = fits ? element_type(type) : type;
      return true;
    }
    return false;
  }

  void bind(std::size_t variable) {
    if (bind_by_array(variable)) return;
    ScalarSet allowed = signature.type_params[variable].allowed;
    Type joined = types::unknown;
    for (const BoundArgument& bound : match.arguments) {
      const BuiltinParam& param = signature.params[bound.param];
      if (param.kind != BuiltinParamKind::Variable || param.variable != variable || !bound.argument) continue;
      Type type = arguments[*bound.argument].type;
      if (!fit(type, allowed)) return fail_type(*bound.argument, bound.param, list_types(allowed));
      std::optional<Type> both = join_types(joined, type);
      if (!both) {
        fail(Reason::Disagree, *bound.argument, bound.param);
        mismatch->got = type;
        mismatch->before = joined;
        return;
      }
      joined = *both;
    }
    match.type_args[variable] = fit(joined, allowed).value_or(types::error);
  }

  // ---- Each argument finds the type it is converted to ----

  bool becomes(Type from, Type to) const {
    if (converts(from, to)) return true;
    return typing == BuiltinTyping::Numba && is_number(from) && is_number(to) &&
           (!is_complex(from) || is_complex(to));
  }

  // Returns the rank of the array before an index; nothing where it is not known.
  std::optional<std::size_t> rank_before(std::size_t index_param) const {
    for (const BoundArgument& bound : match.arguments)
      if (bound.param + 1 == index_param && bound.argument && is_array(arguments[*bound.argument].type))
        return arguments[*bound.argument].type->rank;
    return std::nullopt;
  }

  static bool is_index(Type type, std::size_t& count) {
    count = 1;
    if (!is_tuple(type)) return is_integer(type) || fits_everywhere(type);
    count = type->elements.size();
    return std::ranges::all_of(type->elements, [](Type t) { return is_integer(t) || fits_everywhere(t); });
  }

  Type convert_index(const BoundArgument& bound, Type type) {
    std::size_t count = 0;
    std::optional<std::size_t> rank = rank_before(bound.param);
    bool fits = is_index(type, count) && (!rank || count == *rank || fits_everywhere(type));
    std::string wanted =
        !rank || *rank == 1 ? "an integer" : "an index of " + std::to_string(*rank) + " integers";
    if (!fits) fail_type(*bound.argument, bound.param, std::move(wanted));
    return types::i64;
  }

  Type convert_to(const BoundArgument& bound, Type type, Type target) {
    if (!becomes(type, target)) fail_type(*bound.argument, bound.param, to_string(target));
    return target;
  }

  Type convert_argument(const BoundArgument& bound, Type type) {
    const BuiltinParam& param = signature.params[bound.param];
    bool is_free = fits_everywhere(type);
    switch (param.kind) {
    case BuiltinParamKind::Scalar: {
      bool is_one = (param.allowed.bits & (param.allowed.bits - 1)) == 0;
      if (is_one)
        return convert_to(bound, type, types::scalar(ScalarKind(__builtin_ctz(param.allowed.bits))));
      std::optional<Type> target = fit(type, param.allowed);
      if (!target) fail_type(*bound.argument, bound.param, list_types(param.allowed));
      return is_literal(type) ? type : target.value_or(types::error);
    }
    case BuiltinParamKind::Variable: return convert_to(bound, type, match.type_args[param.variable]);
    case BuiltinParamKind::Index: return convert_index(bound, type);
    case BuiltinParamKind::Count:
    case BuiltinParamKind::Lanes:
      if (!is_integer(type) && !is_free) fail_type(*bound.argument, bound.param, "an integer");
      return types::i32;
    case BuiltinParamKind::Condition:
      if (!is_number(type) && !is_free) fail_type(*bound.argument, bound.param, "a bool or a number");
      return types::boolean;
    case BuiltinParamKind::ArrayOf:
    case BuiltinParamKind::Literal:
    case BuiltinParamKind::Shape:
    case BuiltinParamKind::TypeName:
    case BuiltinParamKind::Any: return type;
    }
    return type;
  }

  // Returns the type of a default: what the parameter's own words say.
  Type default_argument_type(const BuiltinParam& param) const {
    if (param.kind == BuiltinParamKind::Lanes || param.kind == BuiltinParamKind::Count) return types::i32;
    return param.default_value == "None" ? types::none : types::int_literal;
  }

  void convert_arguments() {
    for (BoundArgument& bound : match.arguments)
      bound.type = bound.argument ? convert_argument(bound, arguments[*bound.argument].type)
                                  : default_argument_type(signature.params[bound.param]);
  }

  static Type unsigned_of(Type type) {
    if (!is_scalar(type)) return type;
    for (Type wide : {types::u8, types::u16, types::u32})
      if (bit_width(wide->scalar) == bit_width(type->scalar)) return wide;
    return types::u64;
  }

  Type result_type(const BuiltinResult& result) const {
    Type variable = types::error;
    if (result.variable >= 0) variable = match.type_args[static_cast<std::size_t>(result.variable)];
    if (result.variable >= 0) return result.is_unsigned ? unsigned_of(variable) : variable;
    if (result.type.bits == 0) return types::error;
    return types::scalar(ScalarKind(__builtin_ctz(result.type.bits)));
  }

  void find_result() {
    if (signature.result_count == 1) match.result = result_type(signature.results[0]);
    if (signature.result_count != 2) return;
    std::array both{result_type(signature.results[0]), result_type(signature.results[1])};
    match.result = table.tuple(both);
  }

  std::variant<BuiltinMatch, BuiltinMismatch> run() {
    if (!signature.is_call) fail(Reason::NotCallable, 0, 0);
    if (!mismatch) place_arguments();
    for (std::size_t i = 0; i < signature.type_param_count && !mismatch; ++i) bind(i);
    if (!mismatch) convert_arguments();
    if (mismatch) return *mismatch;
    find_result();
    return std::move(match);
  }
};

} // namespace

std::variant<BuiltinMatch, BuiltinMismatch>
match_call(Builtin builtin, std::span<const CallArgument> arguments, BuiltinTyping typing, TypeTable& table) {
  return Matcher{signature(builtin), arguments, typing, table}.run();
}

std::string to_string(const BuiltinMismatch& mismatch, Builtin builtin) {
  const BuiltinSignature& taken = signature(builtin);
  std::string name = "`" + std::string(row(builtin).name) + "`";
  std::string param =
      mismatch.param < taken.param_count ? "`" + std::string(taken.params[mismatch.param].name) + "`" : "";
  switch (mismatch.reason) {
  case Reason::NotCallable: return name + " is a value: write it without brackets";
  case Reason::TooMany: return name + " has no parameter for this argument";
  case Reason::Missing: return name + " needs " + param;
  case Reason::UnknownKeyword: return name + " has no parameter of that name";
  case Reason::Repeated: return param + " of " + name + " is given twice";
  case Reason::WrongType:
    return param + " of " + name + " must be " + mismatch.wanted + ", not " + to_string(mismatch.got);
  case Reason::Disagree:
    return param + " of " + name + " is " + to_string(mismatch.got) + ", which has no type in common with " +
           to_string(mismatch.before);
  }
  return name;
}

} // namespace kern
