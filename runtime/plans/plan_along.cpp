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
    const std::int64_t outer = x.extents[0], inner = x.extents[2];
    length_ = x.extents[1];
    threads_ = planner.constant("THREADS", 256);
    if (!std::has_single_bit(static_cast<std::uint64_t>(threads_)))
      runtime::fail(KERN_ARGUMENT_ERROR,
                    "`THREADS` is a power of 2 along an axis, and is given as " + std::to_string(threads_));
    columns_ = std::min(power_from(inner), warp);
    const std::int64_t room = threads_ / columns_;
    // A warp reads what lies side by side: of few neighbours more along the axis, but of a short line all.
    const std::int64_t side = length_ > short_line ? std::min(warp / columns_, power_from(length_)) : 1;
    depth_ = std::max(power_from(parts_of(length_, each)), side);
    depth_ = std::min(depth_, room);
    const std::int64_t tiles = outer * ((inner + columns_ - 1) / columns_);
    blocks_ = parts_of(tiles, threads_ / (columns_ * depth_));
  }
  std::int64_t blocks() const { return blocks_; }
  int column_bits() const { return std::countr_zero(static_cast<std::uint64_t>(columns_)); }
  int depth_bits() const { return std::countr_zero(static_cast<std::uint64_t>(depth_)); }
  // Returns in how many parts lines are cut, each with enough to do, so that few lines are many blocks.
  std::int64_t parts() const {
    constexpr std::int64_t most_blocks = 528, least_of_thread = 16;
    if (blocks_ * 2 > most_blocks) return 1;
    return std::min(most_blocks / blocks_, parts_of(length_, depth_ * least_of_thread));
  }
  // Returns how many words the state of parts has, a value of so many: one, which nobody reads, where lines are whole.
  std::int64_t state_size(std::int64_t words) const {
    return parts() > 1 ? blocks_ * (1 + parts() * (threads_ / depth_) * words) : 1;
  }

private:
  std::int64_t length_, threads_, columns_, depth_, blocks_;
};

// How lines are cut, and what their parts leave for each other.
struct Parts {
  std::int64_t count;
  Operand state;
};

Parts make_parts(Planner& planner, const Layout& layout, std::int64_t words) {
  planner.define(layout.parts() > 1 ? "PARTED=True" : "PARTED=False");
  return {layout.parts(), planner.make(KERN_U64, layout.state_size(words))};
}

// Returns the operands of a kernel, behind which stands how its threads lie.
std::vector<Operand> with_layout(std::vector<Operand> operands, const Layout& layout, const Parts& parts) {
  operands.insert(operands.end(),
                  {number(KERN_I32, layout.column_bits()), number(KERN_I32, layout.depth_bits()),
                   number(KERN_I32, parts.count), parts.state});
  return operands;
}

// `items`: how many elements a thread loads together.
void plan_lines(Planner& planner, std::int64_t words, std::int64_t items = 4) {
  constexpr std::int64_t each = 16;
  planner.constant("ITEMS", items);
  const Layout layout(planner, each);
  const Parts parts = make_parts(planner, layout, words);
  Step& step = planner.launch(planner.kernel(), layout.blocks() * parts.count,
                              with_layout(all_given(planner.count()), layout, parts));
  if (parts.count > 1) step.cleared = {parts.state};
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
  const Parts parts = make_parts(planner, layout, words_of(planner, planner.argument(1).type));
  if (parts.count > 1)
    planner.launch("scan_parts_along", layout.blocks() * (parts.count - 1),
                   with_layout({given(0)}, layout, parts));
  planner.launch(planner.kernel(), layout.blocks() * parts.count,
                 with_layout(all_given(planner.count()), layout, parts));
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
