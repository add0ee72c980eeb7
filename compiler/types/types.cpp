// Scalars are constants of the program; a TypeTable makes each array and tuple once, so that equal types are
// one pointer.
#include "compiler/types/types.h"

#include <algorithm>
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

double epsilon(ScalarKind kind) {
  if (kind == ScalarKind::F16) return 0x1p-10;
  if (kind == ScalarKind::BF16) return 0x1p-7;
  return kind == ScalarKind::F32 || kind == ScalarKind::C64 ? 0x1p-23 : 0x1p-52;
}

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

using ArrayKey = std::tuple<ScalarKind, int, AddressSpace, Layout, const TypeData*>;
using TupleKey = std::pair<const RecordData*, std::vector<const TypeData*>>;

struct TypeTable::Storage {
  std::map<ArrayKey, TypeData> arrays;
  std::map<TupleKey, TypeData> tuples;
  std::deque<std::vector<Type>> elements;
  std::deque<RecordData> records;
};

TypeTable::TypeTable() : storage_(std::make_shared<Storage>()) {}

Type TypeTable::array(ScalarKind element, int rank, AddressSpace space, Layout layout) {
  assert(rank >= 1 && rank <= limits::array_rank);
  TypeData data{TypeKind::Array, element, static_cast<std::uint8_t>(rank), space, layout};
  return Type(&storage_->arrays.try_emplace({element, rank, space, layout, nullptr}, data).first->second);
}

Type TypeTable::point(ScalarKind element, AddressSpace space) {
  TypeData data{.kind = TypeKind::Array,
                .scalar = element,
                .rank = 1,
                .space = space,
                .layout = Layout::COrder,
                .is_point = true};
  return Type(
      &storage_->arrays.try_emplace({element, 0, space, Layout::COrder, nullptr}, data).first->second);
}

Type TypeTable::record_array(Type record, int rank, AddressSpace space, std::optional<ScalarKind> given) {
  assert(is_record(record) && rank >= 0 && rank < limits::array_rank);
  ScalarKind word = given.value_or(record_word(record, space));
  auto [place, is_new] =
      storage_->arrays.try_emplace({word, rank + 1, space, Layout::COrder, &*record}, TypeData{});
  if (is_new) {
    const std::vector<Type>& kept = storage_->elements.emplace_back(1, record);
    place->second = {TypeKind::Array, word, static_cast<std::uint8_t>(rank + 1), space, Layout::COrder, kept};
  }
  return Type(&place->second);
}

Type TypeTable::with_rank(Type like, int rank, Layout layout) {
  if (is_record_array(like)) return record_array(record_type(like), rank, like->space, like->scalar);
  return rank == 0 ? point(like->scalar, like->space) : array(like->scalar, rank, like->space, layout);
}

Type TypeTable::tuple(std::span<const Type> elements) { return named(elements, nullptr); }

Type TypeTable::named(std::span<const Type> elements, const RecordData* names) {
  TupleKey key{names, {}};
  for (Type element : elements) key.second.push_back(&*element);
  auto [place, is_new] = storage_->tuples.try_emplace(std::move(key));
  if (is_new) {
    const std::vector<Type>& kept = storage_->elements.emplace_back(elements.begin(), elements.end());
    place->second = {.kind = TypeKind::Tuple, .elements = kept, .record = names};
  }
  return Type(&place->second);
}

Type TypeTable::record(std::string_view name, std::vector<RecordField> fields, std::int64_t size,
                       std::int64_t alignment, std::optional<Type> tuple_held) {
  const RecordData* found = nullptr;
  std::string own(name);
  for (int number = 2; !found; ++number) {
    bool is_taken = false;
    for (const RecordData& other : storage_->records) {
      if (other.name != own) continue;
      is_taken = true;
      bool same = other.fields == fields && other.size == size && other.alignment == alignment &&
                  other.tuple == tuple_held;
      if (same && !other.is_named_tuple) found = &other;
    }
    if (!found && !is_taken)
      found = &storage_->records.emplace_back(RecordData{own, fields, size, alignment, false, tuple_held});
    own = std::string(name) + "_" + std::to_string(number);
  }
  std::vector<Type> elements;
  for (const RecordField& field : fields) {
    Type type = field.type;
    for (std::size_t axis = field.extents.size(); axis-- > 0;)
      type = tuple(std::vector<Type>(static_cast<std::size_t>(field.extents[axis]), type));
    elements.push_back(type);
  }
  return named(elements, found);
}

