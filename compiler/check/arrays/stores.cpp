// Stores of values into elements, records and views of arrays; each row of an array is read like an element.

#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

static void store_into_view(Checker& checker, const Place& place, const Value& value, Span span);

Value element_at(Checker& checker, const Value& array, const Value& index, Span span) {
  ir::Operand place = *as_index(checker, index);
  ir::SiteId where = checker.site(ir::FaultKind::IndexOutOfRange, span,
                                  std::string(checker.context.source(array.span)), &array.operand);
  checker.emit(ir::Guard{array.operand, 0, place, where, ir::GuardState::Kept, ""}, span);
  if (written_rank(array.type) == 1) {
    Place element;
    element.ok = true;
    set_element(element, array);
    element.indices = {place};
    Value value = load(checker, element, span);
    return is_record_place(value) ? whole_record(checker, value) : value;
  }
  std::vector<ir::ViewAxis> axes{{ir::ViewAxis::Kind::Index, place, {}, {}}};
  ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
  for (int axis = 1; axis < array.type->rank; ++axis)
    axes.push_back({ir::ViewAxis::Kind::Range, zero, checker.extent(array.operand, axis, span), one});
  Type type =
      checker.context.module.types.with_rank(array.type, written_rank(array.type) - 1, array.type->layout);
  return runtime_value(checker.temp(type, ir::View{array.operand, std::move(axes)}, span), span);
}

// a[i].position = (x, y, z): the elements of a tuple become those of an array, which has as many.
static void store_tuple(Checker& checker, ir::Operand array, const Value& value, Span span) {
  if (array.type->rank != 1) {
    checker.report(value.span, diag::wrong_type, describe(checker, value), to_string(array.type));
    return;
  }
  auto count = static_cast<std::int64_t>(value.elements.size());
  ir::Operand same = checker.compare(ir::CompareOp::Equal, checker.extent(array, 0, span),
                                     ir::constant_int(types::i64, count), span);
  checker.check_condition(same, ir::FaultKind::UnpackLength, span,
                          fmt::format("`{}` does not have the extent of `{}` along axis 0",
                                      checker.context.source(value.span), checker.context.source(span)));
  for (std::int64_t k = 0; k < count; ++k) {
    Place element;
    element.ok = true;
    element.array = array;
    element.indices = {ir::constant_int(types::i64, k)};
    store(checker, element, value.elements[static_cast<std::size_t>(k)], span);
  }
}

void store(Checker& checker, const Place& place, const Value& value, Span span) {
  if (!place.ok || is_error(value) || is_unknown(value)) return;
  if (place.array.type->space == AddressSpace::Constant) {
    checker.report(span, diag::constant_array);
    return;
  }
  if (place.is_record || (is_record_array(place.array.type) && !place.is_field()))
    return store_records(checker, place, value, span);
  note_meeting(checker, value, type_at(place), span);
  if (place.is_view && is_tuple(value)) return store_tuple(checker, place.array, value, span);
  if (place.is_view) return store_into_view(checker, place, value, span);
  ir::Operand operand = convert(checker, value, type_at(place), {Purpose::Store, span});
  if (place.is_field()) return store_field(checker, place, operand, span);
  checker.emit(ir::Store{place.array, place.indices, operand}, span);
}

// Returns the view that a temporary of this body holds.
static const ir::View* find_view(const Checker& checker, ir::Operand array) {
  for (auto stmt = checker.body().rbegin(); array.slot && stmt != checker.body().rend(); ++stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt->node);
    if (!assign || assign->slot != *array.slot) continue;
    bool is_temp = checker.slot(assign->slot).kind == ir::Slot::Kind::Temp;
    return is_temp ? std::get_if<ir::View>(&assign->value) : nullptr;
  }
  return nullptr;
}

// The parts of complex elements are a view of their own each time that they are named.
static bool is_same_array(const Checker& checker, const ir::Operand& a, const ir::Operand& b) {
  if (a == b) return true;
  const ir::View *left = find_view(checker, a), *right = find_view(checker, b);
  return left && right && left->part && left->part == right->part && left->array == right->array;
}

