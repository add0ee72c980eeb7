// a[i], a[i, j], a[i][j], a[2:n]: every index is evaluated, then every axis is guarded, then the element is
// loaded or the view is made. Tuples take constant indices, and computed ones where all their elements are of
// one type.
#include <algorithm>

#include "compiler/check/checker.h"
#include "compiler/check/habits.h"
#include "compiler/check/host_numbers.h"
#include "compiler/check/integers.h"
#include "compiler/check/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// The least number of which the bits are those of an index that an array can be counted back by.
static constexpr std::uint64_t count_from_end = 0 - static_cast<std::uint64_t>(limits::array_bytes);

// Returns an index as an i64 that counts from the front: one that is written as `-` and a literal, and in the
// Numba dialect any negative index, counts from the end.
Checker::IndexPlace Checker::array_index(ir::Operand array, int axis, const Value& index) {
  Span span = index.span;
  std::optional<ir::Operand> operand = as_index(index);
  if (!operand) return {ir::constant_int(types::i64, 0), ir::FaultKind::IndexOutOfRange};
  if (index.type == types::u64) return {*operand, ir::FaultKind::IndexUnsigned};
  bool from_end = rules.negative_index == Rules::negative_index_rule::FromEnd;
  if (!operand->slot) {
    bool counts_back = ir::int_value(*operand) < 0 && (from_end || index.from_end);
    if (!counts_back) return {*operand, ir::FaultKind::IndexOutOfRange};
    return {binary(ir::BinaryOp::Add, extent(array, axis, span), *operand, span),
            ir::FaultKind::IndexFromEnd};
  }
  if (!from_end) return {*operand, ir::FaultKind::IndexOutOfRange};
  if (!is_signed(index.type) || most_bits(index) < count_from_end)
    return {*operand, is_nonnegative(index) ? ir::FaultKind::IndexOutOfRange : ir::FaultKind::IndexUnsigned};
  ir::Operand negative = compare(ir::CompareOp::Less, *operand, ir::constant_int(types::i64, 0), span);
  ir::Operand wrapped = binary(ir::BinaryOp::Add, *operand, extent(array, axis, span), span);
  return {select(negative, wrapped, *operand, span), ir::FaultKind::IndexFromEnd};
}

bool Checker::counts_from_end(const Value& index) const {
  return index.from_end || rules.negative_index == Rules::negative_index_rule::FromEnd;
}

// One part of a subscript, evaluated.
struct IndexPart {
  Span span;
  std::optional<Value> index;
  const ast::Slice* slice = nullptr; // or a whole axis, where there is neither
  SliceBounds bounds;
  ir::Operand place;   // of an index, once it is guarded
  bool is_new = false; // an axis of extent 1 that the array does not have
};

// Evaluates the parts from left to right; `...` stands for as many whole axes as are missing.
static std::optional<std::vector<IndexPart>> parts_of(Checker& checker,
                                                      std::span<const ast::Expr* const> indices, int rank) {
  std::vector<IndexPart> parts;
  std::optional<std::size_t> ellipsis;
  bool ok = true;
  for (const ast::Expr* expr : indices) {
    if (const auto* slice = ast::as<ast::Slice>(expr)) {
      parts.push_back({expr->span, std::nullopt, slice, checker.evaluate_bounds(*slice), {}, false});
      ok = ok && parts.back().bounds.ok;
      continue;
    }
    const auto* starred = ast::as<ast::Starred>(expr);
    Value value = checker.evaluate(starred ? *starred->value : *expr);
    if (is_error(value)) ok = false;
    if (value.kind == ValueKind::Ellipsis) {
      if (ellipsis) checker.report(expr->span, diag::not_an_integer, "a second `...`"), ok = false;
      ellipsis = parts.size();
    } else if (is_tuple(value)) {
      for (Value& element : value.elements)
        parts.push_back({expr->span, std::move(element), nullptr, {}, {}, false});
    } else if (value.kind == ValueKind::None) {
      parts.push_back({expr->span, std::nullopt, nullptr, {}, {}, true});
    } else {
      parts.push_back({expr->span, std::move(value), nullptr, {}, {}, false});
    }
  }
  if (!ok) return std::nullopt;
  auto missing = rank - std::ranges::count(parts, false, &IndexPart::is_new);
  if (ellipsis && missing > 0)
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(*ellipsis), static_cast<std::size_t>(missing),
                 {indices.front()->span, std::nullopt, nullptr, {}, {}, false});
  return parts;
}

