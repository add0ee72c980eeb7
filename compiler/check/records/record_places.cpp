// Finds the places of fields in memory. An array of records is one of words, with an axis more: a field is at
// a constant place along that axis. Its elements are those of the array with the words seen as the field's
// type, or, where a packed layout does not align the field or words are narrower, several parts.
#include <algorithm>

#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/place.h"
#include "compiler/check/core/report.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

// Returns the greatest power of two that divides all of these.
std::int64_t alignment_of(std::int64_t places) { return places & -places; }

// Returns an array of words with its words seen as elements of another type, which are as wide or narrower.
ir::Operand with_elements(Checker& checker, ir::Operand array, ScalarKind kind, Span span) {
  if (kind == array.type->scalar) return array;
  std::int64_t ratio = bit_width(array.type->scalar) / bit_width(kind);
  int last = array.type->rank - 1;
  ir::Restride form{array, {}, {}};
  auto scaled = [&](ir::Operand value) {
    return checker.binary(ir::BinaryOp::Multiply, value, number(ratio), span);
  };
  for (int axis = 0; axis < last; ++axis) {
    form.extents.push_back(checker.extent(array, axis, span));
    form.strides.push_back(scaled(checker.temp(types::i64, ir::Stride{array, axis}, span)));
  }
  std::int64_t words = record_type(array.type)->record->size * 8 / bit_width(array.type->scalar);
  form.extents.push_back(number(words * ratio));
  form.strides.push_back(number(1));
  Type type = checker.context.module.types.array(kind, array.type->rank, array.type->space, Layout::COrder);
  return checker.temp(type, std::move(form), span);
}

ir::ViewAxis whole_axis(Checker& checker, ir::Operand array, int axis, Span span) {
  return {ir::ViewAxis::Kind::Range, number(0), checker.extent(array, axis, span), number(1)};
}

// The owner of a field: a record, at the indices of its array, or each record of an array.
struct Owner {
  ir::Operand array;
  std::optional<std::vector<ir::Operand>> indices;
  std::int64_t offset; // in bytes
  Type record;
};

Owner owner_of(const Value& value) {
  if (is_record_place(value))
    return {value.operand, value.indices, static_cast<std::int64_t>(value.integer), value.type};
  return {value.operand, std::nullopt, 0, record_type(value.type)};
}

