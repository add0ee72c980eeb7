// Algorithms of one launch without a state, for which any grid is right; and those of segments.
#include <algorithm>

#include "runtime/plans/plans.h"

namespace kern::algorithms {

// ---- Maps ----

void plan_map(Planner& planner, const char* kernel, std::int64_t elements) {
  constexpr std::int64_t elements_a_block = 1024;
  planner.launch(kernel, parts_of(elements, elements_a_block), all_given(planner.count()));
}

void plan_transpose(Planner& planner) {
  const kern_argument& source = planner.argument(0);
  const std::int64_t tile = planner.constant("TILE", 64);
  std::int64_t blocks = 1;
  for (std::uint32_t axis = 0; axis < source.rank; ++axis)
    blocks *= axis + 2 < source.rank ? source.extents[axis] : parts_of(source.extents[axis], tile);
  planner.launch("transpose", std::max<std::int64_t>(blocks, 1), all_given(planner.count()));
}

// ---- Histograms ----

// Up to so many bins are counted in shared memory, by kernels that have a name of their own for more.
static void plan_histogram_of(Planner& planner, const std::string& kernel, std::size_t counts) {
  const std::int64_t tile = planner.constant("THREADS", 1024) * planner.constant("ITEMS", 8);
  const std::int64_t most_bins = planner.constant("COUNTERS", 8192),
                     most_blocks = planner.constant("MAX_BLOCKS", 264);
  const bool has_many = planner.size(counts) > most_bins;
  planner
      .launch((kernel + (has_many ? "_many" : "")).c_str(),
              std::min(parts_of(planner.size(0), tile), most_blocks), all_given(planner.count()))
      .cleared = {given(counts)};
}

void plan_histogram_even(Planner& planner) { plan_histogram_of(planner, "histogram_even", 3); }
void plan_histogram_edges(Planner& planner) { plan_histogram_of(planner, "histogram_edges", 2); }
void plan_bincount(Planner& planner) { plan_histogram_of(planner, "bincount", 1); }

// ---- Segments ----

static void plan_segments(Planner& planner, const char* kernel, std::size_t offsets,
                          std::vector<Operand> operands) {
  constexpr std::int64_t long_segment = 2000;
  const std::int64_t segments = std::max<std::int64_t>(planner.size(offsets) - 1, 1);
  const std::int64_t threads = planner.constant("THREADS", 256);
  const bool by_block = planner.asked("BY_BLOCK", planner.size(0) / segments >= long_segment) != 0;
  if (!planner.is_set("BY_BLOCK")) planner.define(by_block ? "BY_BLOCK=True" : "BY_BLOCK=False");
  planner.launch(kernel, by_block ? segments : parts_of(segments, threads / 32), std::move(operands));
}

void plan_segmented_reduce(Planner& planner) { plan_segments(planner, "segmented_reduce", 1, all_given(3)); }
void plan_segmented_argmin(Planner& planner) { plan_segments(planner, "segmented_argmin", 1, all_given(4)); }
void plan_segmented_argmax(Planner& planner) { plan_segments(planner, "segmented_argmax", 1, all_given(4)); }
void plan_segmented_inclusive_scan(Planner& planner) {
  plan_segments(planner, "segmented_inclusive_scan", 1, all_given(3));
}
void plan_segmented_exclusive_scan(Planner& planner) {
  plan_segments(planner, "segmented_exclusive_scan", 1, all_given(3));
}
void plan_segmented_sort(Planner& planner) {
  const Operand scratch = planner.make(planner.argument(0).type, planner.size(0));
  plan_segments(planner, "segmented_sort", 1, {given(0), given(1), scratch, given(2)});
}
void plan_segmented_sort_by_key(Planner& planner) {
  const Operand keys = planner.make(planner.argument(0).type, planner.size(0)),
                values = planner.make(planner.argument(1).type, planner.size(0));
  plan_segments(planner, "segmented_sort_pairs", 2,
                {given(0), given(1), given(2), keys, values, given(3), given(4)});
}

} // namespace kern::algorithms