static bool all_known(const std::vector<IndexPart>& parts) {
  return std::none_of(parts.begin(), parts.end(), [](const IndexPart& part) {
    return (part.index && is_unknown(*part.index)) || part.bounds.unknown;
  });
}

static ir::ViewAxis whole_axis(Checker& checker, ir::Operand array, int axis, Span span) {
  ir::Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
  return {ir::ViewAxis::Kind::Range, zero, checker.extent(array, axis, span), one};
}

static bool is_whole(const IndexPart& part) {
  return !part.index && (!part.slice || (!part.slice->start && !part.slice->stop && !part.slice->step));
}

// The elements of a view lie in C order if those of the array do and only leading axes are cut.
static Layout view_layout(const std::vector<IndexPart>& parts, Type array) {
  if (array->layout != Layout::COrder) return Layout::Any;
  bool in_front = true;
  for (const IndexPart& part : parts) {
    if (part.index && !in_front) return Layout::Any;
    if (part.index) continue;
    bool unit_step = !part.slice || !part.slice->step;
    if (!unit_step || (!in_front && !is_whole(part))) return Layout::Any;
    in_front = false;
  }
  return Layout::COrder;
}

static Checker::Place make_view(Checker& checker, ir::Operand array, const std::vector<IndexPart>& parts,
                                Span span) {
  std::vector<ir::ViewAxis> axes;
  int rank = 0;
  for (std::size_t axis = 0; axis < array.type->rank; ++axis) {
    int number = static_cast<int>(axis);
    if (axis >= parts.size() || is_whole(parts[axis]))
      axes.push_back(whole_axis(checker, array, number, span));
    else if (parts[axis].slice)
      axes.push_back(checker.slice_axis(array, number, parts[axis].bounds, parts[axis].span));
    else
      axes.push_back({ir::ViewAxis::Kind::Index, parts[axis].place, {}, {}});
    rank += axes.back().kind == ir::ViewAxis::Kind::Range;
  }
  if (is_record_array(array.type) || is_point(array.type)) --rank;
  Type type = checker.context.module.types.with_rank(array.type, rank, view_layout(parts, array.type));
  Checker::Place place;
  place.ok = place.is_view = true;
  place.array = checker.temp(type, ir::View{array, std::move(axes)}, span);
  return place;
}

// Takes the new axes out of the parts of a subscript; returns for each how many axes of the view stand before it.
static std::vector<int> take_new_axes(std::vector<IndexPart>& parts) {
  std::vector<int> before;
  int kept = 0;
  for (const IndexPart& part : parts) {
    if (part.is_new) before.push_back(kept);
    kept += !part.is_new && !part.index;
  }
  std::erase_if(parts, [](const IndexPart& part) { return part.is_new; });
  return before;
}

