// Everything a launch needs is computed from the IR and the arguments; nothing here knows LLVM.
#include "compiler/driver/run/execute.h"

#include <cstring>

#include "compiler/analysis/threads/kernel_lanes.h"
#include "compiler/analysis/threads/rows.h"
#include "compiler/ir/param_block.h"
#include "compiler/support/limits.h"

namespace kern {

std::vector<std::uint64_t> make_params(const ir::Function& kernel, std::span<const Argument> arguments) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const HostArray* array = arguments[i].array();
    if (!array) {
      Type type = kernel.slots[i].type;
      std::uint64_t scalar[2] = {};
      store_number(type->scalar, scalar, std::get<Scalar>(arguments[i].value).number);
      words.insert(words.end(), scalar, scalar + ir::block_slots(type));
      continue;
    }
    words.push_back(reinterpret_cast<std::uint64_t>(array->data()));
    for (std::int64_t extent : array->extents) words.push_back(static_cast<std::uint64_t>(extent));
    for (std::int64_t stride : array->strides) words.push_back(static_cast<std::uint64_t>(stride));
  }
  words.push_back(0);
  return words;
}

// Whether rows of threads fill vectors of 32 lanes: those of a block, or of blocks that are joined.
static bool fill_wide_vectors(const ir::Module& module, const ir::Function& kernel, const LaneFacts& facts,
                              const LaunchShape& shape) {
  constexpr std::uint64_t wide = 32, long_row = 4 * wide;
  if (shape.block[0] % wide == 0) return true;
  std::uint64_t row = shape.grid[0] * shape.block[0];
  return (row % wide == 0 || row >= long_row) && joins_blocks(module, kernel, facts);
}

LaneFacts lane_facts(const ir::Module& module, const ir::Function& kernel,
                     const std::vector<Argument>& arguments, const LaunchShape& shape, int asked_lanes,
                     bool wide) {
  LaneFacts asked;
  asked.lanes = asked_lanes > 0 ? asked_lanes : default_lanes;
  LaneFacts facts = kernel_lanes(module, kernel, asked);
  facts.contiguous = facts.small_arrays = facts.small_grid = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    facts.small_grid &= shape.grid[axis] * shape.block[axis] <= std::uint64_t{limits::small_grid};
  if (asked_lanes == 0 && wide && facts.lanes > 1 && fill_wide_vectors(module, kernel, facts, shape))
    facts.lanes = 32;
  facts.block_x_multiple = shape.block[0] % static_cast<std::uint64_t>(facts.lanes) == 0;
  for (const Argument& argument : arguments) {
    const HostArray* array = argument.array();
    if (!array) continue;
    facts.contiguous &= array->strides.back() == 1;
    facts.small_arrays &= array->bytes() <= limits::small_array_bytes;
  }
  return facts;
}

} // namespace kern
