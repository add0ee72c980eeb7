// Records and named tuples as values: their fields by name, how they are made and changed, and what arrays of them
// have.
#include "compiler/check/records.h"

#include <algorithm>

#include "compiler/check/vocabulary.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"

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
  NearestName nearest(name);
  for (const RecordField& field : record.fields) nearest.offer(field.name);
  Report error = checker.report(span, diag::unknown_field, record.name, name);
  if (nearest.best().empty())
    error.note("it has {}", names_of(record));
  else
    error.note("the nearest name is `{}`", nearest.best());
  return std::nullopt;
}

std::optional<std::string_view> field_name(Checker& checker, const Value& owner,
                                           std::span<const ast::Expr* const> indices) {
  bool has_fields =
      is_record_place(owner) || is_record_array(owner) || (is_tuple(owner) && is_record(owner.type));
  bool is_plain =
      indices.size() == 1 && indices[0]->kind != ast::Kind::Slice && indices[0]->kind != ast::Kind::Starred;
  if (!has_fields || !is_plain) return std::nullopt;
  const ast::Expr& index = *indices[0];
  // Only a string is a name; anything else is evaluated where it counts as an index.
  bool may_be_name = index.kind == ast::Kind::StringLiteral || index.kind == ast::Kind::Name ||
                     index.kind == ast::Kind::Attribute || index.kind == ast::Kind::Subscript;
  if (!may_be_name) return std::nullopt;
  if (index.kind != ast::Kind::StringLiteral) {
    const auto* name = ast::as<ast::Name>(&index);
    if (!name) return std::nullopt;
    if (const Local* local = checker.find_local(name->text);
        local && !(local->known && local->known->kind == ValueKind::String))
      return std::nullopt;
  }
  Value value = checker.evaluate(index);
  return value.kind == ValueKind::String ? std::optional(value.text) : std::nullopt;
}

