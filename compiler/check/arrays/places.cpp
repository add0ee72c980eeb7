// Elements of arrays by indices that are evaluated: an index counts from the front, is guarded, and then loads.

#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/limits.h"
#include "compiler/values/value.h"

namespace kern::checker {

// The least number of which the bits are those of an index that an array can be counted back by.
static constexpr std::uint64_t count_from_end = 0 - static_cast<std::uint64_t>(limits::array_bytes);

Value array_extent(Checker& checker, const Value& array, int axis, Span span) {
  if (!array.extents.empty())
    return runtime_value(ir::constant_int(types::i64, array.extents[static_cast<std::size_t>(axis)]), span);
  Value value = runtime_value(checker.extent(array.operand, axis, span), span);
  value.most = limits::array_bytes;
  return value;
}

Value array_size(Checker& checker, const Value& array, Span span) {
  if (!array.extents.empty()) {
    std::int64_t size = 1;
    for (std::int64_t extent : array.extents) size *= extent;
    return runtime_value(ir::constant_int(types::i64, size), span);
  }
  ir::Operand size = checker.extent(array.operand, 0, span);
  for (int axis = 1; axis < written_rank(array.type); ++axis)
    size = checker.binary(ir::BinaryOp::Multiply, size, checker.extent(array.operand, axis, span), span);
  Value value = runtime_value(size, span);
  value.most = limits::array_bytes;
  return value;
}

// The place that an index means, and the fault that its site reports.
struct IndexPlace {
  ir::Operand place; // i64
  ir::FaultKind fault;
};

// Returns an index as an i64 that counts from the front: one that is written as `-` and a literal, and in the
// Numba dialect any negative index, counts from the end.
static IndexPlace array_index(Checker& checker, ir::Operand array, int axis, const Value& index) {
  Span span = index.span;
  std::optional<ir::Operand> operand = as_index(checker, index);
  if (!operand) return {ir::constant_int(types::i64, 0), ir::FaultKind::IndexOutOfRange};
  if (index.type == types::u64) return {*operand, ir::FaultKind::IndexUnsigned};
  bool from_end = checker.rules.counts_from_end;
  if (!operand->slot) {
    bool counts_back = ir::int_value(*operand) < 0 && (from_end || index.from_end);
    if (!counts_back) return {*operand, ir::FaultKind::IndexOutOfRange};
    return {checker.binary(ir::BinaryOp::Add, checker.extent(array, axis, span), *operand, span),
            ir::FaultKind::IndexFromEnd};
  }
  if (!from_end) return {*operand, ir::FaultKind::IndexOutOfRange};
  if (!is_signed(index.type) || most_bits(index) < count_from_end)
    return {*operand, is_nonnegative(index) ? ir::FaultKind::IndexOutOfRange : ir::FaultKind::IndexUnsigned};
  ir::Operand negative =
      checker.compare(ir::CompareOp::Less, *operand, ir::constant_int(types::i64, 0), span);
  ir::Operand wrapped = checker.binary(ir::BinaryOp::Add, *operand, checker.extent(array, axis, span), span);
  return {checker.select(negative, wrapped, *operand, span), ir::FaultKind::IndexFromEnd};
}

bool counts_from_end(const Checker& checker, const Value& index) {
  return index.from_end || checker.rules.counts_from_end;
}

std::optional<std::size_t> constant_place(Checker& checker, const Value& index, std::size_t count,
                                          const ast::Subscript& expr, Span place) {
  const std::optional<WideInt> number = constant_integer(index);
  if (number && (*number >= 0 || counts_from_end(checker, index)))
    if (const std::optional<std::size_t> found = values::index_in(*number, count)) return found;
  checker.report(place, diag::tuple_index, fmt::format("`{}`", checker.context.source(expr.value->span)),
                 static_cast<std::int64_t>(count));
  return std::nullopt;
}

bool check_constant_index(Checker& checker, const Value& array, int axis, const Value& index,
                          const ast::Expr& base_expr) {
  std::optional<WideInt> constant = constant_integer(index);
  auto at = static_cast<std::size_t>(axis);
  if (!checker.final || !constant || at >= array.extents.size()) return true;
  std::int64_t extent = array.extents[at];
  WideInt least = counts_from_end(checker, index) ? -WideInt(extent) : 0;
  if (*constant >= least && *constant < extent) return true;
  std::string_view text = checker.context.source(index.span), base = checker.context.source(base_expr.span);
  if (!checker.rules.refuses_outside)
    checker.report(index.span, diag::index_range, text, base, extent, axis);
  else
    checker.report(index.span, diag::constant_index, text, base, extent, axis);
  return !checker.rules.refuses_outside;
}

ir::Operand guarded_index(Checker& checker, ir::Operand array, int axis, const Value& index,
                          const ast::Expr& base_expr) {
  IndexPlace found = array_index(checker, array, axis, index);
  ir::SiteId where =
      checker.site(found.fault, index.span, std::string(checker.context.source(base_expr.span)), &array);
  checker.emit(ir::Guard{array, axis, found.place, where, ir::GuardState::Kept, ""}, index.span);
  return found.place;
}

Value load(Checker& checker, const Place& place, Span span) {
  if (place.unknown) return unknown_value(span);
  if (!place.ok) return error_value(span);
  if (place.is_view) return runtime_value(place.array, span);
  if (place.is_record) {
    Value record = record_at(place.array, place.indices, span);
    return holds_tuple(record.type) ? whole_record(checker, record) : record;
  }
  if (place.is_field()) return load_field(checker, place, span);
  ir::SlotId slot = checker.new_slot("", element_type(place.array.type), ir::Slot::Kind::Temp, span);
  checker.emit(ir::Load{slot, place.array, place.indices}, span);
  return runtime_value(checker.slot_operand(slot), span);
}

Value complex_parts(Checker& checker, const Value& array, int part, Span span) {
  Type element = part_type(element_type(array.type));
  int rank = array.type->rank;
  ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
  ir::View view{array.operand, {}, part};
  for (int axis = 0; axis < rank; ++axis)
    view.axes.push_back(
        {ir::ViewAxis::Kind::Range, zero, array_extent(checker, array, axis, span).operand, one});
  TypeTable& types = checker.context.module.types;
  Type type = is_point(array.type) ? types.point(element->scalar, array.type->space)
                                   : types.array(element->scalar, rank, array.type->space, Layout::Any);
  Value result = runtime_value(checker.temp(type, std::move(view), span), span);
  result.extents = array.extents;
  return result;
}

} // namespace kern::checker