// Returns the part of the records' words that a field takes, as an array of elements of a type; `strides` are those of
// the axes in the field, in elements.
Value part_of_records(Checker& checker, const Owner& owner, std::int64_t first, std::int64_t count,
                      ir::Operand elements, const std::vector<std::int64_t>& extents,
                      const std::vector<std::int64_t>& strides, Type record, Span span) {
  ir::View view{elements, {}};
  int outer = 0;
  for (int axis = 0; axis + 1 < elements.type->rank; ++axis) {
    if (owner.indices) {
      view.axes.push_back(
          {ir::ViewAxis::Kind::Index, (*owner.indices)[static_cast<std::size_t>(axis)], {}, {}});
      continue;
    }
    view.axes.push_back(whole_axis(checker, elements, axis, span));
    ++outer;
  }
  TypeTable& types = checker.context.module.types;
  ScalarKind kind = elements.type->scalar;
  AddressSpace space = elements.type->space;
  bool is_scalar_field = extents.empty();
  if (is_scalar_field)
    view.axes.push_back({ir::ViewAxis::Kind::Index, number(first), {}, {}});
  else
    view.axes.push_back({ir::ViewAxis::Kind::Range, number(first), number(count), number(1)});
  int rank = outer + (is_scalar_field ? 0 : 1);
  bool is_dense = !is_scalar_field && rank == 1;
  Type type = types.array(kind, rank, space, is_dense ? Layout::COrder : Layout::Any);
  bool is_words = record != types::error;
  // A record alone is its words already.
  if (is_words && extents.size() == 1) type = types.record_array(record, rank - 1, space, kind);
  ir::Operand part = checker.temp(type, std::move(view), span);
  if (extents.size() > 1) {
    ir::Restride form{part, {}, {}};
    for (int axis = 0; axis < outer; ++axis) {
      form.extents.push_back(checker.extent(part, axis, span));
      form.strides.push_back(checker.temp(types::i64, ir::Stride{part, axis}, span));
    }
    for (std::int64_t extent : extents) form.extents.push_back(number(extent));
    for (std::int64_t stride : strides) form.strides.push_back(number(stride));
    int whole = outer + static_cast<int>(extents.size());
    type = is_words ? types.record_array(record, whole - 1, space, kind)
                    : types.array(kind, whole, space, outer == 0 ? Layout::COrder : Layout::Any);
    part = checker.temp(type, std::move(form), span);
  }
  Value result = runtime_value(part, span);
  if (outer == 0) result.extents = extents;
  if (is_words) result.extents = {};
  return result;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

// Returns a field as an array: of scalars or records in one record, or of what each record of an array has.
Value array_of_field(Checker& checker, const Owner& owner, const RecordField& field, Span span) {
  std::int64_t at = owner.offset + field.offset;
  std::int64_t word = bit_width(owner.array.type->scalar) / 8;
  std::size_t outer = owner.indices ? 0 : static_cast<std::size_t>(written_rank(owner.array.type));
  if (outer + field.extents.size() + is_record(field.type) > static_cast<std::size_t>(limits::array_rank))
    return checker.unsupported(span, fmt::format("an array of more than {} axes", limits::array_rank));
  std::int64_t size = size_in_memory(field.type);
  Type element = field.type;
  if (!is_record(element) && (word % size != 0 || at % size != 0)) element = unaligned(checker, element);
  std::vector<std::int64_t> extents = field.extents, strides = dense_strides(extents);
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count *= extent;
  if (is_record(element)) {
    if (outer + field.extents.size() == static_cast<std::size_t>(limits::array_rank))
      return checker.unsupported(span, fmt::format("an array of more than {} axes", limits::array_rank));
    std::int64_t unit = alignment_of(word | at | size);
    ScalarKind kind = unsigned_kind(unit);
    ir::Operand words = with_elements(checker, owner.array, kind, span);
    for (std::int64_t& stride : strides) stride *= size / unit;
    extents.push_back(size / unit);
    strides.push_back(1);
    return part_of_records(checker, owner, at / unit, count * size / unit, words, extents, strides, element,
                           span);
  }
  ir::Operand elements = with_elements(checker, owner.array, field.type->scalar, span);
  return part_of_records(checker, owner, at / size, count, elements, extents, strides, types::error, span);
}

// ---- Scalars ----

// The place of a scalar: an index of the last axis of an array, or several elements of one from there on.
struct Parts {
  ir::Operand array;
  std::vector<ir::Operand> indices;
  std::int64_t first, count;
};

Parts parts_at(Checker& checker, const Place& place, std::int64_t offset, Type type, Span span) {
  std::int64_t size = size_in_memory(type), word = bit_width(place.array.type->scalar) / 8;
  std::int64_t width = std::min(size, alignment_of(word | offset | size));
  ScalarKind kind = width == size ? type->scalar : unsigned_kind(width);
  return {with_elements(checker, place.array, kind, span), place.indices, offset / width, size / width};
}

std::vector<ir::Operand> indices_of(const Parts& parts, std::int64_t k) {
  std::vector<ir::Operand> indices = parts.indices;
  indices.push_back(number(parts.first + k));
  return indices;
}

std::optional<std::pair<Builtin, Builtin>> bit_casts(Type type) {
  if (type == types::f16) return std::pair{Builtin::F16FromBits, Builtin::Bits};
  if (type == types::bf16) return std::pair{Builtin::BF16FromBits, Builtin::Bits};
  if (type == types::f32) return std::pair{Builtin::F32FromBits, Builtin::Bits};
  if (type == types::f64) return std::pair{Builtin::F64FromBits, Builtin::Bits};
  return std::nullopt;
}

ir::Operand load_scalar(Checker& checker, const Place& place, std::int64_t offset, Type type, Span span) {
  if (is_complex(type)) {
    Type part = part_type(type);
    ir::Operand real = load_scalar(checker, place, offset, part, span);
    ir::Operand imag = load_scalar(checker, place, offset + size_in_memory(part), part, span);
    return make_complex(checker, {real, imag}, span);
  }
  Parts parts = parts_at(checker, place, offset, type, span);
  auto load = [&](std::int64_t k) {
    ir::SlotId slot =
        checker.new_slot("", types::scalar(parts.array.type->scalar), ir::Slot::Kind::Temp, span);
    checker.emit(ir::Load{slot, parts.array, indices_of(parts, k)}, span);
    return checker.slot_operand(slot);
  };
  if (parts.count == 1) return load(0);
  Type word = types::scalar(unsigned_kind(size_in_memory(type)));
  std::int64_t width = bit_width(parts.array.type->scalar);
  ir::Operand bits = ir::constant_int(word, 0);
  for (std::int64_t k = 0; k < parts.count; ++k) {
    ir::Operand part = checker.plain_cast(load(k), word, span);
    if (k > 0) part = checker.binary(ir::BinaryOp::ShiftLeft, part, ir::constant_int(word, k * width), span);
    bits = k == 0 ? part : checker.binary(ir::BinaryOp::BitOr, bits, part, span);
  }
  if (auto casts = bit_casts(type)) return checker.pure(casts->first, type, {bits}, span);
  return checker.plain_cast(bits, type, span);
}

void store_scalar(Checker& checker, const Place& place, std::int64_t offset, ir::Operand value, Span span) {
  Type type = value.type;
  if (is_complex(type)) {
    ComplexParts parts = parts_of(checker, value, span);
    store_scalar(checker, place, offset, parts.real, span);
    return store_scalar(checker, place, offset + size_in_memory(part_type(type)), parts.imag, span);
  }
  Parts parts = parts_at(checker, place, offset, type, span);
  if (parts.count == 1) return checker.emit(ir::Store{parts.array, indices_of(parts, 0), value}, span);
  Type word = types::scalar(unsigned_kind(size_in_memory(type)));
  Type part_of_word = types::scalar(parts.array.type->scalar);
  ir::Operand bits = value;
  if (auto casts = bit_casts(type)) bits = checker.pure(casts->second, word, {value}, span);
  bits = checker.plain_cast(bits, word, span);
  for (std::int64_t k = 0; k < parts.count; ++k) {
    ir::Operand shift = ir::constant_int(word, k * bit_width(part_of_word->scalar));
    ir::Operand part = k == 0 ? bits : checker.binary(ir::BinaryOp::ShiftRight, bits, shift, span);
    checker.emit(ir::Store{parts.array, indices_of(parts, k), checker.plain_cast(part, part_of_word, span)},
                 span);
  }
}

Place place_at(const Owner& owner) {
  Place place;
  place.ok = true;
  place.array = owner.array;
  place.indices = owner.indices.value_or(std::vector<ir::Operand>{});
  return place;
}

// Returns what is at a place of a record as a value: a scalar, or the tuple of what is in it.
Value load_deep(Checker& checker, const Place& place, std::int64_t offset, Type type, Span span);

Value load_axes(Checker& checker, const Place& place, std::int64_t offset, const RecordField& field,
                std::size_t axis, Span span) {
  if (axis == field.extents.size()) return load_deep(checker, place, offset, field.type, span);
  std::int64_t step = size_in_memory(field.type);
  for (std::size_t inner = axis + 1; inner < field.extents.size(); ++inner) step *= field.extents[inner];
  Value tuple = tuple_value({}, span);
  for (std::int64_t k = 0; k < field.extents[axis]; ++k)
    tuple.elements.push_back(load_axes(checker, place, offset + k * step, field, axis + 1, span));
  return tuple;
}

Value load_deep(Checker& checker, const Place& place, std::int64_t offset, Type type, Span span) {
  if (!is_record(type)) {
    return runtime_value(load_scalar(checker, place, offset, type, span), span);
  }
  Value tuple = tuple_like(held_type(type), span);
  for (const RecordField& field : type->record->fields)
    tuple.elements.push_back(load_axes(checker, place, offset + field.offset, field, 0, span));
  return tuple;
}

void store_deep(Checker& checker, const Place& place, std::int64_t offset, Type type, const Value& value,
                Span span);

void store_axes(Checker& checker, const Place& place, std::int64_t offset, const RecordField& field,
                std::size_t axis, const Value& value, Span span) {
  if (axis == field.extents.size()) return store_deep(checker, place, offset, field.type, value, span);
  std::int64_t step = size_in_memory(field.type);
  for (std::size_t inner = axis + 1; inner < field.extents.size(); ++inner) step *= field.extents[inner];
  for (std::size_t k = 0; k < value.elements.size(); ++k)
    store_axes(checker, place, offset + static_cast<std::int64_t>(k) * step, field, axis + 1,
               value.elements[k], span);
}

void store_deep(Checker& checker, const Place& place, std::int64_t offset, Type type, const Value& value,
                Span span) {
  if (!is_record(type))
    return store_scalar(checker, place, offset, convert(checker, value, type, {Purpose::Store, span}), span);
  for (std::size_t k = 0; k < value.elements.size(); ++k) {
    const RecordField& field = type->record->fields[k];
    store_axes(checker, place, offset + field.offset, field, 0, value.elements[k], span);
  }
}

// The most words of a record that are copied one by one; more are copied in a loop.
constexpr std::int64_t most_words = 16;

// Copies a record as its bytes are, those between its fields too.
void copy_words(Checker& checker, const Owner& to, const Owner& from, Span span) {
  std::int64_t size = to.record->record->size;
  auto word = [](const Owner& owner) { return std::int64_t{bit_width(owner.array.type->scalar)} / 8; };
  std::int64_t width = alignment_of(word(to) | word(from) | to.offset | from.offset | size);
  ScalarKind kind = unsigned_kind(width);
  ir::Operand target = with_elements(checker, to.array, kind, span);
  ir::Operand source = with_elements(checker, from.array, kind, span);
  auto copy = [&](ir::Operand k) {
    auto at = [&](const Owner& owner) {
      std::vector<ir::Operand> indices = *owner.indices;
      indices.push_back(checker.binary(ir::BinaryOp::Add, k, number(owner.offset / width), span));
      return indices;
    };
    ir::SlotId slot = checker.new_slot("", types::scalar(kind), ir::Slot::Kind::Temp, span);
    checker.emit(ir::Load{slot, source, at(from)}, span);
    checker.emit(ir::Store{target, at(to), checker.slot_operand(slot)}, span);
  };
  if (size / width <= most_words) {
    for (std::int64_t k = 0; k < size / width; ++k) copy(number(k));
    return;
  }
  ir::Operand k = checker.variable(types::i64, span);
  ir::Body inner = checker.body_of([&] { copy(k); });
  checker.emit(ir::For{*k.slot, number(0), number(1), number(size / width), std::move(inner)}, span);
}

} // namespace

