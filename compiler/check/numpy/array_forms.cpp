// Other forms of an array over the same elements: transposed, reshaped, flat, with an axis more, with elements of
// another type. Nothing is copied, so what NumPy would copy is refused, or a fault where only the run shows it.
#include "compiler/advice/advice.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/dtypes.h"
#include "compiler/check/core/report.h"
#include "compiler/check/numpy/array_reductions.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

// The extents and strides of an array, by axis.
struct Form {
  std::vector<ir::Operand> extents, strides;
  std::vector<std::int64_t> known; // the extents, where all are constants
};

ir::Operand stride_of(Checker& checker, const Value& array, int axis, Span span) {
  bool is_last = axis + 1 == array.type->rank;
  if (is_last && array.type->layout == Layout::COrder) return number(1);
  return checker.temp(types::i64, ir::Stride{array.operand, axis}, span);
}

Form form_of(Checker& checker, const Value& array, Span span) {
  Form form;
  for (int axis = 0; axis < array.type->rank; ++axis) {
    form.extents.push_back(as_operand(checker, array_extent(checker, array, axis, span)));
    form.strides.push_back(stride_of(checker, array, axis, span));
  }
  form.known = array.extents;
  return form;
}

Value make_form(Checker& checker, const Value& array, Form form, ScalarKind element, Layout layout,
                Span span) {
  int rank = static_cast<int>(form.extents.size());
  Type type = checker.context.module.types.array(element, rank, array.type->space, layout);
  Value value = runtime_value(
      checker.temp(type, ir::Restride{array.operand, std::move(form.extents), std::move(form.strides)}, span),
      span);
  value.extents = std::move(form.known);
  return value;
}

// Returns the strides of C order over extents.
std::vector<ir::Operand> dense_strides(Checker& checker, const std::vector<ir::Operand>& extents, Span span) {
  std::vector<ir::Operand> strides(extents.size(), number(1));
  for (std::size_t axis = extents.size(); axis-- > 1;)
    strides[axis - 1] = checker.binary(ir::BinaryOp::Multiply, strides[axis], extents[axis], span);
  return strides;
}

// Checks at run time that the elements of an array lie one behind the other, where its type does not say so.
void check_dense(Checker& checker, const Value& array, std::string_view what, Span span) {
  if (array.type->layout == Layout::COrder) return;
  Form form = form_of(checker, array, span);
  std::vector<ir::Operand> dense = dense_strides(checker, form.extents, span);
  ir::Operand ok = ir::constant_bool(true);
  for (std::size_t axis = 0; axis < dense.size(); ++axis) {
    // The stride of an axis without a second element does not matter.
    ir::Operand one = checker.compare(ir::CompareOp::LessEqual, form.extents[axis], number(1), span);
    ir::Operand same = checker.compare(ir::CompareOp::Equal, form.strides[axis], dense[axis], span);
    ok = checker.binary(ir::BinaryOp::BitAnd, ok, checker.binary(ir::BinaryOp::BitOr, one, same, span), span);
  }
  std::string_view text = checker.context.source(array.span);
  checker.check_condition(
      ok, ir::FaultKind::Raised, span,
      fmt::format("the elements of `{}` do not lie one behind the other, as `{}` needs them", text, what));
}

bool takes_none(Checker& checker, const Args& args, std::string_view name, Span span) {
  if (args.positional.empty() && args.keywords.empty()) return true;
  checker.report(span, diag::builtin_arguments,
                 fmt::format("`{}` of an array takes no arguments here", name));
  return false;
}

