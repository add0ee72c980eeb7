// Reductions, scans and selections: one launch, with a state that the kernels leave for each other.
#include <algorithm>

#include "runtime/plans/plans.h"

namespace kern::algorithms {

static bool is_complex(std::uint32_t type) { return type == KERN_C64 || type == KERN_C128; }

// A sum of i32 is an i64, and what somebody's own makes of elements may be complex.
std::int64_t words_of(const Planner& planner, std::uint32_t type) {
  const bool is_own = planner.is_set("OPERATION") || planner.is_set("START") || planner.is_set("INPUT");
  return is_own || is_complex(type) ? 4 : 2;
}

// Says whether values are wide, so that a thread takes fewer of them. Sums of integers have 64 bits.
static bool is_wide(std::uint32_t type) {
  return bytes_of(type) > 4 ||
         (type != KERN_F32 && type != KERN_F16 && type != KERN_BF16 && type != KERN_U32);
}

// A launch whose blocks leave words for each other, zeros before, in an array behind the arguments.
static void launch_with_state(Planner& planner, std::int64_t blocks, std::int64_t words) {
  std::vector<Operand> operands = all_given(planner.count());
  const Operand state = planner.make(KERN_U64, words);
  operands.push_back(state);
  planner.launch(planner.kernel(), blocks, std::move(operands)).cleared = {state};
}

// ---- reduce ----

static void plan_reduction(Planner& planner, std::int64_t words) {
  constexpr std::int64_t most_blocks = 528;
  const std::int64_t tile = planner.constant("THREADS", 256) * planner.constant("ITEMS", 16);
  const std::int64_t parts =
      std::min(parts_of(planner.size(0), tile), planner.constant("MOST_BLOCKS", most_blocks));
  launch_with_state(planner, parts, words * parts + 1);
}

void plan_reduce(Planner& planner) { plan_reduction(planner, words_of(planner, planner.argument(0).type)); }
// The value and its index.
void plan_argmin(Planner& planner) { plan_reduction(planner, 4); }

// ---- What goes through tiles, each of which waits for those before it ----

static void plan_tiles(Planner& planner, std::int64_t tile, std::int64_t words) {
  const std::int64_t tiles = parts_of(planner.size(0), tile);
  launch_with_state(planner, tiles, (tiles + tiles / 32 + tiles / 1024) * words);
}

void plan_scan(Planner& planner) {
  const std::uint32_t type = planner.argument(1).type;
  const std::int64_t tile =
      planner.constant("THREADS", 64) * planner.constant("ITEMS", is_wide(type) ? 16 : 32);
  plan_tiles(planner, tile, words_of(planner, type));
}

// Values have a mark beside them, or the number of segments. Where a key and a value have 8 bytes together, 48 registers do.
static void plan_runs(Planner& planner, bool is_wide_value, std::int64_t words) {
  const std::int64_t tile =
      planner.constant("scan.THREADS", 256) * planner.constant("scan.ITEMS", is_wide_value ? 8 : 16);
  planner.constant("BLOCKS", is_wide_value || bytes_of(planner.argument(0).type) > 4 ? 4 : 5);
  plan_tiles(planner, tile, 1 + words);
}

void plan_by_key(Planner& planner) {
  const std::uint32_t type = planner.argument(1).type;
  plan_runs(planner, is_wide(type), words_of(planner, type));
}
void plan_run_length_encode(Planner& planner) {
  plan_runs(planner, bytes_of(planner.argument(0).type) > 4, 1);
}

static void plan_selection_of(Planner& planner, std::int64_t bytes, std::int64_t counts) {
  const std::int64_t items = bytes > 4 || counts > 1 ? 8 : 16;
  plan_tiles(planner, planner.constant("THREADS", 256) * planner.constant("ITEMS", items), counts);
}

void plan_selection(Planner& planner) { plan_selection_of(planner, bytes_of(planner.argument(0).type), 1); }
void plan_unique_by_key(Planner& planner) {
  plan_selection_of(planner, bytes_of(planner.argument(0).type) + bytes_of(planner.argument(1).type), 1);
}
void plan_partition_three(Planner& planner) {
  plan_selection_of(planner, bytes_of(planner.argument(0).type), 2);
}

} // namespace kern::algorithms
