// Records and named tuples as values: their fields by name, how they are made, and what arrays of them have.
#include "compiler/check/records/records.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/place.h"
#include "compiler/check/core/report.h"

#include <algorithm>

#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/nearest.h"

namespace kern::checker {

static std::string names_of(const RecordData& record) {
  std::string text;
  for (const RecordField& field : record.fields)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", field.name);
  return text;
}

std::optional<std::size_t> find_field(Checker& checker, Type owner, std::string_view name, Span span) {
  const RecordData& record = *owner->record;
  auto found = std::ranges::find(record.fields, name, &RecordField::name);
  if (found != record.fields.end()) return static_cast<std::size_t>(found - record.fields.begin());
  Report error = checker.report(span, diag::unknown_field, record.name, name);
  if (!error.is_kept()) return std::nullopt;
  NearestName nearest(name);
  for (const RecordField& field : record.fields) nearest.offer(field.name);
  if (nearest.best().empty())
    error.note("it has {}", names_of(record));
  else
    error.note("the nearest name is `{}`", nearest.best());
  return std::nullopt;
}

std::optional<Place> field_place(Checker& checker, const Value& given, std::string_view name, Span span) {
  Value owner = dereferenced(given);
  if (std::optional<Place> place = scalar_field(checker, owner, name, span)) return place;
  Value field = field_of(checker, owner, name, span);
  if (is_error(field)) return std::nullopt;
  Place place;
  place.ok = true;
  place.is_view = !is_record_place(field);
  place.is_record = is_record_place(field);
  place.array = field.operand;
  place.indices = field.indices;
  if (!place.is_record) return place;
  place.offset = static_cast<std::int64_t>(field.integer);
  place.record = field.type;
  return place;
}

// Stores into each record of a part of an array: one record, or those of another part.
static void store_each(Checker& checker, ir::Operand target, const Value& value, Span span) {
  int rank = written_rank(target.type);
  bool from_array = is_record_array(value) && !is_record_reference(value);
  if (from_array && written_rank(value.type) != rank) {
    checker.report(value.span, diag::wrong_type, describe(checker, value), to_string(target.type));
    return;
  }
  std::vector<ir::Operand> indices;
  for (int axis = 0; axis < rank; ++axis) {
    indices.push_back(checker.variable(types::i64, span));
    if (!from_array) continue;
    ir::Operand a = checker.extent(target, axis, span), b = checker.extent(value.operand, axis, span);
    checker.check_condition(
        checker.compare(ir::CompareOp::Equal, a, b, span), ir::FaultKind::UnpackLength, span,
        fmt::format("`{}` does not have the extent of `{}` along axis {}", checker.context.source(value.span),
                    checker.context.source(span), axis));
  }
  std::function<void(int)> loop = [&](int axis) {
    if (axis == rank) {
      Value from = from_array ? record_at(value.operand, indices, value.span) : value;
      return store_record(checker, record_at(target, indices, span), from, span);
    }
    ir::Operand count = checker.extent(target, axis, span);
    ir::Body inner = checker.body_of([&] { loop(axis + 1); });
    ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
    checker.emit(ir::For{*indices[static_cast<std::size_t>(axis)].slot, zero, one, count, std::move(inner)},
                 span);
  };
  loop(0);
}

void store_records(Checker& checker, const Place& place, const Value& value, Span span) {
  if (!place.is_record) return store_each(checker, place.array, value, span);
  Value target = record_at(place.array, place.indices, span);
  target.integer = place.offset;
  if (place.record != types::unknown) target.type = place.record;
  store_record(checker, target, value, span);
}

Value field_value(Checker& checker, const Value& value, Type type) {
  Value given = dereferenced(value);
  if (is_record_place(given) && given.type == type) return whole_record(checker, given);
  bool fits = is_tuple(type) ? is_tuple(given) && converts_deep(checker, given, type) : true;
  if (!fits) {
    checker.report(value.span, diag::wrong_type, describe(checker, value), to_string(type));
    return error_value(value.span);
  }
  note_meeting(checker, given, type, given.span);
  return convert_value(checker, given, type, Purpose::Assignment);
}

Value make_record(Checker& checker, Type type, const Args& args, Span span) {
  const RecordData& record = *type->record;
  std::vector<std::optional<Value>> fields(record.fields.size());
  if (args.positional.size() > fields.size()) {
    checker.report(span, diag::record_fields, record.name, names_of(record));
    return error_value(span);
  }
  std::ranges::copy(args.positional, fields.begin());
  for (const auto& [name, value] : args.keywords) {
    std::optional<std::size_t> index = find_field(checker, type, name, span);
    if (!index) return error_value(span);
    if (fields[*index]) {
      checker.report(span, diag::argument_twice, name);
      return error_value(span);
    }
    fields[*index] = value;
  }
  Value result = plain_value(ValueKind::Tuple, span);
  result.type = type;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i]) {
      checker.report(span, diag::record_fields, record.name, names_of(record))
          .note("`{}` is missing", record.fields[i].name);
      return error_value(span);
    }
    if (has_unknown(*fields[i])) return unknown_value(span);
    result.elements.push_back(record.is_named_tuple ? *fields[i]
                                                    : field_value(checker, *fields[i], type->elements[i]));
    if (is_error(result.elements.back())) return error_value(span);
  }
  return result;
}

} // namespace kern::checker
