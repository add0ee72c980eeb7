// Assignments of several lanes: an expression is lowered as it is for one (shared/expressions.cpp), and here stands what is made
// of it besides, where lanes step alike.
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

static bool is_varying_slot(const Lowerer& lower, ir::SlotId slot) {
  return shape_of(lower, {types::error, slot}).kind == Shape::Kind::Varying;
}

// Whether a comparison in which lanes differ is one of scalars: each is the same in all lanes, or steps from lane to lane.
static bool is_linear(const Lowerer& lower, const ir::Compare& compare) {
  const Shape left = shape_of(lower, compare.left), right = shape_of(lower, compare.right);
  const bool is_uniform = left.kind == Shape::Kind::Uniform && right.kind == Shape::Kind::Uniform;
  return is_integer(compare.left.type) && !is_uniform && left.kind != Shape::Kind::Varying &&
         right.kind != Shape::Kind::Varying;
}

void assign_lanes(Lowerer& lower, const ir::Assign& assign) {
  if (const auto* local = std::get_if<ir::LocalArray>(&assign.value))
    return local_array_lanes(lower, assign, *local);
  if (is_array(lower.ir.slots[static_cast<std::size_t>(assign.slot)].type))
    return lower_assign(lower, assign);
  const auto* compare = std::get_if<ir::Compare>(&assign.value);
  if (compare) note_linear_test(lower, assign.slot, *compare);
  if (const auto* joint = std::get_if<ir::Binary>(&assign.value)) note_joint_test(lower, assign.slot, *joint);
  if (test_is_enough(lower, assign.slot)) return;
  note_mostly_linear(lower, assign);
  if (!compare || !is_varying_slot(lower, assign.slot) || !is_linear(lower, *compare))
    return lower_assign(lower, assign);
  const Value left = read_value(lower, compare->left), right = read_value(lower, compare->right);
  write_value(lower, assign.slot, {compare_linear(lower, *compare, left, right), varying_shape});
}

} // namespace kern::lowering