Checker::Place Checker::place_of(const Value& array, std::span<const ast::Expr* const> indices,
                                 const ast::Expr& base_expr, Span span) {
  Place place;
  bool is_any = is_array(array) || is_record_array(array);
  int rank = is_any ? written_rank(array.type) : 0;
  std::optional<std::vector<IndexPart>> parts = parts_of(*this, indices, rank);
  if (!parts || !is_any) return place;
  std::vector<int> new_axes = take_new_axes(*parts);
  if (parts->size() > static_cast<std::size_t>(rank)) {
    report(span, diag::too_many_indices, context.source(base_expr.span), static_cast<std::int64_t>(rank),
           static_cast<std::int64_t>(parts->size()));
    return place;
  }
  if (!all_known(*parts)) {
    place.unknown = true;
    return place;
  }
  bool is_element = parts->size() == static_cast<std::size_t>(rank);
  // `x[...]` of an array without axes is the array.
  bool is_all = std::ranges::any_of(
      indices, [](const ast::Expr* index) { return index->kind == ast::Kind::EllipsisLiteral; });
  if (is_point(array.type) && (is_all || !new_axes.empty())) is_element = false;
  if (is_record_array(array) && !new_axes.empty()) {
    unsupported(span, "a new axis of an array of records");
    return place;
  }
  for (std::size_t axis = 0; axis < parts->size(); ++axis) {
    IndexPart& part = (*parts)[axis];
    if (!part.index) {
      is_element = false;
      continue;
    }
    if (!check_index(*part.index)) return place;
    if (!check_constant_index(array, static_cast<int>(axis), *part.index, base_expr)) return place;
    part.place = guarded_index(array.operand, static_cast<int>(axis), *part.index, base_expr);
  }
  if (is_element && !new_axes.empty()) {
    report(span, diag::new_axis_of_element, context.source(base_expr.span));
    return place;
  }
  if (!is_element) {
    place = make_view(*this, array.operand, *parts, span);
    if (new_axes.empty()) return place;
    Value widened = with_new_axes(runtime_value(place.array, span), new_axes, span);
    place.ok = !is_error(widened);
    place.array = widened.operand;
    return place;
  }
  place.ok = true;
  set_element(place, array);
  for (const IndexPart& part : *parts) place.indices.push_back(part.place);
  if (is_point(array.type))
    place.indices.push_back(guarded_index(array.operand, 0, int_value(0, span), base_expr));
  return place;
}

bool Checker::check_constant_index(const Value& array, int axis, const Value& index,
                                   const ast::Expr& base_expr) {
  std::optional<WideInt> constant = constant_integer(index);
  auto at = static_cast<std::size_t>(axis);
  if (!final || !constant || at >= array.extents.size()) return true;
  std::int64_t extent = array.extents[at];
  WideInt least = counts_from_end(index) ? -WideInt(extent) : 0;
  if (*constant >= least && *constant < extent) return true;
  std::string_view text = context.source(index.span), base = context.source(base_expr.span);
  if (scope->is_numba())
    report(index.span, diag::index_range, text, base, extent, axis);
  else
    report(index.span, diag::constant_index, text, base, extent, axis);
  return scope->is_numba();
}

ir::Operand Checker::guarded_index(ir::Operand array, int axis, const Value& index,
                                   const ast::Expr& base_expr) {
  IndexPlace found = array_index(array, axis, index);
  ir::SiteId where = site(found.fault, index.span, std::string(context.source(base_expr.span)), &array);
  emit(ir::Guard{array, axis, found.place, where, ir::GuardState::Kept, ""}, index.span);
  return found.place;
}

Value Checker::load(const Place& place, Span span) {
  if (place.unknown) return unknown_value(span);
  if (!place.ok) return error_value(span);
  if (place.is_view) return runtime_value(place.array, span);
  if (place.is_record) {
    Value record = record_at(place.array, place.indices, span);
    return holds_tuple(record.type) ? whole_record(*this, record) : record;
  }
  if (place.is_field()) return load_field(*this, place, span);
  ir::SlotId slot = new_slot("", element_type(place.array.type), ir::Slot::Kind::Temp, span);
  emit(ir::Load{slot, place.array, place.indices}, span);
  return runtime_value(slot_operand(slot), span);
}

static std::optional<Layout> layout_of(const ast::Expr& index) {
  const auto* slice = ast::as<ast::Slice>(&index);
  if (!slice || slice->start || slice->stop) return std::nullopt;
  if (!slice->step) return Layout::Any;
  const auto* step = ast::as<ast::IntLiteral>(slice->step);
  return step && step->value == 1 ? std::optional(Layout::COrder) : std::nullopt;
}

// f32[:, ::1], inside annotations and signatures.
Value Checker::array_type(const Value& element, const ast::Subscript& expr) {
  const auto* none = expr.indices.size() == 1 ? ast::as<ast::Tuple>(expr.indices[0]) : nullptr;
  std::vector<std::optional<Layout>> slices;
  if (!none || !none->elements.empty())
    for (const ast::Expr* index : expr.indices) slices.push_back(layout_of(*index));
  return array_type(element, slices, expr.span);
}

