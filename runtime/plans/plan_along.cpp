// Algorithms along an axis, of arrays (outer, n, inner). How threads lie along it is chosen here, by the shape alone.
#include <algorithm>
#include <bit>

#include "runtime/api/error.h"
#include "runtime/plans/plans.h"

namespace kern::algorithms {

namespace {

// The smallest power of 2 that is not below a number.
std::int64_t power_from(std::int64_t number) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
}

// The threads of a block: so many neighbours beside the axis, times so many along it, and of both as many tiles as there is room for.
class Layout {
public:
  // `each`: how many elements a thread takes along the axis.
  Layout(Planner& planner, std::int64_t each) {
    constexpr std::int64_t warp = 32, short_line = 16;
    const kern_argument& x = planner.argument(0);
    outer_ = x.extents[0], length_ = x.extents[1], inner_ = x.extents[2];
    threads_ = planner.constant("THREADS", 256);
    if (!std::has_single_bit(static_cast<std::uint64_t>(threads_)))
      runtime::fail(KERN_ARGUMENT_ERROR,
                    "`THREADS` is a power of 2 along an axis, and is given as " + std::to_string(threads_));
    columns_ = std::min(power_from(inner_), warp);
    const std::int64_t room = threads_ / columns_;
    // A warp reads what lies side by side: of few neighbours more along the axis, but of a short line all.
    const std::int64_t side = length_ > short_line ? std::min(warp / columns_, power_from(length_)) : 1;
    depth_ = std::max(power_from(parts_of(length_, each)), side);
    depth_ = std::min(depth_, room);
    const std::int64_t tiles = outer_ * ((inner_ + columns_ - 1) / columns_);
    blocks_ = parts_of(tiles, threads_ / (columns_ * depth_));
  }
  std::int64_t blocks() const { return blocks_; }
  // Returns in how many parts lines are cut, each with enough to do, so that few lines are many blocks.
  std::int64_t parts() const {
    constexpr std::int64_t most_blocks = 528, least_of_thread = 16;
    if (blocks_ * 2 > most_blocks) return 1;
    return std::min(most_blocks / blocks_, parts_of(length_, depth_ * least_of_thread));
  }
  // Returns how many words the state of a reduction has, a value of so many.
  std::int64_t state_size(std::int64_t words) const {
    return blocks_ + (parts() > 1 ? blocks_ * parts() * (threads_ / depth_) * words : 0);
  }
  std::vector<Operand> with_shape(std::vector<Operand> operands) const {
    for (std::int64_t each : {columns_, depth_})
      operands.push_back(number(KERN_I32, std::countr_zero(static_cast<std::uint64_t>(each))));
    return operands;
  }

private:
  std::int64_t outer_, length_, inner_, threads_, columns_, depth_, blocks_;
};

// `items`: how many elements a thread loads together.
void plan_lines(Planner& planner, std::int64_t words, std::int64_t items = 4) {
  constexpr std::int64_t each = 16;
  planner.constant("ITEMS", items);
  const Layout layout(planner, each);
  std::vector<Operand> operands = layout.with_shape(all_given(planner.count()));
  const Operand state = planner.make(KERN_U64, layout.state_size(words));
  planner.define(layout.parts() > 1 ? "PARTED=True" : "PARTED=False");
  operands.push_back(number(KERN_I32, layout.parts()));
  operands.push_back(state);
  planner.launch(planner.kernel(), layout.blocks() * layout.parts(), std::move(operands)).cleared = {state};
}

} // namespace

void plan_reduce_along(Planner& planner) { plan_lines(planner, words_of(planner, planner.argument(0).type)); }
// A value and its index.
void plan_argmin_along(Planner& planner) { plan_lines(planner, 4); }
// Three numbers of at most 64 bits, whose code is long.
void plan_variance(Planner& planner) { plan_lines(planner, 6, 2); }

void plan_scan_along(Planner& planner) {
  const std::int64_t items = planner.constant("ITEMS", 4);
  const Layout layout(planner, items);
  const std::int64_t parts = layout.parts();
  planner.define(parts > 1 ? "PARTED=True" : "PARTED=False");
  const Operand state =
      planner.make(KERN_U64, layout.state_size(words_of(planner, planner.argument(1).type)));
  const Operand count = number(KERN_I32, parts);
  std::vector<Operand> totals = layout.with_shape({given(0)}),
                       scan = layout.with_shape(all_given(planner.count()));
  totals.insert(totals.end(), {count, state});
  scan.insert(scan.end(), {count, state});
  if (parts > 1) planner.launch("scan_parts_along", layout.blocks() * (parts - 1), std::move(totals));
  planner.launch(planner.kernel(), layout.blocks() * parts, std::move(scan));
}

void plan_sort_along(Planner& planner) {
  constexpr std::int64_t long_line = 2000, warp = 32;
  const kern_argument& x = planner.argument(0);
  const std::int64_t lines = x.extents[0] * x.extents[2],
                     threads = planner.constant("segmented.THREADS", 256);
  const bool by_block = x.extents[1] >= long_line;
  planner.define(by_block ? "segmented.BY_BLOCK=True" : "segmented.BY_BLOCK=False");
  const Operand scratch = planner.make(x.type, lines, x.extents[1]);
  const bool in_place = planner.count() == 1;
  std::vector<Operand> operands = {given(0), scratch};
  if (!in_place) operands.push_back(given(1));
  planner.launch(in_place ? "sort_along_in_place" : "sort_along",
                 std::min(parts_of(lines, by_block ? 1 : threads / warp), most_grid), std::move(operands));
}

} // namespace kern::algorithms
