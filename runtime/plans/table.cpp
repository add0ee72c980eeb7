#include "runtime/plans/table.h"

#include <algorithm>

#include "runtime/api/error.h"
#include "runtime/plans/plans.h"

namespace kern::algorithms {

using enum Role;
using enum Size;

static constexpr Element first = Element::OfFirst, second = Element::OfSecond, integer = Element::Integer,
                         i64 = Element::I64, f64 = Element::F64;

static constexpr Algorithm table[] = {
    {"reduce", "reduce", plan_reduce, 2, {{"x", In}, {"out", Out, One}}},
    {"argmin", "reduce", plan_argmin, 3, {{"x", In}, {"value", Out, One}, {"place", Out, One, i64}}},
    {"argmax", "reduce", plan_argmax, 3, {{"x", In}, {"value", Out, One}, {"place", Out, One, i64}}},

    {"inclusive_scan", "scan", plan_inclusive_scan, 2, {{"x", In, N}, {"y", Out, N}}},
    {"exclusive_scan", "scan", plan_exclusive_scan, 2, {{"x", In, N}, {"y", Out, N}}},
    {"inclusive_scan_by_key",
     "by_key",
     plan_inclusive_scan_by_key,
     3,
     {{"keys", In, N}, {"x", In, N}, {"y", Out, N}}},
    {"exclusive_scan_by_key",
     "by_key",
     plan_exclusive_scan_by_key,
     3,
     {{"keys", In, N}, {"x", In, N}, {"y", Out, N}}},
    {"reduce_by_key",
     "by_key",
     plan_reduce_by_key,
     5,
     {{"keys", In, N}, {"x", In, N}, {"keys_out", Out, Any, first}, {"out", Out}, {"count", Out, One, i64}}},
    {"run_length_encode",
     "by_key",
     plan_run_length_encode,
     4,
     {{"x", In}, {"values", Out, Any, first}, {"lengths", Out, Any, i64}, {"count", Out, One, i64}}},

    {"copy_if", "select", plan_copy_if, 3, {{"x", In}, {"y", Out, Any, first}, {"count", Out, One, i64}}},
    {"copy_flagged",
     "select",
     plan_flagged,
     4,
     {{"x", In, N}, {"flags", In, N}, {"y", Out, Any, first}, {"count", Out, One, i64}}},
    {"unique", "select", plan_unique, 3, {{"x", In}, {"y", Out, Any, first}, {"count", Out, One, i64}}},
    {"unique_by_key",
     "select",
     plan_unique_by_key,
     5,
     {{"keys", In, N},
      {"values", In, N},
      {"keys_out", Out, Any, first},
      {"values_out", Out, Any, second},
      {"count", Out, One, i64}}},
    {"partition",
     "select",
     plan_partition,
     4,
     {{"x", In}, {"y", Out, Any, first}, {"rest", Out, Any, first}, {"count", Out, One, i64}}},
    {"partition_three",
     "select",
     plan_partition_three,
     5,
     {{"x", In},
      {"y", Out, Any, first},
      {"z", Out, Any, first},
      {"rest", Out, Any, first},
      {"count", Out, Two, i64}}},

    {"sort", "sort", plan_sort, 1, {{"keys", InOut, N}, {"keys_out", Out, N, first}}, 0, "merge_sort"},
    {"sort_by_key",
     "sort",
     plan_sort_by_key,
     2,
     {{"keys", InOut, N}, {"values", InOut, N}, {"keys_out", Out, N, first}, {"values_out", Out, N, second}},
     0b1010,
     "merge_sort_by_key"},
    {"argsort",
     "sort",
     plan_argsort,
     2,
     {{"keys", In, N}, {"indices", Out, N, integer}},
     0b10,
     "merge_argsort"},
    {"merge_sort", "merge_sort", plan_merge_sort, 1, {{"keys", InOut, N}, {"keys_out", Out, N, first}}},
    {"merge_sort_by_key",
     "merge_sort",
     plan_merge_sort_by_key,
     2,
     {{"keys", InOut, N}, {"values", InOut, N}, {"keys_out", Out, N, first}, {"values_out", Out, N, second}},
     0b1010},
    {"merge_argsort",
     "merge_sort",
     plan_merge_argsort,
     2,
     {{"keys", In, N}, {"indices", Out, N, integer}},
     0b10},
    {"top_k",
     "top_k",
     plan_top_k,
     3,
     {{"keys", In}, {"keys_out", Out, M, first}, {"indices_out", Out, M, integer}}},

    {"segmented_reduce",
     "segmented",
     plan_segmented_reduce,
     3,
     {{"x", In}, {"offsets", In, MoreThanM, integer}, {"out", Out, M}}},
    {"segmented_argmin",
     "segmented",
     plan_segmented_argmin,
     4,
     {{"x", In},
      {"offsets", In, MoreThanM, integer},
      {"values", Out, M, first},
      {"indices", Out, M, integer}}},
    {"segmented_argmax",
     "segmented",
     plan_segmented_argmax,
     4,
     {{"x", In},
      {"offsets", In, MoreThanM, integer},
      {"values", Out, M, first},
      {"indices", Out, M, integer}}},
    {"segmented_inclusive_scan",
     "segmented",
     plan_segmented_inclusive_scan,
     3,
     {{"x", In, N}, {"offsets", In, Any, integer}, {"out", Out, N}}},
    {"segmented_exclusive_scan",
     "segmented",
     plan_segmented_exclusive_scan,
     3,
     {{"x", In, N}, {"offsets", In, Any, integer}, {"out", Out, N}}},
    {"segmented_sort",
     "segmented",
     plan_segmented_sort,
     3,
     {{"keys", In, N}, {"offsets", In, Any, integer}, {"keys_out", Out, N, first}}},
    {"segmented_sort_by_key",
     "segmented",
     plan_segmented_sort_by_key,
     5,
     {{"keys", In, N},
      {"values", In, N},
      {"offsets", In, Any, integer},
      {"keys_out", Out, N, first},
      {"values_out", Out, N, second}}},

    {"histogram_even",
     "histogram",
     plan_histogram_even,
     4,
     {{"samples", In}, {"low", Number, Any, f64}, {"high", Number, Any, f64}, {"counts", Out, Any, integer}}},
    {"histogram_edges",
     "histogram",
     plan_histogram_edges,
     3,
     {{"samples", In}, {"edges", In, MoreThanM}, {"counts", Out, M, integer}}},
    {"bincount",
     "histogram",
     plan_bincount,
     2,
     {{"samples", In, Any, integer}, {"counts", Out, Any, integer}}},
    {"lower_bound",
     "searchsorted",
     nullptr,
     3,
     {{"sorted", In}, {"x", In, N, first}, {"places", Out, N, integer}}},
    {"upper_bound",
     "searchsorted",
     nullptr,
     3,
     {{"sorted", In}, {"x", In, N, first}, {"places", Out, N, integer}}},

    {"transform", "transform", nullptr, 2, {{"x", In, N}, {"out", Out, N}}},
    {"transform_2", "transform", nullptr, 3, {{"x", In, N}, {"y", In, N}, {"out", Out, N}}},
    {"transform_if", "transform", nullptr, 3, {{"x", In, N}, {"stencil", In, N}, {"out", Out, N}}},
    {"fill", "transform", nullptr, 2, {{"out", Out}, {"value", Number, Any, first}}},
    {"sequence",
     "transform",
     nullptr,
     3,
     {{"out", Out}, {"start", Number, Any, first}, {"step", Number, Any, first}}},
    {"tabulate", "transform", nullptr, 1, {{"out", Out}}},
    {"adjacent_difference", "transform", nullptr, 2, {{"x", In, N}, {"out", Out, N}}},
    {"gather", "gather", nullptr, 3, {{"x", In}, {"index", In, N, integer}, {"out", Out, N, first}}, 0b101},
    {"gather_if",
     "gather",
     nullptr,
     4,
     {{"x", In}, {"index", In, N, integer}, {"stencil", In, N}, {"out", Out, N, first}},
     0b1001},
    {"scatter",
     "gather",
     nullptr,
     3,
     {{"x", In, N}, {"index", In, N, integer}, {"out", Out, Any, first}},
     0b101},
    {"scatter_if",
     "gather",
     nullptr,
     4,
     {{"x", In, N}, {"index", In, N, integer}, {"stencil", In, N}, {"out", Out, Any, first}},
     0b1001},
    {"reverse", "gather", nullptr, 2, {{"x", In, N}, {"out", Out, N, first}}, 0b11},
    {"rotate",
     "gather",
     nullptr,
     3,
     {{"x", In, N}, {"middle", Number, Any, i64}, {"out", Out, N, first}},
     0b101},
    {"repeat",
     "gather",
     nullptr,
     3,
     {{"x", In}, {"times", Number, Any, i64}, {"out", Out, Any, first}},
     0b101},
    {"tile", "gather", nullptr, 2, {{"x", In}, {"out", Out, Any, first}}, 0b11},
    {"transpose", "transpose", plan_transpose, 2, {{"src", In}, {"dst", Out, Any, first}}, 0b11},
};

std::span<const Parameter> Algorithm::all() const {
  std::size_t count = 0;
  while (count < most_parameters && parameters[count].name) ++count;
  return {parameters, count};
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Algorithm::name);
  return found == std::end(table) ? nullptr : found;
}