Type TypeTable::tuple_in_memory(Type tuple) {
  std::vector<RecordField> fields;
  std::int64_t at = 0, alignment = 1;
  auto rounded_up = [](std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; };
  for (Type element : tuple->elements) {
    Type type = is_tuple(element) && !is_record(element) ? tuple_in_memory(element) : element;
    at = rounded_up(at, natural_alignment(type));
    fields.push_back({std::to_string(fields.size()), type, {}, at});
    at += size_in_memory(type);
    alignment = std::max(alignment, natural_alignment(type));
  }
  return record(to_string(tuple), std::move(fields), rounded_up(at, alignment), alignment, tuple);
}

const RecordData* TypeTable::names(std::string_view name, std::span<const std::string_view> fields) {
  RecordData data{std::string(name), {}, 0, 1, true};
  for (std::string_view field : fields) data.fields.push_back({std::string(field), types::unknown, {}, 0});
  for (const RecordData& other : storage_->records)
    if (other.is_named_tuple && other.name == data.name && other.fields == data.fields) return &other;
  return &storage_->records.emplace_back(std::move(data));
}

std::int64_t size_in_memory(Type type) {
  return is_record(type) ? type->record->size : bit_width(type->scalar) / 8;
}

std::int64_t natural_alignment(Type type) {
  if (is_record(type)) return type->record->alignment;
  return size_in_memory(is_complex(type) ? part_type(type) : type);
}

// A summary of where the scalars of a record are and how wide they are.
struct RecordMeasure {
  std::int64_t places; // the bits of all places and of the size
  std::int64_t narrowest = 8, widest = 1;
};

static void measure_record(Type record, std::int64_t base, RecordMeasure& measure) {
  for (const RecordField& field : record->record->fields) {
    std::int64_t at = base + field.offset;
    measure.places |= at;
    if (!field.extents.empty()) measure.places |= size_in_memory(field.type);
    if (is_record(field.type)) {
      measure_record(field.type, at, measure);
      continue;
    }
    Type scalar = is_complex(field.type) ? part_type(field.type) : field.type;
    measure.narrowest = std::min(measure.narrowest, size_in_memory(scalar));
    measure.widest = std::max(measure.widest, size_in_memory(scalar));
  }
}

ScalarKind unsigned_kind(std::int64_t bytes) {
  switch (bytes) {
  case 1: return ScalarKind::U8;
  case 2: return ScalarKind::U16;
  case 4: return ScalarKind::U32;
  default: return ScalarKind::U64;
  }
}

ScalarKind record_word(Type record, AddressSpace space) {
  RecordMeasure measure{record->record->size};
  measure_record(record, 0, measure);
  bool is_local = space == AddressSpace::Local;
  std::int64_t word = is_local ? measure.narrowest : measure.widest;
  while ((is_local ? measure.places : record->record->size) % word != 0) word /= 2;
  return unsigned_kind(word);
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
  if (is_record_array(type)) {
    text += record_type(type)->record->name;
    for (int axis = 0; axis < written_rank(type); ++axis) text += axis == 0 ? "[:" : ", :";
    return text += written_rank(type) == 0 ? "" : "]";
  }
  text += scalar_row(type->scalar).short_name;
  if (is_point(type)) return text + "[()]";
  text += '[';
  for (int axis = 1; axis < type->rank; ++axis) text += ":, ";
  text += type->layout == Layout::COrder ? "::1]" : ":]";
  return text;
}

static std::string tuple_to_string(Type type) {
  if (is_record(type)) return type->record->name;
  std::string text = (type->record ? type->record->name : "") + "(";
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
  if (holds_tuple(type)) return mangle(*type->record->tuple);
  if (is_record(type)) return type->record->name;
  if (is_record_array(type))
    return mangle(record_type(type)) + "_" + std::to_string(written_rank(type)) +
           std::string(space_suffix(type->space));
  if (type->kind == TypeKind::Array) {
    std::string text =
        std::string(scalar_row(type->scalar).short_name) + "_" + std::to_string(written_rank(type));
    text += type->layout == Layout::COrder && !is_point(type) ? "c" : "";
    return text += space_suffix(type->space);
  }
  if (type->kind == TypeKind::Tuple) {
    std::string text = type->record ? type->record->name : "t" + std::to_string(type->elements.size());
    for (Type element : type->elements) text += "_" + mangle(element);
    return text;
  }
  if (type->kind == TypeKind::None) return "none";
  assert(type->kind == TypeKind::Scalar);
  return to_string(type);
}

} // namespace kern
