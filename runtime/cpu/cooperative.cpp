// Every block is a fiber with scratch of its own. The pool runs rounds: in each, every block goes on until it
// waits or ends. A barrier of the grid is where all have come that have not ended; a block that waits for
// memory goes on in the next round, too.
#include "runtime/cpu/cooperative.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "runtime/common/per_thread.h"
#include "runtime/cpu/fiber.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/cpu/record.h"
#include "runtime/cpu/stacks.h"
#include "runtime/cpu/waiting.h"

namespace kern::cpu {

namespace {

constexpr std::size_t alignment = 64;

struct Grid;

struct Block {
  Grid* grid = nullptr;
  kern_where where{};
  void* scratch = nullptr;
  std::uint32_t count = 0; // its part of the vote
  bool is_at_barrier = false;
  Fiber fiber;
  Turns turns{&fiber};

  bool goes_on() const { return !is_at_barrier && !fiber.is_done(); }
};

struct Grid {
  const Launch& launch;
  Block* blocks;
  std::int64_t vote = 0; // of the last barrier
};

// The block that this thread runs.
thread_local Block* current = nullptr;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// The memory that blocks need which run at once. It stays with the thread that launches and only grows, so a
// launch that fits allocates nothing.
class Arena {
public:
  Arena() = default;
  ~Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Makes room; false where there is no memory.
  bool reserve(std::uint64_t count, std::size_t scratch_bytes) {
    if (scratch_bytes > scratch_bytes_) {
      scratch_.reset(std::aligned_alloc(alignment, scratch_bytes));
      scratch_bytes_ = scratch_ ? scratch_bytes : 0;
    }
    if (count > stacks_.count()) {
      blocks_.reset(new (std::nothrow) Block[count]);
      stacks_ = blocks_ ? Stacks::map(count) : Stacks();
    }
    return scratch_bytes <= scratch_bytes_ && count <= stacks_.count();
  }
  Block* blocks() const { return blocks_.get(); }
  char* scratch() const { return static_cast<char*>(scratch_.get()); }
  void* stack(std::uint64_t index) const { return stacks_[index]; }

private:
  std::unique_ptr<void, Free> scratch_;
  std::size_t scratch_bytes_ = 0;
  Stacks stacks_;
  std::unique_ptr<Block[]> blocks_; // as many
};

void run_block(void* argument) {
  auto& block = *static_cast<Block*>(argument);
  const Launch& launch = block.grid->launch;
  launch.entry(launch.params, &block.where, block.scratch);
  move_on(*launch.record);
}

// The entry of a round: its parameters are the grid.
void run_round(const void* params, const kern_where* where, void*) {
  const auto& grid = *static_cast<const Grid*>(params);
  std::uint64_t row = where->block[1] + std::uint64_t(where->block[2]) * where->grid[1];
  Block* block = &grid.blocks[row * where->grid[0] + where->block[0]];
  for (Block* end = block + where->blocks; block != end; ++block) {
    if (!block->goes_on()) continue;
    current = block;
    use_turns(&block->turns);
    block->fiber.resume();
  }
  current = nullptr;
  use_turns(nullptr);
}

void run_alone(const Launch& round, std::uint64_t blocks) {
  FloatEnvironment environment;
  kern_where where = first_block(round);
  where.blocks = static_cast<std::uint32_t>(blocks);
  run_round(round.params, &where, nullptr);
}

} // namespace

std::uint64_t cooperative_bytes(const Launch& launch) {
  std::uint64_t scratch = (launch.scratch_bytes + alignment - 1) / alignment * alignment;
  return count_blocks(launch) * (scratch + Stacks::bytes + Stacks::guard_bytes);
}

bool run_cooperative(Pool& pool, const Launch& launch) {
  Arena& arena = PerThread<Arena>::get();
  std::uint64_t total = count_blocks(launch);
  std::size_t scratch_bytes = (launch.scratch_bytes + alignment - 1) / alignment * alignment, all = 0;
  if (__builtin_mul_overflow(scratch_bytes, total, &all) || !arena.reserve(total, std::max(all, alignment)))
    return false;
  Grid grid{launch, arena.blocks()};
  for (std::uint64_t i = 0; i < total; ++i) {
    Block& block = grid.blocks[i];
    block.grid = &grid;
    block.where = first_block(launch);
    move_to_block(block.where, i);
    block.where.blocks = 1;
    block.scratch = arena.scratch() + i * scratch_bytes;
    block.is_at_barrier = false;
    block.fiber.make(arena.stack(i), Stacks::bytes, run_block, &block);
  }
  Launch round = launch;
  kern_launch_record rounds{}; // what the pool counts are no blocks
  round.record = &rounds;
  round.entry = run_round;
  round.params = &grid;
  round.scratch_bytes = 0;
  round.independent_rows = false;
  round.blocks_done = nullptr;
  round.is_cut_short = nullptr;
  std::span blocks(grid.blocks, total);
  auto is_done = [](const Block& block) { return block.fiber.is_done(); };
  while (!std::ranges::all_of(blocks, is_done)) {
    // Blocks that have begun must end: where the pool has no memory for it, this thread runs the round.
    if (!pool.run(round)) run_alone(round, total);
    if (std::ranges::any_of(blocks, &Block::goes_on)) continue;
    grid.vote = 0;
    for (Block& block : blocks) grid.vote += std::exchange(block.count, 0u);
    for (Block& block : blocks) block.is_at_barrier = false;
    if (has_fault(launch.record->fault)) grid.vote = -1;
  }
  if (launch.blocks_done) std::atomic_ref(*launch.blocks_done).fetch_add(total, std::memory_order_relaxed);
  return true;
}

} // namespace kern::cpu

int64_t kern_cpu_grid_wait(kern_launch_record* record, uint32_t count) {
  kern::cpu::Block& block = *kern::cpu::current;
  block.count = count;
  block.is_at_barrier = true;
  kern::cpu::move_on(*record);
  block.fiber.wait();
  return block.grid->vote;
}