const Algorithm* find_algorithm(std::string_view module, std::string_view name) {
  const Algorithm* found = find_algorithm(name.empty() ? module : name);
  return found && found->module == module ? found : nullptr;
}

std::string algorithm_names() {
  std::string names;
  for (const Algorithm& each : table) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

std::span<const Algorithm> all_algorithms() { return table; }

void move_as_words(const Algorithm& algorithm, std::span<kern_argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const std::int64_t bytes = bytes_of(arguments[i].type);
        algorithm.moved >> i & 1 && (bytes == 4 || bytes == 8))
      arguments[i].type = bytes == 4 ? KERN_U32 : KERN_U64;
}

Plan make_plan(const Algorithm& algorithm, std::span<const kern_argument> arguments,
               const Settings& settings) {
  const Algorithm& made =
      algorithm.by_comparison && settings.has("LESS") ? *find_algorithm(algorithm.by_comparison) : algorithm;
  // The module has a start for others.
  const bool has_no_start =
      std::string_view(made.name).starts_with("inclusive") || std::string_view(made.name).starts_with("arg");
  if (has_no_start && settings.has("START"))
    runtime::fail(KERN_ARGUMENT_ERROR, "`" + std::string(made.name) + "` has no START");
  Planner planner(made.module, arguments, settings);
  if (made.plan) {
    made.plan(planner);
  } else {
    std::int64_t most = 0;
    for (const kern_argument& each : arguments)
      if (each.kind != KERN_SCALAR) most = std::max(most, each.extents[0]);
    plan_map(planner, made.name, most);
  }
  return planner.take();
}

} // namespace kern::algorithms
