// The plans of the algorithms: what each launches, as its module's docstring says.
#pragma once

#include "runtime/plans/plan.h"

namespace kern::algorithms {

// ---- plan_join.cpp: reductions, scans and selections ----
void plan_reduce(Planner& planner);
void plan_argmin(Planner& planner);
void plan_argmax(Planner& planner);
void plan_inclusive_scan(Planner& planner);
void plan_exclusive_scan(Planner& planner);
void plan_inclusive_scan_by_key(Planner& planner);
void plan_exclusive_scan_by_key(Planner& planner);
void plan_reduce_by_key(Planner& planner);
void plan_run_length_encode(Planner& planner);
void plan_copy_if(Planner& planner);
void plan_flagged(Planner& planner);
void plan_unique(Planner& planner);
void plan_unique_by_key(Planner& planner);
void plan_partition(Planner& planner);
void plan_partition_three(Planner& planner);

// ---- plan_sort.cpp ----
void plan_sort(Planner& planner);
void plan_sort_by_key(Planner& planner);
void plan_argsort(Planner& planner);
void plan_merge_sort(Planner& planner);
void plan_merge_sort_by_key(Planner& planner);
void plan_merge_argsort(Planner& planner);
void plan_top_k(Planner& planner);

// ---- plan_map.cpp ----
// One launch of `kernel`, which any grid suits, with a thread for some of the elements.
void plan_map(Planner& planner, const char* kernel, std::int64_t elements);
void plan_transpose(Planner& planner);
void plan_histogram_even(Planner& planner);
void plan_histogram_edges(Planner& planner);
void plan_bincount(Planner& planner);
void plan_segmented_reduce(Planner& planner);
void plan_segmented_argmin(Planner& planner);
void plan_segmented_argmax(Planner& planner);
void plan_segmented_inclusive_scan(Planner& planner);
void plan_segmented_exclusive_scan(Planner& planner);
void plan_segmented_sort(Planner& planner);
void plan_segmented_sort_by_key(Planner& planner);

} // namespace kern::algorithms