Type unaligned(Checker& checker, Type scalar) {
  return checker.context.module.types.record("unaligned_" + to_string(scalar), {{"", scalar, {}, 0}},
                                             size_in_memory(scalar), 1);
}

void set_element(Place& place, const Value& array) {
  place.array = array.operand;
  place.is_record = is_record_array(array) && !is_unaligned(record_type(array.type));
  if (is_record_array(array) && !place.is_record) place.field = record_type(array.type)->elements[0];
}

Value dereferenced(Value value) {
  return is_record_reference(value) ? record_at(value.operand, {}, value.span) : value;
}

Value record_at(ir::Operand array, std::vector<ir::Operand> indices, Span span) {
  Value value = plain_value(ValueKind::Record, span);
  value.operand = array;
  value.indices = std::move(indices);
  value.type = record_type(array.type);
  return value;
}

std::optional<Place> scalar_field(Checker& checker, const Value& record, std::string_view name, Span span) {
  if (!is_record_place(record)) return std::nullopt;
  Owner owner = owner_of(record);
  std::optional<std::size_t> index = find_field(checker, owner.record, name, span);
  if (!index) return std::nullopt;
  const RecordField& field = owner.record->record->fields[*index];
  if (is_record(field.type) || !field.extents.empty()) return std::nullopt;
  Place place = place_at(owner);
  place.field = field.type;
  place.offset = owner.offset + field.offset;
  return place;
}

