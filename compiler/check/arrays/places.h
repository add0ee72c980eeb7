// Places in arrays: elements with guarded indices, and views.
#pragma once

#include "compiler/check/core/checker.h"
#include "compiler/check/core/place.h"

namespace kern::checker {

// The parts of a slice that are written, evaluated.
struct SliceBounds {
  bool ok = true;
  bool unknown = false;
  std::optional<Value> start, stop, step;
};

// One part of a subscript, evaluated.
struct IndexPart {
  Span span;
  std::optional<Value> index;
  const ast::Slice* slice = nullptr; // or a whole axis, where there is neither
  SliceBounds bounds;
  ir::Operand place;   // of an index, once it is guarded
  bool is_new = false; // an axis of extent 1 that the array does not have
};

// The places that a slice of constants takes: `count` of them from `start` on, `step` apart.
struct ConstantSlice {
  std::int64_t start, step, count;
};

// ---- places.cpp ----
bool counts_from_end(const Checker& checker, const Value& index); // where it is negative
// Returns which of `count` elements a constant index of a subscript means; nothing, reported at a place, where it means none.
std::optional<std::size_t> constant_place(Checker& checker, const Value& index, std::size_t count,
                                          const ast::Subscript& expr, Span place);
// Says whether a constant index may be right, as far as the extent is constant too; reports where not.
bool check_constant_index(Checker& checker, const Value& array, int axis, const Value& index,
                          const ast::Expr& base_expr);
ir::Operand guarded_index(Checker& checker, ir::Operand array, int axis, const Value& index,
                          const ast::Expr& base_expr);
Value load(Checker& checker, const Place& place, Span span);
Value array_extent(Checker& checker, const Value& array, int axis, Span span);
Value array_size(Checker& checker, const Value& array, Span span);
// Returns the real or imaginary parts of the elements of an array: a view.
Value complex_parts(Checker& checker, const Value& array, int part, Span span);

// ---- slices.cpp ----
ir::ViewAxis slice_axis(Checker& checker, ir::Operand array, int axis, const SliceBounds& bounds, Span span);
// Returns which places a slice takes; nothing, reported, where its bounds are not constant.
std::optional<ConstantSlice> constant_slice(Checker& checker, const SliceBounds& bounds, std::int64_t extent,
                                            Span span);

// ---- stores.cpp ----
Value element_at(Checker& checker, const Value& array, const Value& index,
                 Span span); // along the first axis; its indices are guarded
void store(Checker& checker, const Place& place, const Value& value, Span span);

} // namespace kern::checker
