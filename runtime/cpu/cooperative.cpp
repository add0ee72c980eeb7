// Every block is a fiber with scratch of its own. The pool runs rounds: in each, every block goes on until it
// waits or ends, so that a barrier of the grid is the end of a round.
#include "runtime/cpu/cooperative.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "runtime/cpu/fiber.h"

namespace kern::cpu {

namespace {

constexpr std::size_t alignment = 64;
// Pages that are never touched cost nothing.
constexpr std::size_t stack_bytes = std::size_t(1) << 20, guard_bytes = 4096;

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
  Block* blocks;
  std::int64_t vote = 0; // of the last barrier
};

// The block that this thread runs.
thread_local Block* current = nullptr;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// What blocks need that run at once. It stays with the thread that launches and only grows, so a launch that
// fits allocates nothing.
class Arena {
public:
  Arena() = default;
  ~Arena() { unmap(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Makes room; false where there is no memory.
  bool reserve(std::uint64_t count, std::size_t scratch_bytes) {
    if (scratch_bytes > scratch_bytes_) {
      scratch_.reset(std::aligned_alloc(alignment, scratch_bytes));
      scratch_bytes_ = scratch_ ? scratch_bytes : 0;
    }
    if (count > count_) map(count);
    return scratch_bytes <= scratch_bytes_ && count <= count_;
  }
  Block* blocks() const { return blocks_.get(); }
  char* scratch() const { return static_cast<char*>(scratch_.get()); }
  void* stack(std::uint64_t index) const {
    return stacks_ + index * (stack_bytes + guard_bytes) + guard_bytes;
  }

private:
  // Each stack has a page below it that cannot be touched.
  void map(std::uint64_t count) {
    unmap();
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* memory = mmap(nullptr, count * (stack_bytes + guard_bytes), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) return;
    blocks_.reset(new (std::nothrow) Block[count]);
    stacks_ = static_cast<char*>(memory);
    count_ = count;
    if (!blocks_) return unmap();
    for (std::uint64_t i = 0; i < count; ++i)
      if (mprotect(stacks_ + i * (stack_bytes + guard_bytes), guard_bytes, PROT_NONE) != 0) return unmap();
  }
  void unmap() {
    blocks_.reset();
    if (stacks_) munmap(stacks_, count_ * (stack_bytes + guard_bytes));
    stacks_ = nullptr;
    count_ = 0;
  }

  std::unique_ptr<void, Free> scratch_;
  std::size_t scratch_bytes_ = 0;
  char* stacks_ = nullptr;
  std::uint64_t count_ = 0; // of stacks, and of blocks
  std::unique_ptr<Block[]> blocks_;
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

std::uint64_t cooperative_bytes(const Launch& launch) {
  std::uint64_t scratch = (launch.scratch_bytes + alignment - 1) / alignment * alignment;
  return count_blocks(launch) * (scratch + stack_bytes + guard_bytes);
}

bool run_cooperative(Pool& pool, const Launch& launch) {
  static thread_local Arena arena;
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
    block.fiber.make(arena.stack(i), stack_bytes, run_block, &block);
  }
  Launch round = launch;
  round.entry = run_round;
  round.params = &grid;
  round.scratch_bytes = 0;
  round.independent_rows = false;
  round.blocks_done = nullptr;
  auto is_done = [](const Block& block) { return block.fiber.is_done(); };
  while (!std::all_of(grid.blocks, grid.blocks + total, is_done)) {
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
