// Turns of a CPU block: loops over its threads and rows, and what the turn of a thread, or of a vector, begins with.
#include "compiler/ir/walk.h"
#include "compiler/lower/shared/lowerer.h"

namespace kern::lowering {

// ---- Loops over the threads of a block ----

// The loop is around all of a segment: unrolled, it takes several times as long to compile and runs no
// faster. Most blocks are flat, so that the outer ones go round once.
static bool is_one_step(llvm::Value* limit, unsigned step) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(limit);
  return known && !known->isZero() && known->getZExtValue() <= step;
}

using LoopBody = std::function<void(llvm::Value* index, llvm::BasicBlock* next)>;

static void one_step(Lowerer& lower, llvm::Value* index, const LoopBody& body) {
  llvm::BasicBlock* next = new_block(lower, "next_turn");
  body(index, next);
  enter(lower, next);
}

static void loop_from(Lowerer& lower, llvm::Value* start, llvm::Value* limit, unsigned step,
                      const LoopBody& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* next = new_block(lower, "next_turn");
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* head = new_block(lower, "block_loop");
  llvm::BasicBlock* turn = new_block(lower, "turn");
  llvm::BasicBlock* done = new_block(lower, "block_done");
  enter(lower, head);
  llvm::PHINode* index = builder.CreatePHI(limit->getType(), 2, "first");
  index->addIncoming(start, before);
  builder.CreateCondBr(builder.CreateICmpULT(index, limit), turn, done);
  builder.SetInsertPoint(turn);
  body(index, next);
  enter(lower, next);
  index->addIncoming(builder.CreateNUWAdd(index, llvm::ConstantInt::get(limit->getType(), step)), next);
  forbid_unrolling(lower, builder.CreateBr(head));
  builder.SetInsertPoint(done);
}

void stepping_loop(Lowerer& lower, llvm::Value* limit, unsigned step, const LoopBody& body) {
  llvm::Constant* zero = llvm::ConstantInt::get(limit->getType(), 0);
  if (is_one_step(limit, step)) return one_step(lower, zero, body);
  loop_from(lower, zero, limit, step, body);
}

// A single row has no parts.
void loop_over_y(Lowerer& lower, const LoopBody& body) {
  const Place& place = lower.place;
  llvm::Value* rows = place.block_dim[1];
  if (!place.end_row || is_one_step(rows, 1)) return stepping_loop(lower, rows, 1, body);
  loop_from(lower, place.first_row, place.end_row, 1, body);
}

llvm::Value* record_at(Lowerer& lower, llvm::Value* records, llvm::Value* number, std::uint64_t bytes) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* offset = builder.CreateNUWMul(number, i64(lower.state, static_cast<std::int64_t>(bytes)));
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), records, offset);
}

void begin_record(Lowerer& lower, llvm::Value* record) {
  lower.scratch.record = record;
  if (lower.scratch.record_home) lower.builder.CreateStore(record, lower.scratch.record_home);
}

// The thread's record in scratch, by its linear index in the block.
static void find_record(Lowerer& lower) {
  if (lower.scratch.record_bytes == 0) return;
  llvm::IRBuilder<>& builder = lower.builder;
  auto wide = [&](llvm::Value* value) { return builder.CreateZExt(value, builder.getInt64Ty()); };
  llvm::Value* row = builder.CreateNUWMul(wide(lower.place.thread[2]), wide(lower.place.block_dim[1]));
  row = builder.CreateNUWAdd(row, wide(lower.place.thread[1]));
  llvm::Value* linear = builder.CreateNUWMul(row, wide(lower.place.block_dim[0]));
  linear = builder.CreateNUWAdd(linear, wide(lower.place.thread[0]));
  begin_record(lower, record_at(lower, lower.scratch.records, linear, lower.scratch.record_bytes));
}

// One thread's turn: nothing where it has left before; where it leaves now, it is counted and marked.
static void thread_turn(Lowerer& lower, const std::function<void()>& body, llvm::BasicBlock* next) {
  llvm::IRBuilder<>& builder = lower.builder;
  begin_own_turn(lower, next);
  find_record(lower);
  lower.leave = next;
  if (lower.scratch.has_left_flag) {
    lower.leave = new_block(lower, "leave");
    llvm::BasicBlock* lives = new_block(lower, "lives");
    llvm::Value* left = builder.CreateLoad(builder.getInt8Ty(), lower.scratch.record);
    builder.CreateCondBr(builder.CreateIsNull(left), lives, next);
    builder.SetInsertPoint(lives);
  }
  body();
  if (!ended(lower)) builder.CreateBr(next);
  if (!lower.scratch.has_left_flag) return;
  builder.SetInsertPoint(lower.leave);
  builder.CreateStore(builder.getInt8(1), lower.scratch.record);
  llvm::Value* live = builder.CreateLoad(builder.getInt64Ty(), lower.scratch.live_threads);
  builder.CreateStore(builder.CreateSub(live, i64(lower.state, 1)), lower.scratch.live_threads);
  builder.CreateBr(next);
}

