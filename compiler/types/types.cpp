// Scalars are constants of the program; a TypeTable makes each array and tuple once, so that equal types are
// one pointer.
#include "compiler/types/types.h"

#include <cassert>
#include <deque>
#include <map>
#include <tuple>

#include "compiler/support/limits.h"

namespace kern {

namespace {

struct ScalarRow {
  std::string_view short_name, long_name;
  ScalarClass scalar_class;
  int bits;
};

constexpr ScalarRow scalar_rows[] = {
#define SCALAR(Kind, Short, Long, Class, Bits) {Short, Long, ScalarClass::Class, Bits},
#include "compiler/types/scalars.def"
};

constexpr const ScalarRow& scalar_row(ScalarKind kind) { return scalar_rows[static_cast<std::size_t>(kind)]; }

bool has_class(Type type, ScalarClass wanted) {
  return is_scalar(type) && scalar_class(type->scalar) == wanted;
}

} // namespace

ScalarClass scalar_class(ScalarKind kind) { return scalar_row(kind).scalar_class; }
int bit_width(ScalarKind kind) { return scalar_row(kind).bits; }

bool is_signed(Type type) { return type == types::int_literal || has_class(type, ScalarClass::Signed); }
bool is_integer(Type type) { return is_signed(type) || has_class(type, ScalarClass::Unsigned); }
bool is_float(Type type) { return type == types::float_literal || has_class(type, ScalarClass::Float); }
bool is_boolean(Type type) { return has_class(type, ScalarClass::Boolean); }
bool is_complex(Type type) { return type == types::complex_literal || has_class(type, ScalarClass::Complex); }
bool is_literal(Type type) {
  return type == types::int_literal || type == types::float_literal || type == types::complex_literal;
}

Type part_type(Type complex) {
  if (complex == types::complex_literal) return types::float_literal;
  assert(is_complex(complex));
  return complex == types::c64 ? types::f32 : types::f64;
}

Type complex_of(Type part) { return part == types::f64 ? types::c128 : types::c64; }

using ArrayKey = std::tuple<ScalarKind, int, AddressSpace, Layout>;
using TupleKey = std::vector<const TypeData*>;

struct TypeTable::Storage {
  std::map<ArrayKey, TypeData> arrays;
  std::map<TupleKey, TypeData> tuples;
  std::deque<std::vector<Type>> elements;
};

TypeTable::TypeTable() : storage_(std::make_shared<Storage>()) {}

Type TypeTable::array(ScalarKind element, int rank, AddressSpace space, Layout layout) {
  assert(rank >= 1 && rank <= limits::array_rank);
  TypeData data{TypeKind::Array, element, static_cast<std::uint8_t>(rank), space, layout, {}};
  return Type(&storage_->arrays.try_emplace({element, rank, space, layout}, data).first->second);
}

Type TypeTable::tuple(std::span<const Type> elements) {
  TupleKey key;
  for (Type element : elements) key.push_back(&*element);
  auto [place, is_new] = storage_->tuples.try_emplace(std::move(key));
  if (is_new) {
    const std::vector<Type>& kept = storage_->elements.emplace_back(elements.begin(), elements.end());
    place->second = {.kind = TypeKind::Tuple, .elements = kept};
  }
  return Type(&place->second);
}

static std::string_view space_prefix(AddressSpace space) {
  switch (space) {
  case AddressSpace::Global: return "";
  case AddressSpace::Shared: return "shared ";
  case AddressSpace::Local: return "local ";
  case AddressSpace::Constant: return "const ";
  }
  return "";
}

static std::string array_to_string(Type type) {
  std::string text(space_prefix(type->space));
  text += scalar_row(type->scalar).short_name;
  text += '[';
  for (int axis = 1; axis < type->rank; ++axis) text += ":, ";
  text += type->layout == Layout::COrder ? "::1]" : ":]";
  return text;
}

static std::string tuple_to_string(Type type) {
  std::string text = "(";
  for (std::size_t i = 0; i < type->elements.size(); ++i)
    text += (i > 0 ? ", " : "") + to_string(type->elements[i]);
  return text + (type->elements.size() == 1 ? ",)" : ")");
}

std::string to_string(Type type) {
  switch (type->kind) {
  case TypeKind::Error: return "<error>";
  case TypeKind::Unknown: return "<unknown>";
  case TypeKind::None: return "None";
  case TypeKind::IntLiteral: return "int literal";
  case TypeKind::FloatLiteral: return "float literal";
  case TypeKind::ComplexLiteral: return "complex literal";
  case TypeKind::Scalar: return std::string(scalar_row(type->scalar).short_name);
  case TypeKind::Array: return array_to_string(type);
  case TypeKind::Tuple: return tuple_to_string(type);
  }
  return "";
}

std::optional<ScalarKind> find_scalar(std::string_view name) {
  for (std::size_t i = 0; i < std::size(scalar_rows); ++i)
    if (scalar_rows[i].short_name == name || scalar_rows[i].long_name == name) return ScalarKind(i);
  return std::nullopt;
}

static std::string_view space_suffix(AddressSpace space) {
  switch (space) {
  case AddressSpace::Global: return "";
  case AddressSpace::Shared: return "s";
  case AddressSpace::Local: return "l";
  case AddressSpace::Constant: return "k";
  }
  return "";
}

std::string mangle(Type type) {
  if (type->kind == TypeKind::Array) {
    std::string text = std::string(scalar_row(type->scalar).short_name) + "_" + std::to_string(type->rank);
    text += type->layout == Layout::COrder ? "c" : "";
    return text += space_suffix(type->space);
  }
  if (type->kind == TypeKind::Tuple) {
    std::string text = "t" + std::to_string(type->elements.size());
    for (Type element : type->elements) text += "_" + mangle(element);
    return text;
  }
  if (type->kind == TypeKind::None) return "none";
  assert(type->kind == TypeKind::Scalar);
  return to_string(type);
}

} // namespace kern
