// Each function is a row of a table: how it fills the array, and whether its first argument is a shape or an
// array of that shape. The memory is that of the thread, so a shape that is not known is an error.
#include "compiler/check/numpy/made_arrays.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/args.h"
#include "compiler/check/core/dtypes.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/numpy/numpy.h"

#include <algorithm>
#include <array>

#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

enum class Fill : std::uint8_t { None, Zero, One, Value };

struct Row {
  std::string_view name;
  Fill fill;
  bool is_like; // the first argument is an array, whose shape and dtype it has
};
constexpr Row rows[] = {
    {"empty", Fill::None, false},   {"zeros", Fill::Zero, false},     {"ones", Fill::One, false},
    {"full", Fill::Value, false},   {"empty_like", Fill::None, true}, {"zeros_like", Fill::Zero, true},
    {"ones_like", Fill::One, true}, {"full_like", Fill::Value, true},
};

// The arguments by their places or names; nothing where one is given twice or is none of them.
std::optional<std::array<std::optional<Value>, 3>> bind(const Row& row, const Args& args) {
  const bool has_value = row.fill == Fill::Value;
  std::vector<std::string_view> names{row.is_like ? "a" : "shape"};
  if (has_value) names.push_back("fill_value");
  names.push_back("dtype");
  std::array<std::optional<Value>, 3> found;
  auto place_of = [&](std::size_t name) { return name == 0 ? 0u : names[name] == "dtype" ? 2u : 1u; };
  if (args.positional.size() > names.size()) return std::nullopt;
  for (std::size_t i = 0; i < args.positional.size(); ++i) found[place_of(i)] = args.positional[i];
  for (const auto& [keyword, value] : args.keywords) {
    auto name = static_cast<std::size_t>(std::ranges::find(names, keyword) - names.begin());
    if (name == names.size() || found[place_of(name)]) return std::nullopt;
    found[place_of(name)] = value;
  }
  if (!found[0] || has_value != found[1].has_value()) return std::nullopt;
  return found;
}

// Returns the extents that a shape has, or those of an array; nothing where one is not known.
std::optional<std::vector<std::int64_t>> extents_of(const Row& row, const Value& given) {
  if (row.is_like) return given.extents.empty() ? std::nullopt : std::optional(given.extents);
  std::vector<std::int64_t> extents;
  for (const Value& part : is_tuple(given) ? given.elements : std::vector<Value>{given}) {
    std::optional<WideInt> extent = constant_integer(part);
    if (!extent || *extent < 0 || *extent > limits::local_bytes) return std::nullopt;
    extents.push_back(static_cast<std::int64_t>(*extent));
  }
  return extents;
}

} // namespace

std::string_view made_array_name(std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) ? "" : row->name;
}

Value call_made_array(Checker& checker, std::string_view name, const Args& args, Span span) {
  const Row& row = *std::ranges::find(rows, name, &Row::name);
  auto bound = bind(row, args);
  if (!bound || (row.is_like && !is_array(*(*bound)[0]))) {
    checker.report(span, diag::builtin_arguments,
                   fmt::format("`np.{}` takes {}{}, and perhaps a dtype", name,
                               row.is_like ? "an array" : "a shape",
                               row.fill == Fill::Value ? ", a value" : ""));
    return error_value(span);
  }
  const auto& [shape, value, dtype] = *bound;
  Type element = row.is_like ? element_type(shape->type) : types::f64;
  if (row.fill == Fill::Value && !row.is_like && is_number(*value)) element = default_type(value->type);
  if (dtype && dtype->kind != ValueKind::None) {
    Value type = as_dtype(checker, *dtype);
    if (type.kind != ValueKind::Type || !is_scalar(type.type)) {
      checker.report(dtype->span, diag::not_an_element_type, describe(checker, *dtype));
      return error_value(span);
    }
    element = type.type;
  }
  std::optional<std::vector<std::int64_t>> extents = extents_of(row, *shape);
  std::int64_t bytes = size_in_memory(element);
  for (std::int64_t extent : extents.value_or(std::vector<std::int64_t>{}))
    bytes = std::min(bytes * extent, limits::local_bytes + 1);
  const bool is_too_large = bytes > limits::local_bytes;
  const bool has_axes = extents && !extents->empty() && extents->size() <= std::size_t(limits::array_rank);
  if (!has_axes || is_too_large) {
    std::string_view text = checker.context.source(shape->span);
    if (!is_too_large) want_versions(checker);
    if (is_too_large)
      checker.report(span, diag::array_too_large, "a local array", limits::local_bytes);
    else
      checker.report(shape->span, diag::shape_not_constant,
                     row.is_like ? fmt::format("{}.shape", text) : text,
                     "is not known to the compiler, as that of a local array must be");
    return error_value(span);
  }
  Type type = checker.context.module.types.array(element->scalar, static_cast<int>(extents->size()),
                                                 AddressSpace::Local, Layout::COrder);
  Value array = runtime_value(checker.temp(type, ir::LocalArray{*extents}, span), span);
  array.extents = *extents;
  if (row.fill == Fill::None || row.fill == Fill::Zero) return array;
  Place place;
  place.ok = place.is_view = true;
  place.array = array.operand;
  store(checker, place, row.fill == Fill::One ? int_value(1, span) : *value, span);
  return array;
}

} // namespace kern::checker
