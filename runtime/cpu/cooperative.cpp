// Every block is a fiber with scratch of its own. The pool runs rounds: in each, every block goes on until it
// waits or ends, so that a barrier of the grid is the end of a round.
#include "runtime/cpu/cooperative.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/cpu/fiber.h"

namespace kern::cpu {

namespace {

constexpr std::size_t alignment = 64;
// As much as a thread has; pages that are never touched cost nothing.
constexpr std::size_t stack_bytes = std::size_t(8) << 20, guard_bytes = 4096;

struct Grid;

struct Block {
  Grid* grid = nullptr;
  kern_where where{};
  void* scratch = nullptr;
  std::uint32_t count = 0; // its part of the vote
  Fiber fiber;
};

struct Grid {
  const Launch& launch;
  std::unique_ptr<Block[]> blocks;
  std::int64_t vote = 0; // of the last barrier
};

// The block that this thread runs.
thread_local Block* current = nullptr;

// Memory of many stacks, each with a page below it that cannot be touched.
class Stacks {
public:
  explicit Stacks(std::uint64_t count) : bytes_(count * (stack_bytes + guard_bytes)) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    memory_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0));
    for (std::uint64_t i = 0; is_there() && i < count; ++i)
      mprotect(memory_ + i * (stack_bytes + guard_bytes), guard_bytes, PROT_NONE);
  }
  ~Stacks() {
    if (is_there()) munmap(memory_, bytes_);
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  bool is_there() const { return memory_ != MAP_FAILED; }
  void* get(std::uint64_t index) const { return memory_ + index * (stack_bytes + guard_bytes) + guard_bytes; }

private:
  std::size_t bytes_;
  char* memory_;
};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

void run_block(void* argument) {
  auto& block = *static_cast<Block*>(argument);
  const Launch& launch = block.grid->launch;
  launch.entry(launch.params, &block.where, block.scratch);
}

// The entry of a round: its parameters are the grid.
void run_round(const void* params, const kern_where* where, void*) {
  const auto& grid = *static_cast<const Grid*>(params);
  std::uint64_t row = where->block[1] + std::uint64_t(where->block[2]) * where->grid[1];
  Block* block = &grid.blocks[row * where->grid[0] + where->block[0]];
  for (Block* end = block + where->blocks; block != end; ++block) {
    if (block->fiber.is_done()) continue;
    current = block;
    block->fiber.resume();
  }
  current = nullptr;
}

} // namespace

bool run_cooperative(Pool& pool, const Launch& launch) {
  std::uint64_t total = std::uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  std::size_t scratch_bytes = (launch.scratch_bytes + alignment - 1) / alignment * alignment, all = 0;
  if (__builtin_mul_overflow(scratch_bytes, total, &all)) return false;
  std::unique_ptr<void, Free> scratch(std::aligned_alloc(alignment, std::max(all, alignment)));
  Stacks stacks(total);
  if (!scratch || !stacks.is_there()) return false;
  Grid grid{launch, std::make_unique<Block[]>(total)};
  for (std::uint64_t i = 0; i < total; ++i) {
    Block& block = grid.blocks[i];
    block.grid = &grid;
    std::copy_n(launch.grid, 3, block.where.grid);
    std::copy_n(launch.block, 3, block.where.block_dim);
    block.where.block[0] = static_cast<std::uint32_t>(i % launch.grid[0]);
    block.where.block[1] = static_cast<std::uint32_t>(i / launch.grid[0] % launch.grid[1]);
    block.where.block[2] = static_cast<std::uint32_t>(i / launch.grid[0] / launch.grid[1]);
    block.where.blocks = 1;
    block.scratch = static_cast<char*>(scratch.get()) + i * scratch_bytes;
    block.fiber.make(stacks.get(i), stack_bytes, run_block, &block);
  }
  kern_launch_record own{}; // of the rounds; the kernel has the launch's
  Launch round;
  round.entry = run_round;
  round.params = &grid;
  round.record = &own;
  std::copy_n(launch.grid, 3, round.grid);
  std::copy_n(launch.block, 3, round.block);
  auto is_done = [](const Block& block) { return block.fiber.is_done(); };
  while (!std::all_of(&grid.blocks[0], &grid.blocks[total], is_done)) {
    pool.run(round);
    grid.vote = 0;
    for (std::uint64_t i = 0; i < total; ++i) grid.vote += std::exchange(grid.blocks[i].count, 0u);
    if (launch.record->fault.state != 0) grid.vote = -1;
  }
  if (launch.blocks_done) std::atomic_ref(*launch.blocks_done).fetch_add(total, std::memory_order_relaxed);
  return true;
}

} // namespace kern::cpu

int64_t kern_cpu_grid_wait(kern_launch_record*, uint32_t count) {
  kern::cpu::Block& block = *kern::cpu::current;
  block.count = count;
  block.fiber.wait();
  return block.grid->vote;
}