Value field_of(Checker& checker, const Value& given, std::string_view name, Span span) {
  Value value = dereferenced(given);
  if (is_tuple(value)) {
    std::optional<std::size_t> index = find_field(checker, value.type, name, span);
    return index ? read_at(value.elements[*index], span) : error_value(span);
  }
  Owner owner = owner_of(value);
  std::optional<std::size_t> index = find_field(checker, owner.record, name, span);
  if (!index) return error_value(span);
  const RecordField& field = owner.record->record->fields[*index];
  if (!is_record_place(value) || !field.extents.empty()) return array_of_field(checker, owner, field, span);
  if (is_record(field.type)) {
    value.span = span;
    value.integer += field.offset;
    value.type = field.type;
    return value;
  }
  return load_field(checker, *scalar_field(checker, value, name, span), span);
}

Value load_field(Checker& checker, const Place& place, Span span) {
  return load_deep(checker, place, place.offset, place.field, span);
}

void store_field(Checker& checker, const Place& place, ir::Operand value, Span span) {
  store_scalar(checker, place, place.offset, value, span);
}

static std::size_t count_leaves(Type type) {
  if (!is_tuple(type)) return 1;
  std::size_t count = 0;
  for (Type element : type->elements) count += count_leaves(element);
  return count;
}

Value whole_record(Checker& checker, const Value& record) {
  Owner owner = owner_of(record);
  if (is_unaligned(owner.record))
    return load_deep(checker, place_at(owner), owner.offset, owner.record->elements[0], record.span);
  if (checker.rules.refers_to_records && !holds_tuple(owner.record)) {
    std::int64_t word = bit_width(owner.array.type->scalar) / 8, size = owner.record->record->size;
    std::int64_t unit = alignment_of(word | owner.offset | size);
    ScalarKind kind = unsigned_kind(unit);
    bool is_whole = owner.indices->empty() && owner.offset == 0 && kind == owner.array.type->scalar &&
                    owner.record == record_type(owner.array.type);
    if (is_whole) return runtime_value(owner.array, record.span);
    ir::Operand words = with_elements(checker, owner.array, kind, record.span);
    return part_of_records(checker, owner, owner.offset / unit, size / unit, words, {size / unit}, {1},
                           owner.record, record.span);
  }
  return fields_of_record(checker, record);
}

