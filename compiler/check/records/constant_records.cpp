// The bytes of the records are computed here, as NumPy has them in memory; a constant array holds them as words.
#include "compiler/check/records/constant_records.h"

#include <algorithm>
#include <array>

#include "compiler/check/core/number_as.h"
#include "compiler/support/limits.h"
#include "compiler/values/fold.h"

namespace kern::checker {

namespace {

using Bytes = std::vector<std::uint8_t>;

// Says whether a value has the form of a record: a tuple of scalars, of arrays and of records where its fields are such.
bool has_form(const Value& value, Type type, std::span<const std::int64_t> extents) {
  if (!extents.empty()) {
    const bool fits = is_tuple(value) && value.elements.size() == static_cast<std::size_t>(extents[0]);
    return fits && std::ranges::all_of(value.elements, [&](const Value& element) {
             return has_form(element, type, extents.subspan(1));
           });
  }
  if (!is_record(type)) return is_constant_number(value);
  const std::vector<RecordField>& fields = type->record->fields;
  if (!is_tuple(value) || value.elements.size() != fields.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (!has_form(value.elements[i], fields[i].type, fields[i].extents)) return false;
  return true;
}

bool put_bits(const ir::Operand& scalar, std::size_t at, Bytes& bytes) {
  const auto size = static_cast<std::size_t>(size_in_memory(scalar.type));
  std::uint64_t bits = scalar.bits;
  if (is_float(scalar.type)) {
    const Type word = types::scalar(unsigned_kind(size_in_memory(scalar.type)));
    std::optional<ir::Operand> folded = fold_builtin(Builtin::Bits, word, std::array{scalar});
    if (!folded) return false;
    bits = folded->bits;
  }
  for (std::size_t k = 0; k < size; ++k) bytes[at + k] = static_cast<std::uint8_t>(bits >> (8 * k));
  return true;
}

bool put(const Value& value, Type type, std::span<const std::int64_t> extents, std::size_t at, Bytes& bytes) {
  if (!extents.empty()) {
    auto step = static_cast<std::size_t>(size_in_memory(type));
    for (std::int64_t extent : extents.subspan(1)) step *= static_cast<std::size_t>(extent);
    for (std::size_t k = 0; k < value.elements.size(); ++k)
      if (!put(value.elements[k], type, extents.subspan(1), at + k * step, bytes)) return false;
    return true;
  }
  if (is_record(type)) {
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      const RecordField& field = type->record->fields[i];
      const std::size_t place = at + static_cast<std::size_t>(field.offset);
      if (!put(value.elements[i], field.type, field.extents, place, bytes)) return false;
    }
    return true;
  }
  std::optional<ir::Operand> element = number_as(value, type);
  if (!element) return false;
  if (!is_complex(type)) return put_bits(*element, at, bytes);
  const ir::Operand real = ir::part_of(*element, 0), imag = ir::part_of(*element, 1);
  return put_bits(real, at, bytes) &&
         put_bits(imag, at + static_cast<std::size_t>(size_in_memory(real.type)), bytes);
}

// Appends the records of nested rows; false where a row has another length than the first, or is no record.
bool put_rows(const Value& value, Type record, std::size_t axis, std::vector<std::int64_t>& extents,
              Bytes& bytes) {
  if (axis > 0 && has_form(value, record, {})) {
    if (axis != extents.size()) return false;
    const std::size_t at = bytes.size();
    bytes.resize(at + static_cast<std::size_t>(record->record->size));
    return put(value, record, {}, at, bytes);
  }
  if (!is_tuple(value) || (value.elements.empty() && axis > 0)) return false;
  const auto count = static_cast<std::int64_t>(value.elements.size());
  if (axis == extents.size()) extents.push_back(count);
  if (axis > extents.size() || extents[axis] != count) return false;
  return std::ranges::all_of(value.elements, [&](const Value& element) {
    return put_rows(element, record, axis + 1, extents, bytes);
  });
}

} // namespace

std::optional<Value> record_table(Checker& checker, const Value& value, Type record, Span span) {
  std::vector<std::int64_t> extents;
  Bytes bytes;
  if (!put_rows(value, record, 0, extents, bytes)) return std::nullopt;
  if (extents.size() >= static_cast<std::size_t>(limits::array_rank)) return std::nullopt;
  Value table = plain_value(ValueKind::Table, span);
  table.type = checker.context.module.types.record_array(record, static_cast<int>(extents.size()),
                                                         AddressSpace::Constant);
  table.extents = extents;
  const auto width = static_cast<std::size_t>(bit_width(table.type->scalar)) / 8;
  ir::ConstantDecl words{"", table.type->scalar, std::move(extents), {}};
  words.extents.push_back(record->record->size / static_cast<std::int64_t>(width));
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < width; ++k) bits |= std::uint64_t{bytes[at + k]} << (8 * k);
    words.values.push_back(bits);
  }
  table.table = &checker.context.tables.emplace_back(std::move(words));
  return table;
}

} // namespace kern::checker