// a.T, a.transpose(), a.transpose(1, 0)
Value transposed(Checker& checker, const Value& array, const std::vector<Value>& order, Span span) {
  int rank = array.type->rank;
  std::vector<int> axes;
  for (int axis = rank; axis-- > 0;) axes.push_back(axis);
  if (!order.empty()) {
    std::vector<bool> seen(static_cast<std::size_t>(rank));
    axes.clear();
    for (const Value& each : order) {
      std::optional<WideInt> axis = constant_integer(each);
      if (axis && *axis < 0) *axis += rank;
      bool fits = axis && *axis >= 0 && *axis < rank && !seen[static_cast<std::size_t>(*axis)];
      if (!fits) break;
      seen[static_cast<std::size_t>(*axis)] = true;
      axes.push_back(static_cast<int>(*axis));
    }
    if (axes.size() != static_cast<std::size_t>(rank) || order.size() != axes.size()) {
      checker.report(span, diag::builtin_arguments,
                     fmt::format("`transpose` takes each of the {} axes once, as constants", rank));
      return error_value(span);
    }
  }
  if (rank == 1) return read_at(array, span);
  Form form = form_of(checker, array, span), result;
  for (int axis : axes) {
    auto at = static_cast<std::size_t>(axis);
    result.extents.push_back(form.extents[at]);
    result.strides.push_back(form.strides[at]);
    if (!form.known.empty()) result.known.push_back(form.known[at]);
  }
  return make_form(checker, array, std::move(result), array.type->scalar, Layout::Any, span);
}

ir::Operand size_of(Checker& checker, const Value& array, Span span) {
  return as_operand(checker, array_size(checker, array, span));
}

// a.ravel(), a.flat
Value flat(Checker& checker, const Value& array, std::string_view name, Span span) {
  check_dense(checker, array, name, span);
  Form form{{size_of(checker, array, span)}, {number(1)}, {}};
  if (!array.extents.empty()) form.known = {ir::int_value(form.extents[0])};
  return make_form(checker, array, std::move(form), array.type->scalar, Layout::COrder, span);
}

// Divides a number of elements by one extent behind the other, the open one last, and returns whether nothing is
// left. Their product could wrap.
ir::Operand split_size(Checker& checker, ir::Operand size, std::vector<ir::Operand>& extents,
                       std::optional<std::size_t> open, Span span) {
  using enum ir::BinaryOp;
  auto compare = [&](ir::CompareOp op, ir::Operand left, ir::Operand right) {
    return checker.compare(op, left, right, span);
  };
  ir::Operand ok = ir::constant_bool(true), is_empty = ir::constant_bool(false), rest = size;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (axis == open) continue;
    ir::Operand extent = extents[axis];
    ir::Operand whole = compare(ir::CompareOp::Equal, checker.binary(Modulo, rest, extent, span), number(0));
    ok = checker.binary(BitAnd, ok, compare(ir::CompareOp::GreaterEqual, extent, number(0)), span);
    ok = checker.binary(BitAnd, ok, whole, span);
    is_empty = checker.binary(BitOr, is_empty, compare(ir::CompareOp::Equal, extent, number(0)), span);
    rest = checker.binary(FloorDivide, rest, extent, span);
  }
  if (open) {
    extents[*open] = rest;
    is_empty = checker.binary(BitOr, is_empty, compare(ir::CompareOp::Equal, rest, number(0)), span);
    rest = number(1);
  }
  ir::Operand has_none = compare(ir::CompareOp::Equal, size, number(0));
  ir::Operand fits = checker.select(has_none, is_empty, compare(ir::CompareOp::Equal, rest, number(1)), span);
  return checker.binary(BitAnd, ok, fits, span);
}

// a.reshape(2, 3), a.reshape((2, -1)): the extents must have as many elements as the array.
Value reshaped(Checker& checker, const Value& array, std::vector<Value> shape, Span span) {
  if (shape.size() == 1 && is_tuple(shape[0])) shape = std::vector<Value>(shape[0].elements);
  if (shape.empty() || shape.size() > static_cast<std::size_t>(limits::array_rank)) {
    checker.report(span, diag::bad_rank, "reshape", std::int64_t(limits::array_rank));
    return error_value(span);
  }
  Form form;
  std::optional<std::size_t> open; // the axis of extent -1
  bool constant = !array.extents.empty();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!check_index(checker, shape[axis])) return error_value(span);
    std::optional<WideInt> known = constant_integer(shape[axis]);
    constant = constant && known;
    bool is_open = known && *known == -1 && !open;
    if (is_open) open = axis;
    if (known && *known < 0 && !is_open) {
      checker.report(shape[axis].span, diag::bad_extent, static_cast<std::int64_t>(*known));
      return error_value(span);
    }
    form.extents.push_back(is_open ? number(0) : *as_index(checker, shape[axis]));
  }
  ir::Operand ok = split_size(checker, size_of(checker, array, span), form.extents, open, span);
  std::string words = fmt::format("`{}` has another number of elements than the shape that it is given",
                                  checker.context.source(array.span));
  checker.check_condition(ok, ir::FaultKind::Raised, span, std::move(words));
  check_dense(checker, array, "reshape", span);
  form.strides = dense_strides(checker, form.extents, span);
  if (constant)
    for (const ir::Operand& extent : form.extents)
      form.known.push_back(extent.slot ? 0 : ir::int_value(extent));
  return make_form(checker, array, std::move(form), array.type->scalar, Layout::COrder, span);
}