Value fields_of_record(Checker& checker, const Value& record) {
  Owner owner = owner_of(record);
  if (count_leaves(owner.record) > static_cast<std::size_t>(limits::tuple_elements)) {
    checker.report(record.span, diag::record_too_large, owner.record->record->name, limits::tuple_elements);
    return error_value(record.span);
  }
  return load_deep(checker, place_at(owner), owner.offset, owner.record, record.span);
}

// Returns a value with its records in memory as their fields.
static Value loaded(Checker& checker, const Value& given) {
  Value value = dereferenced(given);
  if (is_record_place(value)) return fields_of_record(checker, value);
  for (Value& element : value.elements) element = loaded(checker, element);
  return value;
}

// Says whether a value is a tuple that may lie so in an array: numbers are converted, records are of their types.
static bool fits_tuple(const Value& value, Type type) {
  if (!is_record(type)) return is_number(value) || is_unknown(value);
  if (!holds_tuple(type)) return is_tuple(value) && value.type == type;
  const std::vector<RecordField>& fields = type->record->fields;
  if (!is_tuple(value) || value.elements.size() != fields.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (!fits_tuple(value.elements[i], fields[i].type)) return false;
  return true;
}

// Says whether records of two types lie in memory in the same way, by the same names: in Python they are of one dtype.
static bool has_same_layout(Type a, Type b) {
  if (a == b) return true;
  if (!is_record(a) || !is_record(b) || a->record->size != b->record->size) return false;
  return std::ranges::equal(a->record->fields, b->record->fields,
                            [](const RecordField& x, const RecordField& y) {
                              return x.name == y.name && x.offset == y.offset && x.extents == y.extents &&
                                     has_same_layout(x.type, y.type);
                            });
}

void store_record(Checker& checker, const Value& target, const Value& given, Span span) {
  Value value = dereferenced(given);
  if (is_error(value) || is_unknown(value)) return;
  Owner owner = owner_of(target);
  if (owner.array.type->space == AddressSpace::Constant) {
    checker.report(span, diag::constant_array);
    return;
  }
  if (is_unaligned(owner.record)) {
    if (is_record_place(value)) value = whole_record(checker, value);
    ir::Operand scalar = convert(checker, value, owner.record->elements[0], {Purpose::Store, span});
    return store_scalar(checker, place_at(owner), owner.offset, scalar, span);
  }
  bool is_same = (is_record_place(value) || is_tuple(value)) &&
                 (value.type == owner.record ||
                  (checker.rules.refers_to_records && has_same_layout(value.type, owner.record)));
  if (!is_same && holds_tuple(owner.record)) {
    if (is_record_place(value) || is_tuple(value)) value = loaded(checker, value);
    // A tuple that is written out here passes: each number of it that does not fit has an error of its own,
    // which gives the cast.
    bool is_written = is_tuple(value) && !value.elements.empty() && value.elements[0].span != value.span;
    is_same = fits_tuple(value, owner.record) &&
              (is_written || converts_deep(checker, value, held_type(owner.record)));
  }
  if (!is_same) {
    checker.report(value.span, diag::wrong_type, describe(checker, value),
                   to_string(held_type(owner.record)));
    return;
  }
  if (is_record_place(value)) return copy_words(checker, owner, owner_of(value), span);
  store_deep(checker, place_at(owner), owner.offset, owner.record, value, span);
}

} // namespace kern::checker
