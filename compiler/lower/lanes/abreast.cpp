// Blocks abreast. In a grid-stride loop by strips (strips.cpp) a block touches rows of as many elements
// as it has threads: 1 KiB of memory, after which the processor has to find another stream. Neighbouring
// blocks together touch long rows: so several blocks of a call make their first segments strip by strip
// together, and then the rest, one block after the other. Each has a scratch area of its own.
//
// Nobody can tell: such a segment prints nothing, waits for no other block, and draws no number that says
// which block came first.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// Threads that go abreast, rows of 16 KiB of elements of 4 bytes, and the most that shared arrays of theirs
// may take, so that all are in the first cache.
static constexpr std::uint64_t threads_abreast = 4096, shared_bytes_abreast = 16 << 10;

// ---- Where blocks may ----

static bool loads_global(const ir::Stmt& loop) {
  bool loads = false;
  ir::visit_bodies(loop, [&](const ir::Body& body) {
    loads = loads || ir::any(body, [](const ir::Stmt& stmt) {
              const auto* load = std::get_if<ir::Load>(&stmt.node);
              return load && load->array.type->space == AddressSpace::Global;
            });
  });
  return loads;
}

static bool holds_jump(const ir::Body& body) {
  return ir::any(body, [](const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Break>(stmt.node) || std::holds_alternative<ir::Return>(stmt.node);
  });
}

// Whether a block may learn from a statement in which order things happen in another, or wait for it there.
static bool tells_order(const ir::Stmt& stmt, const ir::Definitions& definitions) {
  if (std::holds_alternative<ir::Call>(stmt.node)) return true;
  if (std::holds_alternative<ir::While>(stmt.node)) return loads_global(stmt);
  if (const auto* loop = std::get_if<ir::For>(&stmt.node))
    return holds_jump(loop->body) && loads_global(stmt);
  const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
  return atomic && atomic->array.type->space == AddressSpace::Global && atomic->slot &&
         definitions.reads(*atomic->slot) > 0;
}

// Whether a segment does what shows in which order blocks run, or waits for another block.
static bool shows_order(const Lowerer& lower, const ir::Segment& segment) {
  return ir::any(segment.body, [&](const ir::Stmt& stmt) {
    const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
    bool among_lanes = call && row(call->builtin).effects == Effects::Warp;
    return tells_order(stmt, lower.definitions) || std::holds_alternative<ir::Print>(stmt.node) ||
           (call && !among_lanes);
  });
}

// Whether the kernel needs more of a block's own than its area: the scratch of device functions, dynamic
// shared memory, the stack of a block that waits for the grid.
static bool needs_more(const Lowerer& lower) {
  const bool needs = ir::any(lower.ir.body, [](const ir::Stmt& stmt) {
    const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
    return std::holds_alternative<ir::Call>(stmt.node) ||
           (call && row(call->builtin).effects == Effects::Grid);
  });
  return needs || std::ranges::any_of(lower.used_shared, [&](ir::SharedId id) {
           return lower.state.ir.shared[static_cast<std::size_t>(id)].extents.empty();
         });
}

// Whether a segment leaves something to the next that has one place for all blocks.
static bool leaves_uniform(const Lowerer& lower, const ir::Segment& segment) {
  std::vector<bool> assigned = slots_used(lower, segment.body, true);
  for (std::size_t slot = 0; slot < lower.slots.size(); ++slot)
    if (lower.slots[slot].crosses &&
        (slot < lower.ir.param_count || (assigned[slot] && lower.slots[slot].block_uniform)))
      return true;
  return false;
}

void plan_abreast(Lowerer& lower) {
  const auto* first = lower.ir.body.empty() ? nullptr : std::get_if<ir::Segment>(&lower.ir.body.front().node);
  if (!first || !lower.lanes.strips_of.contains(first) || shows_order(lower, *first) || needs_more(lower) ||
      leaves_uniform(lower, *first))
    return;
  std::uint64_t shared = llvm::alignTo(lower.scratch.block_bytes, cache_line), bytes = shared + cache_line;
  std::uint64_t most = threads_abreast / lower.lane_count();
  if (shared > 0) most = std::min(most, shared_bytes_abreast / shared);
  if (most < 2) return;
  lower.abreast.most = most;
  lower.scratch.block_bytes = bytes;
}

std::uint64_t threads_in_call(const Lowerer& lower) { return lower.abreast.most > 1 ? threads_abreast : 0; }

std::uint64_t scratch_bytes_abreast(const Lowerer& lower) {
  if (lower.abreast.most == 1) return 0;
  std::uint64_t vectors = threads_abreast / lower.lane_count();
  return (lower.abreast.most - 1) * lower.scratch.block_bytes +
         vectors * (lower.scratch.record_bytes + lower.scratch.strip_bytes);
}

// ---- Going abreast ----

void for_each_group(Lowerer& lower, llvm::Value* in_row, const std::function<void()>& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto limited = [&](llvm::Value* value, llvm::Intrinsic::ID with, std::uint64_t limit) {
    return builder.CreateBinaryIntrinsic(with, value, i64(lower.state, static_cast<std::int64_t>(limit)));
  };
  llvm::Value* blocks =
      builder.CreateUDiv(i64(lower.state, static_cast<std::int64_t>(threads_abreast / lower.lane_count())),
                         lower.scratch.vectors);
  blocks = limited(limited(blocks, llvm::Intrinsic::umin, lower.abreast.most), llvm::Intrinsic::umax, 1);
  blocks = builder.CreateTrunc(blocks, builder.getInt32Ty(), "blocks_abreast");
  llvm::Value* begin = lower.place.block[0];
  llvm::Value* before = builder.CreateSub(in_row, builder.getInt32(1));
  llvm::Value* groups = builder.CreateAdd(builder.CreateUDiv(before, blocks), builder.getInt32(1));
  // All groups are of about the same size, so that no block is left to go alone.
  blocks = builder.CreateAdd(builder.CreateUDiv(before, groups), builder.getInt32(1));
  stepping_loop(lower, groups, 1, [&](llvm::Value* group, llvm::BasicBlock*) {
    llvm::Value* passed = builder.CreateNUWMul(group, blocks);
    lower.place.block[0] = builder.CreateNUWAdd(begin, passed);
    lower.abreast.count =
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, blocks, builder.CreateSub(in_row, passed));
    body();
  });
  lower.place.block[0] = begin;
}

void for_each_abreast(Lowerer& lower, const std::function<void()>& body) {
  for_each_block(lower, lower.abreast.count, [&](llvm::Value* index) {
    lower.abreast.index = index;
    go_to_area(lower, lower.builder.CreateZExt(index, lower.builder.getInt64Ty()));
    body();
  });
}

} // namespace kern::lowering