// Demands of a view as wider elements that it takes whole ones of them, each of which lies where such an element may.
void check_wider(Checker& checker, const Value& array, const Form& form, ir::Operand parts, Type type,
                 Span span) {
  auto divides = [&](ir::Operand value) {
    return checker.compare(ir::CompareOp::Equal, checker.binary(ir::BinaryOp::Modulo, value, parts, span),
                           number(0), span);
  };
  const std::string_view text = checker.context.source(array.span);
  checker.check_condition(
      divides(form.extents.back()), ir::FaultKind::Raised, span,
      fmt::format("the last axis of `{}` has no whole number of elements as {}", text, to_string(type)));
  ir::Operand ok = checker.compare(
      ir::CompareOp::Equal,
      checker.temp(types::i64, ir::Misalignment{array.operand, bit_width(type->scalar) / 8}, span), number(0),
      span);
  for (std::size_t axis = 0; axis + 1 < form.strides.size(); ++axis)
    ok = checker.binary(ir::BinaryOp::BitAnd, ok, divides(form.strides[axis]), span);
  checker.check_condition(ok, ir::FaultKind::Raised, span,
                          fmt::format("elements of `{}` do not lie where those as {} may, at multiples of "
                                      "their width",
                                      text, to_string(type)));
}

// Returns whether an array may be viewed as elements of another width; reports where not.
bool has_parts(Checker& checker, const Value& array, Type type, bool is_wider, Span span) {
  // The lanes of a vector keep theirs side by side, element by element; constant arrays lie anywhere.
  const bool is_local = array.type->space == AddressSpace::Local;
  const std::string asked = to_string(type), there = to_string(element_type(array.type));
  if (is_wider && (is_local || array.type->space == AddressSpace::Constant))
    checker.report(span, diag::wider_view, asked, there, is_local ? "local" : "constant");
  else if (is_local)
    checker.report(span, diag::narrower_local_view, asked, there);
  else
    return true;
  return false;
}

// a.view(i32): the bits of the elements as another type.
Value retyped(Checker& checker, const Value& array, const Value& type, Span span) {
  if (type.kind != ValueKind::Type || !is_scalar(type.type)) {
    checker.report(type.span, diag::not_an_element_type, describe(checker, type));
    return error_value(span);
  }
  const int from = bit_width(array.type->scalar), to = bit_width(type.type->scalar);
  if (from == to)
    return make_form(checker, array, form_of(checker, array, span), type.type->scalar, array.type->layout,
                     span);
  const bool is_wider = to > from;
  if (!has_parts(checker, array, type.type, is_wider, span)) return error_value(span);
  // Along the last axis, which is to have no gaps, an element becomes several, or several become one.
  const std::int64_t ratio = is_wider ? to / from : from / to;
  const ir::Operand parts = number(ratio);
  Form form = form_of(checker, array, span);
  checker.check_condition(
      checker.compare(ir::CompareOp::Equal, form.strides.back(), number(1), span), ir::FaultKind::Raised,
      span,
      fmt::format("the last axis of `{}` has gaps, which a view of {} elements cannot have",
                  checker.context.source(array.span), is_wider ? "wider" : "narrower"));
  if (is_wider) check_wider(checker, array, form, parts, type.type, span);
  const ir::BinaryOp scale = is_wider ? ir::BinaryOp::FloorDivide : ir::BinaryOp::Multiply;
  form.extents.back() = checker.binary(scale, form.extents.back(), parts, span);
  for (std::size_t axis = 0; axis + 1 < form.strides.size(); ++axis)
    form.strides[axis] = checker.binary(scale, form.strides[axis], parts, span);
  form.strides.back() = number(1);
  if (!form.known.empty())
    form.known.back() = is_wider ? form.known.back() / ratio : form.known.back() * ratio;
  return make_form(checker, array, std::move(form), type.type->scalar, array.type->layout, span);
}

