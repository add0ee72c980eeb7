// The types of elements as NumPy writes them in strings: "float32", "f4", "<i8", "d".
#include "compiler/check/core/dtypes.h"
#include "compiler/check/core/checker.h"
#include "compiler/types/names.h"

namespace kern::checker {

// NumPy's letters, each of which is C's type of that name.
static constexpr std::pair<char, ScalarKind> letters[] = {
    {'?', ScalarKind::Bool}, {'b', ScalarKind::I8},  {'B', ScalarKind::U8},  {'h', ScalarKind::I16},
    {'H', ScalarKind::U16},  {'i', ScalarKind::I32}, {'I', ScalarKind::U32}, {'l', ScalarKind::I64},
    {'L', ScalarKind::U64},  {'q', ScalarKind::I64}, {'Q', ScalarKind::U64}, {'p', ScalarKind::I64},
    {'P', ScalarKind::U64},  {'e', ScalarKind::F16}, {'f', ScalarKind::F32}, {'d', ScalarKind::F64},
};

Value as_dtype(Checker& checker, const Value& value) {
  if (value.kind != ValueKind::String) return value;
  std::string_view name = value.text;
  // All devices are little-endian; big-endian elements have no type here.
  if (name.starts_with('<') || name.starts_with('=') || name.starts_with('|')) name.remove_prefix(1);
  if (name == "int") return type_value(types::i64, value.span);
  if (name == "float") return type_value(types::f64, value.span);
  for (auto [letter, kind] : letters)
    if (name.size() == 1 && name[0] == letter) return type_value(types::scalar(kind), value.span);
  std::optional<ScalarKind> kind = find_numpy_scalar(name);
  if (!kind && !checker.rules.numpy_names) kind = find_scalar(name);
  return kind ? type_value(types::scalar(*kind), value.span) : value;
}

} // namespace kern::checker