Value Checker::array_type(const Value& element, std::span<const std::optional<Layout>> slices, Span span) {
  TypeTable& types = context.module.types;
  const Type of = element.type;
  if (slices.empty() && is_scalar(of)) return type_value(types.point(of->scalar), span);
  const bool are_slices = !slices.empty() && std::ranges::all_of(slices, &std::optional<Layout>::has_value);
  const bool fits = are_slices && (is_scalar(of) || is_record(of)) &&
                    slices.size() + is_record(of) <= static_cast<std::size_t>(limits::array_rank);
  if (!fits) {
    report(span, diag::not_a_type, context.source(span));
    return error_value(span);
  }
  const int rank = static_cast<int>(slices.size());
  return type_value(is_record(of) ? types.record_array(of, rank)
                                  : types.array(of->scalar, rank, AddressSpace::Global, *slices.back()),
                    span);
}

// a.shape[k] needs one extent only.
static std::optional<Value> shape_element(Checker& checker, const ast::Subscript& expr) {
  const auto* attribute = ast::as<ast::Attribute>(expr.value);
  if (!attribute || attribute->name != "shape" || expr.indices.size() != 1) return std::nullopt;
  const auto* negative = ast::as<ast::Unary>(expr.indices[0]);
  const ast::Expr* number = negative ? negative->operand : expr.indices[0];
  if (number->kind != ast::Kind::IntLiteral) return std::nullopt;
  Value array = checker.evaluate(*attribute->value);
  if (!is_array(array))
    return checker.tuple_subscript(checker.attribute(array, "shape", attribute->span), expr);
  Value index = checker.evaluate(*expr.indices[0]);
  std::optional<WideInt> axis = constant_integer(index);
  int rank = written_rank(array.type);
  if (!axis || *axis < -rank || *axis >= rank || (*axis < 0 && !checker.counts_from_end(index))) {
    checker.report(expr.span, diag::tuple_index,
                   fmt::format("`{}`", checker.context.source(expr.value->span)), std::int64_t(rank));
    return error_value(expr.span);
  }
  return checker.array_extent(array, static_cast<int>(*axis < 0 ? *axis + rank : *axis), expr.span);
}

// Returns the value of a key; if a dict has the key several times, the last one counts.
Value Checker::dict_item(const Value& dict, const ast::Subscript& expr) {
  Value key = evaluate(*expr.indices.front());
  if (is_error(key) || is_unknown(key)) return key;
  for (std::size_t i = dict.elements.size(); i >= 2; i -= 2) {
    const Value& each = dict.elements[i - 2];
    std::optional<WideInt> a = constant_integer(each), b = constant_integer(key);
    if ((a && b && *a == *b) || same_constant(each, key)) return read_at(dict.elements[i - 1], expr.span);
  }
  report(expr.span, diag::dict_key, context.source(expr.value->span), context.source(key.span));
  return error_value(expr.span);
}

Value Checker::evaluate_subscript(const ast::Subscript& expr) {
  if (std::optional<Value> extent = shape_element(*this, expr)) return *extent;
  // The base of a[i][j] may be a row of a constant tuple, which waits for its last index.
  Value base = evaluate_place(*expr.value);
  if (is_error(base)) return base;
  if (is_unknown(base)) {
    for (const ast::Expr* index : expr.indices)
      if (index->kind != ast::Kind::Slice) evaluate(*index);
    return unknown_value(expr.span);
  }
  if (base.kind == ValueKind::Type) return array_type(base, expr);
  if (base.kind == ValueKind::Dict) return dict_item(base, expr);
  if (std::optional<std::string_view> name = field_name(*this, base, expr.indices))
    return field_of(*this, base, *name, expr.span);
  if (needs_array(*this, base, expr)) {
    Value array = read_table(*this, base, expr.value->span);
    if (is_error(array)) return array;
    return load(place_of(array, expr.indices, *expr.value, expr.span), expr.span);
  }
  if (is_tuple(base) || base.kind == ValueKind::Rows || base.kind == ValueKind::Table)
    return tuple_subscript(base, expr);
  if (!is_array(base) && (!is_record_array(base) || is_record_reference(base))) {
    Report error = report(expr.span, diag::not_subscriptable, describe(base));
    note_hidden_type(*this, error, context.source(expr.value->span));
    return error_value(expr.span);
  }
  return load(place_of(base, expr.indices, *expr.value, expr.span), expr.span);
}

} // namespace kern::checker