// Returns what is given in order, or by the only name that a method takes; nothing, reported, for any other.
std::optional<std::vector<Value>> given_as(Checker& checker, const Args& args, std::string_view method,
                                           std::string_view name, Span span) {
  if (args.keywords.empty()) return args.positional;
  bool is_it = args.positional.empty() && args.keywords.size() == 1 && args.keywords[0].first == name;
  if (is_it) return std::vector<Value>{args.keywords[0].second};
  checker.report(span, diag::builtin_arguments,
                 fmt::format("`{}` of an array takes `{}` alone by a name", method, name));
  return std::nullopt;
}

Value call_reshape(Checker& checker, const Value& array, const Args& args, Span span) {
  std::optional<std::vector<Value>> shape = given_as(checker, args, "reshape", "shape", span);
  return shape ? reshaped(checker, array, std::move(*shape), span) : error_value(span);
}
Value call_ravel(Checker& checker, const Value& array, const Args& args, Span span) {
  return takes_none(checker, args, "ravel", span) ? flat(checker, array, "ravel", span) : error_value(span);
}
Value call_transpose(Checker& checker, const Value& array, const Args& args, Span span) {
  std::optional<std::vector<Value>> axes = given_as(checker, args, "transpose", "axes", span);
  if (!axes) return error_value(span);
  bool is_one = axes->size() == 1 && is_tuple((*axes)[0]);
  return transposed(checker, array, is_one ? (*axes)[0].elements : *axes, span);
}
Value call_view(Checker& checker, const Value& array, const Args& args, Span span) {
  std::optional<Value> type;
  if (args.positional.size() == 1 && args.keywords.empty()) type = args.positional[0];
  if (args.positional.empty() && args.keywords.size() == 1 && args.keywords[0].first == "dtype")
    type = args.keywords[0].second;
  if (type) return retyped(checker, array, as_dtype(checker, *type), span);
  checker.report(span, diag::builtin_arguments, "`view` of an array takes the type of the elements");
  return error_value(span);
}
Value call_item(Checker& checker, const Value& array, const Args& args, Span span) {
  // Without an index it is that of an array of one element.
  if (args.positional.size() == static_cast<std::size_t>(array.type->rank)) {
    Value rest = array;
    for (const Value& index : args.positional) {
      if (!check_index(checker, index)) return error_value(span);
      rest = element_at(checker, rest, index, span);
    }
    return rest;
  }
  bool is_flat = args.positional.size() == 1;
  if (args.positional.size() > 1 || (is_flat && !check_index(checker, args.positional[0]))) {
    checker.report(span, diag::builtin_arguments, "`item` of an array takes an index, or one for each axis");
    return error_value(span);
  }
  if (!args.keywords.empty()) return takes_none(checker, args, "item", span), error_value(span);
  if (!is_flat) {
    ir::Operand one = checker.compare(ir::CompareOp::Equal, size_of(checker, array, span), number(1), span);
    checker.check_condition(
        one, ir::FaultKind::Raised, span,
        fmt::format("`{}` has not one element, which `item()` is of", checker.context.source(array.span)));
  }
  Value all = flat(checker, array, "item", span);
  return element_at(checker, all, is_flat ? args.positional[0] : int_value(0, span), span);
}
// a.fill(v)
Value call_fill(Checker& checker, const Value& array, const Args& args, Span span) {
  if (args.positional.size() != 1 || !args.keywords.empty()) {
    checker.report(span, diag::builtin_arguments, "`fill` of an array takes the value of its elements");
    return error_value(span);
  }
  Place place;
  place.ok = place.is_view = true;
  place.array = array.operand;
  store(checker, place, args.positional[0], span);
  return plain_value(ValueKind::None, span);
}

