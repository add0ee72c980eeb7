// The plans of the algorithms: what each launches, as its module's docstring says. Those of one launch take the kernel's name from the
// planner, and are those of several algorithms.
#pragma once

#include "runtime/plans/plan.h"

namespace kern::algorithms {

// ---- plan_join.cpp: reductions, scans and selections ----
void plan_reduce(Planner& planner);
void plan_argmin(Planner& planner);
void plan_scan(Planner& planner);
void plan_by_key(Planner& planner);
void plan_run_length_encode(Planner& planner);
void plan_selection(Planner& planner);
void plan_unique_by_key(Planner& planner);
void plan_partition_three(Planner& planner);

// Returns at least as many words of a state as a value takes, which an operation makes of elements of a type.
std::int64_t words_of(const Planner& planner, std::uint32_t type);

// ---- plan_along.cpp: arrays (outer, n, inner) along the middle axis ----
void plan_reduce_along(Planner& planner);
void plan_argmin_along(Planner& planner);
void plan_variance(Planner& planner);
void plan_scan_along(Planner& planner);
void plan_sort_along(Planner& planner);

// ---- plan_sort.cpp ----
void plan_sort(Planner& planner);
void plan_sort_by_key(Planner& planner);
void plan_argsort(Planner& planner);
void plan_merge_sort(Planner& planner);
void plan_merge_sort_by_key(Planner& planner);
void plan_merge_argsort(Planner& planner);
void plan_top_k(Planner& planner);

// ---- plan_map.cpp ----
// One launch that any grid suits, over the largest array.
void plan_map(Planner& planner);
void plan_transpose(Planner& planner);
void plan_permute(Planner& planner);
void plan_histogram(Planner& planner);
void plan_segments(Planner& planner);
void plan_segmented_sort(Planner& planner);
void plan_segmented_sort_by_key(Planner& planner);

} // namespace kern::algorithms
