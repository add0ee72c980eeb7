// a[i], a[i, j], a[i][j], a[2:n]: every index is evaluated, then every axis is guarded, then the element is
// loaded or the view is made. Tuples take constant indices, and computed ones where all their elements are of
// one type.
#include <algorithm>

#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/expressions.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// Evaluates the parts from left to right; `...` stands for as many whole axes as are missing.
static std::optional<std::vector<IndexPart>> parts_of(Checker& checker,
                                                      std::span<const ast::Expr* const> indices, int rank) {
  std::vector<IndexPart> parts;
  std::optional<std::size_t> ellipsis;
  bool ok = true;
  for (const ast::Expr* expr : indices) {
    if (const auto* slice = ast::as<ast::Slice>(expr)) {
      parts.push_back({expr->span, std::nullopt, slice, evaluate_bounds(checker, *slice), {}, false});
      ok = ok && parts.back().bounds.ok;
      continue;
    }
    const auto* starred = ast::as<ast::Starred>(expr);
    Value value = evaluate(checker, starred ? *starred->value : *expr);
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

static Place make_view(Checker& checker, ir::Operand array, const std::vector<IndexPart>& parts, Span span) {
  std::vector<ir::ViewAxis> axes;
  int rank = 0;
  for (std::size_t axis = 0; axis < array.type->rank; ++axis) {
    int number = static_cast<int>(axis);
    if (axis >= parts.size() || is_whole(parts[axis]))
      axes.push_back(whole_axis(checker, array, number, span));
    else if (parts[axis].slice)
      axes.push_back(slice_axis(checker, array, number, parts[axis].bounds, parts[axis].span));
    else
      axes.push_back({ir::ViewAxis::Kind::Index, parts[axis].place, {}, {}});
    rank += axes.back().kind == ir::ViewAxis::Kind::Range;
  }
  if (is_record_array(array.type) || is_point(array.type)) --rank;
  Type type = checker.context.module.types.with_rank(array.type, rank, view_layout(parts, array.type));
  Place place;
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

Place place_of(Checker& checker, const Value& array, std::span<const ast::Expr* const> indices,
               const ast::Expr& base_expr, Span span) {
  Place place;
  bool is_any = is_array(array) || is_record_array(array);
  int rank = is_any ? written_rank(array.type) : 0;
  std::optional<std::vector<IndexPart>> parts = parts_of(checker, indices, rank);
  if (!parts || !is_any) return place;
  std::vector<int> new_axes = take_new_axes(*parts);
  if (parts->size() > static_cast<std::size_t>(rank)) {
    checker.report(span, diag::too_many_indices, checker.context.source(base_expr.span),
                   static_cast<std::int64_t>(rank), static_cast<std::int64_t>(parts->size()));
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
    checker.unsupported(span, "a new axis of an array of records");
    return place;
  }
  for (std::size_t axis = 0; axis < parts->size(); ++axis) {
    IndexPart& part = (*parts)[axis];
    if (!part.index) {
      is_element = false;
      continue;
    }
    if (!check_index(checker, *part.index)) return place;
    if (!check_constant_index(checker, array, static_cast<int>(axis), *part.index, base_expr)) return place;
    part.place = guarded_index(checker, array.operand, static_cast<int>(axis), *part.index, base_expr);
  }
  if (is_element && !new_axes.empty()) {
    checker.report(span, diag::new_axis_of_element, checker.context.source(base_expr.span));
    return place;
  }
  if (!is_element) {
    place = make_view(checker, array.operand, *parts, span);
    if (new_axes.empty()) return place;
    Value widened = with_new_axes(checker, runtime_value(place.array, span), new_axes, span);
    place.ok = !is_error(widened);
    place.array = widened.operand;
    return place;
  }
  place.ok = true;
  set_element(place, array);
  for (const IndexPart& part : *parts) place.indices.push_back(part.place);
  if (is_point(array.type))
    place.indices.push_back(guarded_index(checker, array.operand, 0, int_value(0, span), base_expr));
  return place;
}

static std::optional<Layout> layout_of(const ast::Expr& index) {
  const auto* slice = ast::as<ast::Slice>(&index);
  if (!slice || slice->start || slice->stop) return std::nullopt;
  if (!slice->step) return Layout::Any;
  const auto* step = ast::as<ast::IntLiteral>(slice->step);
  return step && step->value == 1 ? std::optional(Layout::COrder) : std::nullopt;
}

// f32[:, ::1], inside annotations and signatures.
static Value array_type(Checker& checker, const Value& element, const ast::Subscript& expr) {
  const auto* none = expr.indices.size() == 1 ? ast::as<ast::Tuple>(expr.indices[0]) : nullptr;
  std::vector<std::optional<Layout>> slices;
  if (!none || !none->elements.empty())
    for (const ast::Expr* index : expr.indices) slices.push_back(layout_of(*index));
  return array_type(checker, element, slices, expr.span);
}

Value array_type(Checker& checker, const Value& element, std::span<const std::optional<Layout>> slices,
                 Span span) {
  TypeTable& types = checker.context.module.types;
  const Type of = element.type;
  if (slices.empty() && is_scalar(of)) return type_value(types.point(of->scalar), span);
  const bool are_slices = !slices.empty() && std::ranges::all_of(slices, &std::optional<Layout>::has_value);
  const bool fits = are_slices && (is_scalar(of) || is_record(of)) &&
                    slices.size() + is_record(of) <= static_cast<std::size_t>(limits::array_rank);
  if (!fits) {
    checker.report(span, diag::not_a_type, checker.context.source(span));
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
  Value array = evaluate(checker, *attribute->value);
  if (!is_array(array))
    return tuple_subscript(checker, attribute_of(checker, array, "shape", attribute->span), expr);
  Value index = evaluate(checker, *expr.indices[0]);
  if (is_error(index)) return index;
  const auto rank = static_cast<std::size_t>(written_rank(array.type));
  const std::optional<std::size_t> axis = constant_place(checker, index, rank, expr, expr.span);
  return axis ? array_extent(checker, array, static_cast<int>(*axis), expr.span) : error_value(expr.span);
}

// Returns the value of a key; if a dict has the key several times, the last one counts.
static Value dict_item(Checker& checker, const Value& dict, const ast::Subscript& expr) {
  Value key = evaluate(checker, *expr.indices.front());
  if (is_error(key) || is_unknown(key)) return key;
  for (std::size_t i = dict.elements.size(); i >= 2; i -= 2) {
    const Value& each = dict.elements[i - 2];
    std::optional<WideInt> a = constant_integer(each), b = constant_integer(key);
    if ((a && b && *a == *b) || same_constant(each, key)) return read_at(dict.elements[i - 1], expr.span);
  }
  checker.report(expr.span, diag::dict_key, checker.context.source(expr.value->span),
                 checker.context.source(key.span));
  return error_value(expr.span);
}

// Says whether a subscript in a function needs an array of constant memory for a small constant one: it has `None`, `...` or a tuple for an index, or a slice
// beside what is computed.
static bool needs_array(Checker& checker, const Value& array, const ast::Subscript& expr) {
  if (!checker.instance || !is_tuple(array) || !is_constant_array(array)) return false;
  bool has_slice = false, is_computed = false, needs = false;
  for (const ast::Expr* index : expr.indices) {
    has_slice = has_slice || index->kind == ast::Kind::Slice;
    needs = needs || index->kind == ast::Kind::Tuple || index->kind == ast::Kind::NoneLiteral ||
            index->kind == ast::Kind::EllipsisLiteral;
    if (index->kind == ast::Kind::Name) needs = needs || is_tuple(evaluate(checker, *index));
  }
  if (needs || !has_slice) return needs;
  // Asked in a body that is thrown away: the indices are evaluated where they count.
  auto ask = [&](const ast::Expr* part) {
    if (part) is_computed = is_computed || !is_constant(evaluate(checker, *part));
  };
  (void)checker.body_of([&] {
    for (const ast::Expr* index : expr.indices) {
      const auto* slice = ast::as<ast::Slice>(index);
      if (!slice) ask(index);
      for (const ast::Expr* bound :
           {slice ? slice->start : nullptr, slice ? slice->stop : nullptr, slice ? slice->step : nullptr})
        ask(bound);
    }
  });
  return is_computed;
}

Value evaluate_subscript(Checker& checker, const ast::Subscript& expr) {
  if (std::optional<Value> extent = shape_element(checker, expr)) return *extent;
  // The base of a[i][j] may be a row of a constant tuple, which waits for its last index.
  Value base = evaluate_place(checker, *expr.value);
  if (is_error(base)) return base;
  if (is_unknown(base)) {
    for (const ast::Expr* index : expr.indices)
      if (index->kind != ast::Kind::Slice) evaluate(checker, *index);
    return unknown_value(expr.span);
  }
  if (base.kind == ValueKind::Type) return array_type(checker, base, expr);
  if (base.kind == ValueKind::Dict) return dict_item(checker, base, expr);
  if (std::optional<std::string_view> name = field_name(checker, base, expr.indices))
    return field_of(checker, base, *name, expr.span);
  if (needs_array(checker, base, expr)) {
    Value array = read_table(checker, base, expr.value->span);
    if (is_error(array)) return array;
    return load(checker, place_of(checker, array, expr.indices, *expr.value, expr.span), expr.span);
  }
  if (is_tuple(base) || base.kind == ValueKind::Rows || base.kind == ValueKind::Table)
    return tuple_subscript(checker, base, expr);
  if (!is_array(base) && (!is_record_array(base) || is_record_reference(base))) {
    Report error = checker.report(expr.span, diag::not_subscriptable, describe(checker, base));
    note_hidden_type(checker, error, checker.context.source(expr.value->span));
    return error_value(expr.span);
  }
  return load(checker, place_of(checker, base, expr.indices, *expr.value, expr.span), expr.span);
}

std::optional<std::string_view> field_name(Checker& checker, const Value& owner,
                                           std::span<const ast::Expr* const> indices) {
  bool has_fields =
      !(is_record_array(owner) && holds_tuple(record_type(owner.type))) &&
      (is_record_place(owner) || is_record_array(owner) || (is_tuple(owner) && is_record(owner.type)));
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
    if (const Local* local = find_local(checker, name->text);
        local && !(local->now.known && local->now.known->kind == ValueKind::String))
      return std::nullopt;
  }
  Value value = evaluate(checker, index);
  return value.kind == ValueKind::String ? std::optional(value.text) : std::nullopt;
}

SliceBounds evaluate_bounds(Checker& checker, const ast::Slice& slice) {
  SliceBounds bounds;
  auto part = [&](const ast::Expr* expr) -> std::optional<Value> {
    if (!expr) return std::nullopt;
    Value value = evaluate(checker, *expr);
    if (value.kind == ValueKind::None) return std::nullopt;
    if (is_error(value))
      bounds.ok = false;
    else if (is_unknown(value))
      bounds.unknown = true;
    else if (!check_index(checker, value))
      bounds.ok = false;
    return value;
  };
  bounds.start = part(slice.start);
  bounds.stop = part(slice.stop);
  bounds.step = part(slice.step);
  return bounds;
}

} // namespace kern::checker