std::optional<Checker::Place> field_place(Checker& checker, const Value& given, std::string_view name,
                                          Span span) {
  Value owner = dereferenced(given);
  if (std::optional<Checker::Place> place = scalar_field(checker, owner, name, span)) return place;
  Value field = field_of(checker, owner, name, span);
  if (is_error(field)) return std::nullopt;
  Checker::Place place;
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
    checker.report(value.span, diag::wrong_type, checker.describe(value), to_string(target.type));
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

void store_records(Checker& checker, const Checker::Place& place, const Value& value, Span span) {
  if (!place.is_record) return store_each(checker, place.array, value, span);
  Value target = record_at(place.array, place.indices, span);
  target.integer = place.offset;
  if (place.record != types::unknown) target.type = place.record;
  store_record(checker, target, value, span);
}

// Returns a value as one of the type of a field; a tuple becomes an array in the record.
static Value field_value(Checker& checker, const Value& value, Type type) {
  Value given = dereferenced(value);
  if (is_record_place(given) && given.type == type) return whole_record(checker, given);
  bool fits = is_tuple(type) ? is_tuple(given) && checker.converts_deep(given, type) : true;
  if (!fits) {
    checker.report(value.span, diag::wrong_type, checker.describe(value), to_string(type));
    return error_value(value.span);
  }
  checker.note_meeting(given, type, given.span);
  return checker.convert_value(given, type, Purpose::Assignment);
}

Value make_record(Checker& checker, Type type, const Checker::Args& args, Span span) {
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

// ---- Records that locals hold ----

// Returns the local that a target is a part of: `p.x`, `p.x[i]`, `p.inner.y`.
static Local* root_of(Checker& checker, const ast::Expr& target) {
  if (const auto* name = ast::as<ast::Name>(&target)) return checker.find_local(name->text);
  if (const auto* attribute = ast::as<ast::Attribute>(&target)) return root_of(checker, *attribute->value);
  if (const auto* subscript = ast::as<ast::Subscript>(&target)) return root_of(checker, *subscript->value);
  return nullptr;
}

bool changes_local(Checker& checker, const ast::Expr& target) {
  Local* root = target.kind == ast::Kind::Name ? nullptr : root_of(checker, target);
  if (!root) return false;
  Type type = root->known ? checker.type_of(*root->known).value_or(types::error) : root->type;
  if (type == types::unknown) type = root->joined;
  return is_tuple(type) && type->record;
}

// Returns an array in a record with another element at a computed place: it is changed in memory of the thread.
static Value with_element(Checker& checker, const Value& tuple, const Value& index, const Value& value,
                          const ast::Subscript& target) {
  std::optional<Type> type = checker.type_of(tuple);
  Type element = type && !type.value()->elements.empty() ? type.value()->elements[0] : types::error;
  if (!is_scalar(element)) {
    checker.report(target.span, diag::computed_tuple_index, checker.context.source(target.value->span));
    return error_value(target.span);
  }
  auto count = static_cast<std::int64_t>(tuple.elements.size());
  Type array_type =
      checker.context.module.types.array(element->scalar, 1, AddressSpace::Local, Layout::COrder);
  ir::Operand array = checker.temp(array_type, ir::LocalArray{{count}}, target.span);
  for (std::int64_t k = 0; k < count; ++k)
    checker.emit(ir::Store{array,
                           {ir::constant_int(types::i64, k)},
                           checker.as_operand(tuple.elements[static_cast<std::size_t>(k)])},
                 target.span);
  Checker::Place place;
  place.ok = true;
  place.array = array;
  place.indices = {checker.guarded_index(array, 0, index, *target.value)};
  checker.store(place, value, target.span);
  Value result = tuple_value({}, tuple.span);
  for (std::int64_t k = 0; k < count; ++k) {
    place.indices = {ir::constant_int(types::i64, k)};
    result.elements.push_back(checker.load(place, target.span));
  }
  return result;
}

bool assign_field(Checker& checker, const ast::Expr& target, const Value& value, const ast::Node& site) {
  if (!changes_local(checker, target)) return false;
  if (is_error(value) || is_unknown(value)) return true;
  if (Local* root = root_of(checker, target); checker.scope->is_numba()) {
    Type type = root->known ? checker.type_of(*root->known).value_or(types::error) : root->type;
    if (is_record(type)) {
      checker.report(target.span, diag::record_argument, root->name);
      return true;
    }
  }
  const auto* attribute = ast::as<ast::Attribute>(&target);
  const auto* subscript = ast::as<ast::Subscript>(&target);
  const ast::Expr& owner = attribute ? *attribute->value : *subscript->value;
  Value base = checker.evaluate(owner);
  if (is_error(base) || is_unknown(base)) return true;
  std::optional<std::string_view> name =
      attribute ? std::optional(attribute->name) : field_name(checker, base, subscript->indices);
  bool is_part = is_tuple(base) && (is_record(base.type) || (!name && owner.kind != ast::Kind::Name));
  if (!is_part || (name && !is_record(base.type)) || (!name && subscript->indices.size() != 1)) {
    bool is_named = is_tuple(base) && is_tuple(base.type) && base.type->record->is_named_tuple;
    if (is_named)
      checker.report(target.span, diag::named_tuple_field, base.type->record->name);
    else
      checker.report(target.span, diag::not_assignable, checker.context.source(target.span));
    return true;
  }
  Value changed = base;
  if (name) {
    std::optional<std::size_t> index = find_field(checker, base.type, *name, target.span);
    if (!index) return true;
    changed.elements[*index] = field_value(checker, value, base.type->elements[*index]);
    if (is_error(changed.elements[*index])) return true;
  } else {
    Value index = checker.evaluate(*subscript->indices[0]);
    if (is_error(index) || is_unknown(index) || !checker.check_index(index)) return true;
    std::optional<WideInt> constant = constant_integer(index);
    if (!constant) {
      changed = with_element(checker, base, index, value, *subscript);
    } else {
      auto count = static_cast<WideInt>(base.elements.size());
      WideInt at = *constant < 0 && checker.counts_from_end(index) ? *constant + count : *constant;
      if (at < 0 || at >= count) {
        checker.report(target.span, diag::tuple_index,
                       fmt::format("`{}`", checker.context.source(owner.span)),
                       static_cast<std::int64_t>(count));
        return true;
      }
      std::optional<Type> type = checker.type_of(base.elements[static_cast<std::size_t>(at)]);
      changed.elements[static_cast<std::size_t>(at)] =
          field_value(checker, value, type.value_or(types::error));
    }
    if (is_error(changed)) return true;
  }
  checker.assign_target(owner, changed, site, false);
  return true;
}

} // namespace kern::checker