void for_each_thread(Lowerer& lower, const std::function<void()>& body) {
  Place& place = lower.place;
  stepping_loop(lower, place.block_dim[2], 1, [&](llvm::Value* z, llvm::BasicBlock*) {
    place.thread[2] = z;
    loop_over_y(lower, [&](llvm::Value* y, llvm::BasicBlock*) {
      place.thread[1] = y;
      stepping_loop(lower, place.block_dim[0], 1, [&](llvm::Value* x, llvm::BasicBlock* next) {
        place.thread[0] = x;
        thread_turn(lower, body, next);
      });
    });
  });
}

void for_each_block(Lowerer& lower, llvm::Value* blocks,
                    const std::function<void(llvm::Value* index)>& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* first = lower.place.block[0];
  stepping_loop(lower, blocks, 1, [&](llvm::Value* index, llvm::BasicBlock*) {
    lower.place.block[0] = builder.CreateNUWAdd(first, index);
    builder.CreateStore(lower.place.block[0], lower.place.where); // its first field
    body(index);
  });
  lower.place.block[0] = first;
}

// ---- What a turn finds ----

std::vector<bool> slots_used(const Lowerer& lower, const ir::Body& body, bool only_results) {
  std::vector<bool> used(lower.slots.size());
  ir::walk(body, [&](const ir::Stmt& stmt) {
    ir::visit_results(stmt, [&](ir::SlotId slot) { used[static_cast<std::size_t>(slot)] = true; });
    if (only_results) return;
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (operand.slot) used[static_cast<std::size_t>(*operand.slot)] = true;
    });
  });
  return used;
}

void begin_turn(Lowerer& lower, const std::vector<bool>& used) {
  std::vector<bool> params(lower.slots.size());
  for (std::size_t slot = 0; slot < lower.slots.size(); ++slot) {
    params[slot] = used[slot] && lower.turn_params[slot];
    if (!used[slot] || !lower.turn_zero[slot]) continue;
    for (const Cell& cell : lower.slots[slot].cells) write_zero(lower, cell);
  }
  write_params(lower, params);
}

static void move(Lowerer& lower, llvm::Type* type, llvm::Value* from, llvm::Value* to) {
  lower.builder.CreateStore(lower.builder.CreateLoad(type, from), to);
}

std::vector<UniformCopy> copy_uniform_slots(Lowerer& lower, const std::vector<bool>& assigned) {
  std::vector<UniformCopy> copies;
  for (std::size_t slot = 0; slot < lower.slots.size(); ++slot) {
    if (!assigned[slot] || !lower.slots[slot].block_uniform) continue;
    for (Cell& cell : lower.slots[slot].cells) {
      if (cell.known) continue;
      copies.push_back({&cell, cell.pointer, entry_alloca(lower, cell.type)});
      lower.own_turns.of_block.insert(copies.back().next);
      move(lower, cell.type, cell.pointer, copies.back().next);
      cell.pointer = entry_alloca(lower, cell.type);
    }
  }
  return copies;
}

void begin_uniform_copies(Lowerer& lower, const std::vector<UniformCopy>& copies) {
  for (const UniformCopy& copy : copies) {
    move(lower, copy.cell->type, copy.block, copy.cell->pointer);
    if (copy.cell->home) lower.builder.CreateStore(copy.cell->pointer, copy.cell->home);
  }
}

void end_uniform_copies(Lowerer& lower, const std::vector<UniformCopy>& copies) {
  for (const UniformCopy& copy : copies) move(lower, copy.cell->type, copy.cell->pointer, copy.next);
}

void restore_uniform_slots(Lowerer& lower, const std::vector<UniformCopy>& copies) {
  for (const UniformCopy& copy : copies) {
    copy.cell->pointer = copy.block;
    move(lower, copy.cell->type, copy.next, copy.block);
    if (copy.cell->home) lower.builder.CreateStore(copy.block, copy.cell->home);
  }
}

} // namespace kern::lowering
