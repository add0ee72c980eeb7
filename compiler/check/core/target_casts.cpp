// The casts that errors write, by the place that an expression goes to.
#include "compiler/check/core/target_casts.h"

#include <algorithm>

#include "compiler/advice/advice.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/stored_sums.h"

namespace kern::checker {

// Returns the type of a field of a record, or of an array of such; unknown where it is none.
static Type field_type(Type owner, std::string_view name) {
  Type record = is_record_array(owner) ? record_type(owner) : owner;
  if (!is_record(record)) return types::unknown;
  auto field = std::ranges::find(record->record->fields, name, &RecordField::name);
  bool is_found = field != record->record->fields.end();
  return is_found ? record->elements[static_cast<std::size_t>(field - record->record->fields.begin())]
                  : types::unknown;
}

Type place_type(Checker& checker, const ast::Expr& place) {
  if (const auto* name = ast::as<ast::Name>(&place)) {
    const Local* local = find_local(checker, name->text);
    return local ? local->type : types::unknown;
  }
  if (const auto* attribute = ast::as<ast::Attribute>(&place))
    return field_type(place_type(checker, *attribute->value), attribute->name);
  const auto* subscript = ast::as<ast::Subscript>(&place);
  if (!subscript) return types::unknown;
  Type owner = place_type(checker, *subscript->value);
  if (const auto* text = ast::as<ast::StringLiteral>(subscript->indices.front()))
    return field_type(owner, text->value);
  if (is_array(owner)) return is_record_array(owner) ? record_type(owner) : element_type(owner);
  // An array in a record is a tuple of elements of one type.
  for (std::size_t k = 0; k < subscript->indices.size(); ++k)
    owner = is_tuple(owner) && !owner->elements.empty() ? owner->elements[0] : types::unknown;
  return owner;
}

std::optional<Target> target_of(Checker& checker, Span place) {
  bool is_known = checker.final && checker.instance && !checker.rules.casts_numbers;
  return is_known ? checker.context.hooks.find_target(checker, place) : std::nullopt;
}

Type declared_type(Checker& checker, const ast::Expr& target) {
  const auto* name = ast::as<ast::Name>(&target);
  const Local* local = name ? find_local(checker, name->text) : nullptr;
  return local && !local->annotated ? types::unknown : place_type(checker, target);
}

// Returns the type to which an integer is cast beside floats of a type.
static Type cast_type(const Value& integer, Type other, const std::optional<Target>& target) {
  bool is_literal = other == types::float_literal;
  Type type = is_literal ? types::f32 : other;
  if (target && is_float(target->type))
    type = join(type, target->type).value_or(type);
  else if (target && is_literal && bit_width(target->type->scalar) > 16 &&
           !holds(exact_interval(types::f32), interval_of(integer)))
    type = types::f64;
  bool is_half = bit_width(type->scalar) < 32;
  return is_half && !fits_by_type(integer, type) ? types::f32 : type;
}

std::string float_cast(Checker& checker, const Value& integer, Type other) {
  return cast_text(checker, integer, cast_type(integer, other, target_of(checker, integer.span)));
}

std::string float_operand(Checker& checker, const Value& integer, Type other, Span place) {
  std::optional<Target> target = target_of(checker, integer.span);
  Type type = cast_type(integer, other, target);
  std::string cast = cast_text(checker, integer, type);
  if (!target || converts(type, target->type)) return cast;
  const std::optional<StoredSum> sum = stored_sum(checker, place);
  if (target->is_augmented && sum && target->whole == integer.span)
    return sum->assigned(advice::cast(advice::binary(sum->target, sum->op, cast), target->type));
  if (target->is_augmented || target->whole == integer.span) return cast;
  const SourceManager& sources = *checker.context.program.sources;
  return advice::cast(advice::replaced(sources, target->whole, integer.span, cast), target->type);
}

} // namespace kern::checker
