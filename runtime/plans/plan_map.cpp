// Algorithms of one launch without a state, for which any grid is right; and those of segments.
#include <algorithm>

#include "runtime/api/error.h"
#include "runtime/plans/plans.h"

namespace kern::algorithms {

// ---- Maps ----

void plan_map(Planner& planner) {
  constexpr std::int64_t elements_a_block = 1024;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < planner.count(); ++i)
    if (is_array(planner.argument(i))) most = std::max(most, planner.size(i));
  planner.launch(planner.kernel(), parts_of(most, elements_a_block), all_given(planner.count()));
}

void plan_transpose(Planner& planner) {
  const kern_argument& source = planner.argument(0);
  const std::int64_t tile = planner.constant("TILE", 64);
  std::int64_t blocks = 1;
  for (std::uint32_t axis = 0; axis < source.rank; ++axis)
    blocks *= axis + 2 < source.rank ? source.extents[axis] : parts_of(source.extents[axis], tile);
  planner.launch(planner.kernel(), std::clamp<std::int64_t>(blocks, 1, most_grid),
                 all_given(planner.count()));
}

void plan_permute(Planner& planner) {
  const kern_argument &source = planner.argument(0), &result = planner.argument(1);
  std::vector<std::int64_t> axes = planner.asked_tuple("AXES").value_or(std::vector<std::int64_t>{1, 0});
  std::vector<bool> is_named(source.rank);
  bool is_order = axes.size() == source.rank && (planner.asked_tuple("AXES") || !planner.is_set("AXES"));
  std::vector<std::int64_t> wanted;
  for (std::int64_t axis : axes) {
    if (axis < 0) axis += source.rank;
    is_order = is_order && axis >= 0 && axis < source.rank && !is_named[static_cast<std::size_t>(axis)];
    if (!is_order) break;
    is_named[static_cast<std::size_t>(axis)] = true;
    wanted.push_back(source.extents[axis]);
  }
  if (!is_order || source.rank < 2 || source.rank > 6)
    runtime::fail(KERN_ARGUMENT_ERROR, "`AXES` is an order of the axes of `src`, which has " +
                                           std::to_string(source.rank) +
                                           ", as (1, 0) of 2; there are 2 to 6");
  if (!std::ranges::equal(wanted, std::span(result.extents, result.rank)))
    runtime::fail(KERN_ARGUMENT_ERROR, "`dst` has the shape " + text_of(wanted) + " by the axes of `src`, " +
                                           text_of({source.extents, source.rank}) + ", and is given one of " +
                                           text_of({result.extents, result.rank}));
  plan_transpose(planner);
}

// ---- Histograms ----

// Up to so many bins are counted in shared memory, by kernels that have a name of their own for more. The counts come last.
void plan_histogram(Planner& planner) {
  const std::size_t counts = planner.count() - 1;
  const std::int64_t tile = planner.constant("THREADS", 1024) * planner.constant("ITEMS", 8);
  const std::int64_t most_bins = planner.constant("COUNTERS", 8192),
                     most_blocks = planner.constant("MAX_BLOCKS", 264);
  const std::string many = planner.size(counts) > most_bins ? "_many" : "";
  planner
      .launch(planner.kernel() + many, std::min(parts_of(planner.size(0), tile), most_blocks),
              all_given(planner.count()))
      .cleared = {given(counts)};
}

// ---- Segments ----

static void launch_segments(Planner& planner, std::size_t offsets, std::vector<Operand> operands) {
  constexpr std::int64_t long_segment = 2000;
  const std::int64_t segments = std::max<std::int64_t>(planner.size(offsets) - 1, 1);
  const std::int64_t threads = planner.constant("THREADS", 256);
  const bool by_block = planner.asked("BY_BLOCK", planner.size(0) / segments >= long_segment) != 0;
  if (!planner.is_set("BY_BLOCK")) planner.define(by_block ? "BY_BLOCK=True" : "BY_BLOCK=False");
  planner.launch(planner.kernel(), by_block ? segments : parts_of(segments, threads / 32),
                 std::move(operands));
}

void plan_segments(Planner& planner) { launch_segments(planner, 1, all_given(planner.count())); }
void plan_segmented_sort(Planner& planner) {
  const Operand scratch = planner.make(planner.argument(0).type, planner.size(0));
  launch_segments(planner, 1, {given(0), given(1), scratch, given(2)});
}
void plan_segmented_sort_by_key(Planner& planner) {
  const Operand keys = planner.make(planner.argument(0).type, planner.size(0)),
                values = planner.make(planner.argument(1).type, planner.size(0));
  launch_segments(planner, 2, {given(0), given(1), given(2), keys, values, given(3), given(4)});
}

} // namespace kern::algorithms
