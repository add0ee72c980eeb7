// NumPy's and Numba's names for types; what is missing here is a long name of scalars.def, which both dialects share.
#include "compiler/types/names.h"

#include <utility>

namespace kern {

static constexpr std::pair<std::string_view, ScalarKind> numpy_names[] = {
    {"b1", ScalarKind::Bool},       {"bool_", ScalarKind::Bool},  {"boolean", ScalarKind::Bool},
    {"bool", ScalarKind::Bool},     {"i1", ScalarKind::I8},       {"i2", ScalarKind::I16},
    {"i4", ScalarKind::I32},        {"i8", ScalarKind::I64},      {"u1", ScalarKind::U8},
    {"u2", ScalarKind::U16},        {"u4", ScalarKind::U32},      {"u8", ScalarKind::U64},
    {"f2", ScalarKind::F16},        {"f4", ScalarKind::F32},      {"f8", ScalarKind::F64},
    {"c8", ScalarKind::C64},        {"c16", ScalarKind::C128},    {"byte", ScalarKind::I8},
    {"ubyte", ScalarKind::U8},      {"char", ScalarKind::I8},     {"uchar", ScalarKind::U8},
    {"short", ScalarKind::I16},     {"ushort", ScalarKind::U16},  {"intc", ScalarKind::I32},
    {"uintc", ScalarKind::U32},     {"int_", ScalarKind::I64},    {"uint", ScalarKind::U64},
    {"long_", ScalarKind::I64},     {"ulong", ScalarKind::U64},   {"longlong", ScalarKind::I64},
    {"ulonglong", ScalarKind::U64}, {"intp", ScalarKind::I64},    {"uintp", ScalarKind::U64},
    {"ssize_t", ScalarKind::I64},   {"size_t", ScalarKind::U64},  {"half", ScalarKind::F16},
    {"single", ScalarKind::F32},    {"float_", ScalarKind::F64},  {"double", ScalarKind::F64},
    {"complex_", ScalarKind::C128}, {"csingle", ScalarKind::C64}, {"cdouble", ScalarKind::C128},
};

// Short names of .kern files that have no meaning in NumPy or Numba, and so none in a .py file.
static constexpr std::string_view kern_only[] = {"i16", "i32",  "i64", "u16", "u32", "u64",
                                                 "f16", "bf16", "f32", "f64", "c64", "c128"};

std::optional<ScalarKind> find_numpy_scalar(std::string_view name) {
  for (auto [known, kind] : numpy_names)
    if (known == name) return kind;
  for (std::string_view short_name : kern_only)
    if (short_name == name) return std::nullopt;
  return find_scalar(name);
}

std::optional<ScalarKind> find_numba_scalar(std::string_view name) {
  if (name == "byte") return ScalarKind::U8;
  if (name == "float_") return ScalarKind::F32;
  return find_numpy_scalar(name);
}

std::string_view long_name_of(ScalarKind kind) {
  switch (kind) {
#define SCALAR(Kind, Short, Long, Class, Bits)                                                               \
  case ScalarKind::Kind: return Long;
#include "compiler/types/scalars.def"
  }
  return "";
}

std::string_view clashing_name(std::string_view name) {
  if (name == "i8") return "int8 or int64";
  if (name == "u8") return "uint8 or uint64";
  return "";
}

} // namespace kern
