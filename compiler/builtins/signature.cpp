// Signatures are parsed by the C++ compiler: one constant a row, so that reading one costs nothing and a
// wrong one does not build.
#include "compiler/builtins/signature.h"

#include <charconv>

namespace kern {

namespace {

constexpr std::string_view scalar_names[] = {
#define SCALAR(Kind, Short, Long, Class, Bits) Short,
#include "compiler/types/scalars.def"
};

constexpr ScalarSet one_type(ScalarKind kind) { return {1u << static_cast<int>(kind)}; }

constexpr ScalarSet range(ScalarKind first, ScalarKind last) {
  ScalarSet set;
  for (int kind = static_cast<int>(first); kind <= static_cast<int>(last); ++kind) set.bits |= 1u << kind;
  return set;
}

// Returns the types that a word stands for: one type or a class; none for another word.
constexpr ScalarSet find_set(std::string_view word) {
  for (std::size_t i = 0; i < std::size(scalar_names); ++i)
    if (scalar_names[i] == word) return one_type(ScalarKind(i));
  if (word == "float") return range(ScalarKind::F32, ScalarKind::F64);
  if (word == "integer") return range(ScalarKind::I8, ScalarKind::U64);
  if (word == "number") return range(ScalarKind::I8, ScalarKind::F64);
  if (word == "scalar") return range(ScalarKind::Bool, ScalarKind::F64);
  if (word == "word")
    return {range(ScalarKind::I32, ScalarKind::I64).bits | range(ScalarKind::U32, ScalarKind::U64).bits};
  return {};
}

constexpr std::pair<std::string_view, BuiltinParamKind> kind_words[] = {
    {"index", BuiltinParamKind::Index},     {"count", BuiltinParamKind::Count},
    {"lanes", BuiltinParamKind::Lanes},     {"condition", BuiltinParamKind::Condition},
    {"literal", BuiltinParamKind::Literal}, {"shape", BuiltinParamKind::Shape},
    {"type", BuiltinParamKind::TypeName},   {"any", BuiltinParamKind::Any},
};

// Reads one signature; what does not fit leaves it not readable.
struct SignatureReader {
  std::string_view rest;
  BuiltinSignature result;
  bool failed = false;

  constexpr bool accept(std::string_view token) {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (!rest.starts_with(token)) return false;
    rest.remove_prefix(token.size());
    return true;
  }
  constexpr void expect(std::string_view token) { failed = failed || !accept(token); }

  // A word of letters, digits, dots, signs and underscores.
  constexpr std::string_view word() {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    std::string_view text = rest.substr(0, rest.find_first_of(" ,:=|[]()*"));
    rest.remove_prefix(text.size());
    failed = failed || text.empty();
    return text;
  }

  constexpr int find_type_param(std::string_view name) const {
    for (int i = 0; i < result.type_param_count; ++i)
      if (result.type_params[static_cast<std::size_t>(i)].name == name) return i;
    return -1;
  }

  // type_params = "[" (NAME ":" set ("|" set)*) ("," ...)* "]"
  constexpr void type_params() {
    do {
      BuiltinTypeParam param{word(), {}};
      expect(":");
      do {
        ScalarSet set = find_set(word());
        failed = failed || set.bits == 0;
        param.allowed.bits |= set.bits;
      } while (accept("|"));
      failed = failed || result.type_param_count == result.type_params.size();
      if (!failed) result.type_params[result.type_param_count++] = param;
    } while (accept(","));
    expect("]");
  }

  constexpr void param_type(BuiltinParam& param) {
    std::string_view name = word();
    if (int variable = find_type_param(name); variable >= 0) {
      param.kind = accept("[...]") ? BuiltinParamKind::ArrayOf : BuiltinParamKind::Variable;
      param.variable = static_cast<std::uint8_t>(variable);
      return;
    }
    for (auto [known, kind] : kind_words)
      if (known == name) {
        param.kind = kind;
        return;
      }
    param.kind = BuiltinParamKind::Scalar;
    param.allowed = find_set(name);
    failed = failed || param.allowed.bits == 0;
  }

  // params = "(" [["*"] NAME ":" type ["=" value] ("," ...)*] ")"
  constexpr void params() {
    if (accept(")")) return;
    do {
      BuiltinParam param;
      param.variadic = accept("*");
      param.name = word();
      expect(":");
      param_type(param);
      if (accept("=")) param.default_value = word();
      failed = failed || result.param_count == result.params.size();
      if (!failed) result.params[result.param_count++] = param;
    } while (accept(","));
    expect(")");
  }

  // result_type = ["unsigned"] NAME
  constexpr void add_result(std::string_view name) {
    BuiltinResult found;
    found.is_unsigned = name == "unsigned";
    if (found.is_unsigned) name = word();
    found.variable = static_cast<std::int8_t>(find_type_param(name));
    if (ScalarSet set = find_set(name); found.variable < 0 && (set.bits & (set.bits - 1)) == 0)
      found.type = set;
    failed = failed || result.result_count == result.results.size();
    if (!failed) result.results[result.result_count++] = found;
  }

  // result = type | "(" type "," type ")"
  constexpr void results() {
    if (!accept("(")) return add_result(word());
    add_result(word());
    expect(",");
    add_result(word());
    expect(")");
  }

  // signature = NAME ["[" type_params] ["(" params] [("->" | ":") result] ["=" value]
  constexpr BuiltinSignature read() {
    word();
    if (accept("[")) type_params();
    if (accept("(")) {
      result.is_call = true;
      params();
    }
    if (accept("->") || accept(":")) results();
    if (accept("=")) result.value = word();
    result.is_readable = !failed && rest.empty();
    return result;
  }
};

constexpr BuiltinSignature read_signature(std::string_view text) { return SignatureReader{text, {}}.read(); }

// Each row is a constant of its own, which keeps the C++ compiler's work on one small.
#define BUILTIN(Id, Signature, Kind, Gpu, Cpu, Doc)                                                          \
  constexpr BuiltinSignature signature_of_##Id = read_signature(Signature);                                  \
  static_assert(signature_of_##Id.is_readable, "cannot read the signature " Signature);
#include "compiler/builtins/builtins.def"

constexpr const BuiltinSignature* signatures[] = {
#define BUILTIN(Id, Signature, Kind, Gpu, Cpu, Doc) &signature_of_##Id,
#include "compiler/builtins/builtins.def"
};

} // namespace

const BuiltinSignature& signature(Builtin builtin) { return *signatures[static_cast<std::size_t>(builtin)]; }

std::optional<std::int64_t> default_integer(const BuiltinParam& param) {
  std::string_view text = param.default_value;
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

} // namespace kern