using Method = Value (*)(Checker&, const Value&, const Args&, Span);
struct MethodRow {
  std::string_view name;
  Method call;
};
constexpr MethodRow methods[] = {
    {"reshape", call_reshape}, {"ravel", call_ravel}, {"transpose", call_transpose},
    {"view", call_view},       {"item", call_item},   {"fill", call_fill},
};

// A method that copies in NumPy, for which a kernel has no memory, and what to write instead.
struct CopyRow {
  std::string_view name, instead;
};
constexpr CopyRow copies[] = {
    {"copy", "write its elements into a `local.array` or a `shared.array`"},
    {"astype", "convert each element where it is read: `f32(a[i])`"},
    {"flatten", "`ravel()` is a view of the same elements"},
    {"tolist", "read its elements one by one"},
};

// Methods of NumPy's arrays that are functions here.
constexpr std::string_view folds[] = {"sum", "min", "max", "any", "all"};

} // namespace

std::optional<Value> array_form(Checker& checker, const Value& array, std::string_view name, Span span) {
  if (name == "T") return transposed(checker, array, {}, span);
  if (name == "flat") return flat(checker, array, "flat", span);
  for (const MethodRow& row : methods) {
    if (row.name != name) continue;
    Value method = plain_value(ValueKind::Method, span);
    method.text = row.name;
    method.elements = {array};
    return method;
  }
  std::string_view reduction = checker.rules.numpy_names ? reduction_name(name, true) : "";
  if (!reduction.empty()) {
    Value method = plain_value(ValueKind::Method, span);
    method.text = reduction;
    method.elements = {array};
    return method;
  }
  for (const CopyRow& row : copies) {
    if (row.name != name) continue;
    checker.report(span, diag::array_copy, name, row.instead);
    return error_value(span);
  }
  for (std::string_view fold : folds) {
    if (fold != name) continue;
    std::string_view text = checker.context.source(array.span);
    checker.report(span, diag::no_attribute, describe(checker, array), name)
        .note("it is a function, of an array with one axis: `{}({})`", name,
              array.type->rank == 1 ? std::string(text) : fmt::format("{}.ravel()", advice::primary(text)));
    return error_value(span);
  }
  return std::nullopt;
}

Value call_array_method(Checker& checker, const Value& method, const Args& args, Span span) {
  for (const MethodRow& row : methods)
    if (row.name == method.text) return row.call(checker, method.elements[0], args, span);
  if (args.positional.empty() && args.keywords.empty())
    return call_reduction(checker, method.text, method.elements[0], span);
  checker.report(span, diag::builtin_arguments,
                 fmt::format("`{}` of an array takes no argument: it goes over all elements", method.text));
  return error_value(span);
}

// a[None], a[:, None]: `before` says how many axes of the array stand in front of each new one.
Value with_new_axes(Checker& checker, const Value& array, const std::vector<int>& before, Span span) {
  if (array.type->rank + before.size() > static_cast<std::size_t>(limits::array_rank)) {
    checker.report(span, diag::bad_rank, "None", std::int64_t(limits::array_rank));
    return error_value(span);
  }
  Form form = form_of(checker, array, span);
  for (std::size_t k = before.size(); k-- > 0;) {
    auto at = static_cast<std::ptrdiff_t>(before[k]);
    bool is_last = at == std::ssize(form.extents);
    auto next = static_cast<std::size_t>(at);
    ir::Operand stride = number(1);
    if (!is_last)
      stride = checker.binary(ir::BinaryOp::Multiply, form.extents[next], form.strides[next], span);
    form.extents.insert(form.extents.begin() + at, number(1));
    form.strides.insert(form.strides.begin() + at, stride);
    if (!form.known.empty()) form.known.insert(form.known.begin() + at, 1);
  }
  return make_form(checker, array, std::move(form), array.type->scalar, array.type->layout, span);
}

} // namespace kern::checker
