// The same computation for every element of an array: `a[i:j] += x`, `np.add(x, y, out)`. Operands have the extents
// of the array, or 1, or fewer axes, as NumPy broadcasts them.
#include "compiler/check/arrays/elementwise.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

// An operand that is an array, and where its first axis lies in those of the target.
struct Broadcast {
  Value array;
  int offset = 0;
  std::vector<ir::Operand> extents;
};

// Checks that an array has the extents of the target, or 1.
static std::optional<Broadcast> broadcast(Checker& checker, const Value& array, ir::Operand target,
                                          std::string_view target_text) {
  Broadcast result{array, target.type->rank - array.type->rank, {}};
  if (result.offset < 0) {
    checker.report(array.span, diag::wrong_type, describe(checker, array), to_string(target.type));
    return std::nullopt;
  }
  Span span = array.span;
  for (int axis = 0; axis < array.type->rank; ++axis) {
    ir::Operand own = checker.extent(array.operand, axis, span);
    ir::Operand wanted = checker.extent(target, axis + result.offset, span);
    result.extents.push_back(own);
    ir::Operand same = checker.compare(ir::CompareOp::Equal, own, wanted, span);
    ir::Operand one = checker.compare(ir::CompareOp::Equal, own, number(1), span);
    checker.check_condition(checker.binary(ir::BinaryOp::BitOr, same, one, span), ir::FaultKind::UnpackLength,
                            span,
                            fmt::format("`{}` has neither the extent of `{}` along axis {} nor 1",
                                        checker.context.source(span), target_text, axis + result.offset));
  }
  return result;
}

// Returns the element of an operand that belongs to one of the target.
static Value element_of(Checker& checker, const Broadcast& operand, const std::vector<ir::Operand>& indices) {
  Place place;
  place.ok = true;
  place.array = operand.array.operand;
  Span span = operand.array.span;
  for (int axis = 0; axis < operand.array.type->rank; ++axis) {
    auto at = static_cast<std::size_t>(axis);
    ir::Operand one = checker.compare(ir::CompareOp::Equal, operand.extents[at], number(1), span);
    place.indices.push_back(
        checker.select(one, number(0), indices[at + static_cast<std::size_t>(operand.offset)], span));
  }
  return load(checker, place, span);
}

void for_each_element(Checker& checker, ir::Operand target, std::span<const Value> operands, Span span,
                      const std::function<Value(const Value&, const std::vector<Value>&)>& compute) {
  if (target.type->space == AddressSpace::Constant) {
    checker.report(span, diag::constant_array);
    return;
  }
  std::vector<std::optional<Broadcast>> arrays;
  for (const Value& operand : operands) {
    arrays.emplace_back();
    if (!is_array(operand)) continue;
    arrays.back() = broadcast(checker, operand, target, checker.context.source(span));
    if (!arrays.back()) return;
  }
  std::vector<ir::Operand> indices;
  for (int axis = 0; axis < target.type->rank; ++axis) indices.push_back(checker.variable(types::i64, span));
  auto store_one = [&] {
    Place place;
    place.ok = true;
    place.array = target;
    place.indices = indices;
    std::vector<Value> values(operands.begin(), operands.end());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (arrays[i]) values[i] = element_of(checker, *arrays[i], indices);
    Value result = compute(load(checker, place, span), values);
    store(checker, place, result, span);
  };
  std::function<void(int)> loop = [&](int axis) {
    if (axis == target.type->rank) return store_one();
    ir::Operand count = checker.extent(target, axis, span);
    ir::Body inner = checker.body_of([&] { loop(axis + 1); });
    ir::SlotId slot = *indices[static_cast<std::size_t>(axis)].slot;
    checker.emit(ir::For{slot, number(0), number(1), count, std::move(inner)}, span);
  };
  loop(0);
}

static Value zero_of(Type type, Span span) {
  return runtime_value(is_float(type) ? ir::constant_float(type, 0) : ir::constant_int(type, 0), span);
}

// min, max, sum, any and all of an array with one axis: Numba's, which take its elements one by one.
Value fold_array(Checker& checker, Builtin builtin, const Value& array, const std::optional<Value>& start,
                 Span span) {
  if (array.type->rank != 1) {
    checker.report(array.span, diag::fold_of_axes, row(builtin).name, describe(checker, array));
    return error_value(span);
  }
  Type element = element_type(array.type);
  bool picks = builtin == Builtin::Min || builtin == Builtin::Max;
  bool tests = builtin == Builtin::Any || builtin == Builtin::All;
  Value first;
  if (picks)
    first = element_at(checker, array, int_value(0, array.span), array.span);
  else if (tests)
    first = bool_value(builtin == Builtin::All, span);
  else
    first = start.value_or(int_value(0, span));
  // A sum is of the type that its start and an element join to.
  Type type = element;
  if (tests) type = types::boolean;
  if (builtin == Builtin::Sum) {
    // Python begins with 0, which floats of a .kern file need not.
    bool begins = start || checker.rules.sums_from_zero || !is_float(element);
    Value sum = binary(checker, ast::BinaryOp::Add, begins ? first : zero_of(element, span),
                       zero_of(element, span), span);
    if (is_error(sum) || !is_number(sum)) return sum;
    type = as_operand(checker, sum).type;
    // Words are summed in 64 bits, where no other start says how many.
    if (!start && has_exact_integers(checker) && element == types::u32) type = types::u64;
  }
  ir::Operand result = checker.variable(type, span);
  checker.assign(*result.slot, as_operand(checker, explicit_cast(checker, type, first, span)), span);
  ir::Operand index = checker.variable(types::i64, span);
  ir::Body inner = checker.body_of([&] {
    Value value = element_at(checker, array, runtime_value(index, array.span), array.span);
    ir::Operand next;
    if (tests) {
      std::optional<ir::Operand> truth = as_condition(checker, value);
      if (!truth) return;
      next = checker.binary(builtin == Builtin::All ? ir::BinaryOp::BitAnd : ir::BinaryOp::BitOr, result,
                            *truth, span);
    } else if (picks) {
      auto order = builtin == Builtin::Min ? ir::CompareOp::Less : ir::CompareOp::Greater;
      next = checker.select(checker.compare(order, value.operand, result, span), value.operand, result, span);
    } else {
      Value sum = binary(checker, ast::BinaryOp::Add, runtime_value(result, span), value, span);
      next = as_operand(checker, explicit_cast(checker, type, sum, span));
    }
    checker.assign(*result.slot, next, span);
  });
  ir::Operand from = number(picks ? 1 : 0);
  ir::Operand count =
      checker.binary(ir::BinaryOp::Subtract, checker.extent(array.operand, 0, span), from, span);
  checker.emit(ir::For{*index.slot, from, number(1), count, std::move(inner)}, span);
  return runtime_value(result, span);
}

} // namespace kern::checker