// x[1:] = x[:-1]: along an axis where both are parts of one array, the same steps apart, elements are copied
// from the last to the first if the source begins before the target. Returns whether, for each axis of the
// target.
static std::vector<ir::Operand> copied_backwards(Checker& checker, ir::Operand target, ir::Operand source,
                                                 Span span) {
  std::vector<ir::Operand> result(static_cast<std::size_t>(target.type->rank), ir::constant_bool(false));
  const ir::View *to = find_view(checker, target), *from = find_view(checker, source);
  if (!to || !from || !is_same_array(checker, to->array, from->array)) return result;
  std::size_t next = 0;
  // Emitting statements moves the views, so their axes are copied.
  std::vector<ir::ViewAxis> targets = to->axes, sources = from->axes;
  for (std::size_t axis = 0; axis < targets.size(); ++axis) {
    const ir::ViewAxis &into = targets[axis], &out_of = sources[axis];
    if (into.kind != ir::ViewAxis::Kind::Range) continue;
    std::size_t at = next++;
    bool in_step = out_of.kind == into.kind && out_of.step == into.step && !into.step.slot;
    if (!in_step) continue;
    bool up = ir::int_value(into.step) > 0;
    result[at] =
        checker.compare(up ? ir::CompareOp::Less : ir::CompareOp::Greater, out_of.start, into.start, span);
  }
  return result;
}

// a[i:j] = x: every element of the view becomes x, or the element of x at its place. x may have fewer axes.
static void store_into_view(Checker& checker, const Place& place, const Value& value, Span span) {
  int rank = place.array.type->rank;
  bool from_array = is_array(value);
  int offset = from_array ? rank - value.type->rank : 0;
  if (offset < 0 || (!from_array && !is_number(value))) {
    checker.report(value.span, diag::wrong_type, describe(checker, value), to_string(place.array.type));
    return;
  }
  ir::Operand scalar;
  if (!from_array) scalar = convert(checker, value, element_type(place.array.type), {Purpose::Store, span});
  for (int axis = 0; from_array && axis < value.type->rank; ++axis) {
    ir::Operand a = checker.extent(place.array, axis + offset, span),
                b = checker.extent(value.operand, axis, span);
    checker.check_condition(
        checker.compare(ir::CompareOp::Equal, a, b, span), ir::FaultKind::UnpackLength, span,
        fmt::format("`{}` does not have the extent of `{}` along axis {}", checker.context.source(value.span),
                    checker.context.source(span), axis + offset));
  }
  ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
  std::vector<ir::Operand> backwards(static_cast<std::size_t>(rank), ir::constant_bool(false)), indices;
  if (from_array) backwards = copied_backwards(checker, place.array, value.operand, span);
  for (int axis = 0; axis < rank; ++axis) indices.push_back(checker.variable(types::i64, span));
  std::function<void(int)> loop = [&](int axis) {
    if (axis == rank) {
      ir::Operand element = scalar;
      if (from_array) {
        ir::SlotId slot = checker.new_slot("", element_type(value.type), ir::Slot::Kind::Temp, span);
        checker.emit(ir::Load{slot, value.operand, {indices.begin() + offset, indices.end()}}, span);
        element = convert(checker, runtime_value(checker.slot_operand(slot), value.span),
                          element_type(place.array.type), {Purpose::Store, span});
      }
      return checker.emit(ir::Store{place.array, indices, element}, span);
    }
    ir::Operand count = checker.extent(place.array, axis, span);
    auto at = static_cast<std::size_t>(axis);
    ir::Operand last = backwards[at].slot ? checker.binary(ir::BinaryOp::Subtract, count, one, span) : zero;
    ir::Operand start = checker.select(backwards[at], last, zero, span);
    ir::Operand step = checker.select(backwards[at], ir::constant_int(types::i64, -1), one, span);
    ir::Body inner = checker.body_of([&] { loop(axis + 1); });
    checker.emit(ir::For{*indices[at].slot, start, step, count, std::move(inner)}, span);
  };
  loop(0);
}

} // namespace kern::checker
