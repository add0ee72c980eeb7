// Loops over the vectors of a block. Lanes run along threadIdx.x, the last vector of a row lacking some; or
// they follow the linear thread id, so that a vector is a warp. Each vector enters the plain copy of a
// segment if all its lanes live, else the masked one.
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

static llvm::Value* wide(Lowerer& lower, llvm::Value* value) {
  return lower.builder.CreateZExt(value, lower.builder.getInt64Ty());
}

// ---- Where lanes are ----

// Calls `body` for each vector: with the number of the vector in the block and of its lanes that exist (may
// be more than W). Where vectors are whole by a fact, that number is a constant, and no masked copy is
// entered first.
using VectorBody = std::function<void(llvm::Value* number, llvm::Value* existing, llvm::BasicBlock* next)>;

static llvm::Value* existing_lanes(Lowerer& lower, llvm::Value* limit, llvm::Value* first) {
  if (lower.facts.block_x_multiple) return lower.builder.getInt32(lower.lane_count());
  return lower.builder.CreateSub(limit, first);
}

static void loop_over_rows(Lowerer& lower, const VectorBody& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  Place& place = lower.place;
  unsigned lanes = lower.lane_count();
  llvm::Value* in_row = builder.CreateUDiv(builder.CreateAdd(place.block_dim[0], builder.getInt32(lanes - 1)),
                                           builder.getInt32(lanes));
  stepping_loop(lower, place.block_dim[2], 1, [&](llvm::Value* z, llvm::BasicBlock*) {
    place.thread[2] = z;
    loop_over_y(lower, [&](llvm::Value* y, llvm::BasicBlock*) {
      place.thread[1] = y;
      auto row_of = [&](llvm::Value* threads) {
        stepping_loop(lower, threads, lanes, [&](llvm::Value* x, llvm::BasicBlock* next) {
          place.thread[0] = x;
          llvm::Value* row = builder.CreateNUWAdd(
              builder.CreateNUWMul(wide(lower, z), wide(lower, place.block_dim[1])), wide(lower, y));
          llvm::Value* number = builder.CreateNUWMul(row, wide(lower, in_row));
          number = builder.CreateNUWAdd(number, wide(lower, builder.CreateUDiv(x, builder.getInt32(lanes))));
          body(number, existing_lanes(lower, threads, x), next);
        });
      };
      if (place.joins_blocks) return row_of(builder.CreateNUWMul(place.block_dim[0], place.blocks));
      if (place.blocks)
        return for_each_block(lower, place.blocks, [&](llvm::Value*) { row_of(place.block_dim[0]); });
      row_of(place.block_dim[0]);
    });
  });
}

static void loop_over_warps(Lowerer& lower, const VectorBody& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  Place& place = lower.place;
  llvm::Value* threads =
      builder.CreateMul(builder.CreateMul(place.block_dim[0], place.block_dim[1]), place.block_dim[2]);
  unsigned lanes = lower.lane_count();
  stepping_loop(lower, threads, lanes, [&](llvm::Value* linear, llvm::BasicBlock* next) {
    lower.lanes.linear_id = linear;
    place.thread[0] = builder.CreateURem(linear, place.block_dim[0]);
    llvm::Value* row = builder.CreateUDiv(linear, place.block_dim[0]);
    place.thread[1] = builder.CreateURem(row, place.block_dim[1]);
    place.thread[2] = builder.CreateUDiv(row, place.block_dim[1]);
    llvm::Value* number = wide(lower, builder.CreateUDiv(linear, builder.getInt32(lanes)));
    body(number, existing_lanes(lower, threads, linear), next);
  });
}

// ---- A vector's turn ----

static llvm::Value* existing_mask(Lowerer& lower, llvm::Value* existing) {
  llvm::Constant* numbers = lane_steps(lower, lower.builder.getInt32Ty(), 1);
  return lower.builder.CreateICmpULT(numbers, splat(lower, existing));
}

static llvm::Value* left_bits(Lowerer& lower) {
  return lower.builder.CreateLoad(lower.builder.getIntNTy(lower.lane_count()), lower.scratch.record);
}

// Marks lanes that left in this turn, and counts them.
static void mark_left(Lowerer& lower, llvm::Value* live_before) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* now = mask_bits(lower, load_mask(lower, lower.lanes.live));
  llvm::Value* leaving = builder.CreateAnd(live_before, builder.CreateNot(now));
  llvm::BasicBlock* mark = new_block(lower, "mark_left");
  llvm::BasicBlock* done = new_block(lower, "turn_done");
  builder.CreateCondBr(builder.CreateIsNull(leaving), done, mark);
  builder.SetInsertPoint(mark);
  builder.CreateStore(builder.CreateOr(left_bits(lower), leaving), lower.scratch.record);
  llvm::Value* count =
      builder.CreateZExt(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, leaving), builder.getInt64Ty());
  llvm::Value* live = builder.CreateLoad(builder.getInt64Ty(), lower.scratch.live_threads);
  builder.CreateStore(builder.CreateSub(live, count), lower.scratch.live_threads);
  enter(lower, done);
}

// Finds the vector's record and its live lanes; passes over it where there are none.
static llvm::Value* begin_vector(Lowerer& lower, llvm::Value* number, llvm::Value* existing,
                                 llvm::BasicBlock* next) {
  llvm::IRBuilder<>& builder = lower.builder;
  Scratch& scratch = lower.scratch;
  if (scratch.record_bytes > 0)
    begin_record(lower, record_at(lower, scratch.records, number, scratch.record_bytes));
  llvm::Value* live = existing_mask(lower, existing);
  llvm::Value* bits = mask_bits(lower, live);
  if (scratch.has_left_flag) {
    bits = builder.CreateAnd(bits, builder.CreateNot(left_bits(lower)));
    live = mask_of_bits(lower, bits);
    llvm::BasicBlock* some = new_block(lower, "some_live");
    builder.CreateCondBr(builder.CreateIsNull(bits), next, some);
    builder.SetInsertPoint(some);
  }
  store_mask(lower, lower.lanes.present, live);
  return bits;
}

static void loop_over_vectors(Lowerer& lower, const VectorBody& body) {
  Lanes& lanes = lower.lanes;
  if (!lanes.present) {
    lanes.present = lanes.live = new_mask_slot(lower, "live");
    lanes.active = new_mask_slot(lower, "active");
  }
  if (lower.facts.linear_thread_id) return loop_over_warps(lower, body);
  loop_over_rows(lower, body);
}

void for_each_vector(Lowerer& lower, const std::function<void()>& body) {
  loop_over_vectors(lower, [&](llvm::Value* number, llvm::Value* existing, llvm::BasicBlock* next) {
    begin_vector(lower, number, existing, next);
    lower.builder.CreateStore(lower.builder.CreateLoad(mask_type(lower), lower.lanes.live),
                              lower.lanes.active);
    lower.lanes.masked = true;
    body();
    lower.lanes.masked = false;
    if (!ended(lower)) lower.builder.CreateBr(next);
  });
}

// Emits the beginning of a copy; masked code may begin when the plain copy has come some way.
static void begin_copy(Lowerer& lower, const std::vector<bool>& used,
                       const std::vector<UniformCopy>& copies) {
  begin_turn(lower, used);
  begin_uniform_copies(lower, copies);
}

static void lower_copy(Lowerer& lower, const ir::Segment& segment, bool plain) {
  lower.lanes.masked = !plain;
  lower.lanes.plain_copy = plain;
  lower.lanes.skip = lower.lanes.end;
  lower.lanes.tests.clear();
  lower.lanes.mostly_linear.clear();
  lower_lane_body(lower, segment.body);
  if (!ended(lower)) lower.builder.CreateBr(lower.lanes.end);
  lower.lanes.masked = lower.lanes.plain_copy = false;
}

// Only threads that live say what the block's slots are from here on.
static void keep_uniform_copies(Lowerer& lower, const std::vector<UniformCopy>& copies) {
  if (copies.empty()) return;
  llvm::BasicBlock* keep = new_block(lower, "keep");
  llvm::BasicBlock* done = new_block(lower, "kept");
  lower.builder.CreateCondBr(any_lane(lower, load_mask(lower, lower.lanes.present)), keep, done);
  lower.builder.SetInsertPoint(keep);
  end_uniform_copies(lower, copies);
  enter(lower, done);
}

void lower_lane_segment(Lowerer& lower, const ir::Segment& segment) {
  llvm::IRBuilder<>& builder = lower.builder;
  std::vector<bool> used = slots_used(lower, segment.body, false);
  std::vector<UniformCopy> copies = copy_uniform_slots(lower, slots_used(lower, segment.body, true));
  auto vector = [&](llvm::Value* number, llvm::Value* existing, llvm::BasicBlock* next) {
    begin_own_turn(lower, next);
    llvm::Value* live = begin_vector(lower, number, existing, next);
    begin_strip(lower, number, next, [&] {
      begin_copy(lower, used, copies);
      store_mask(lower, lower.lanes.present, full_mask(lower, true));
    });
    llvm::BasicBlock* plain = new_block(lower, "plain");
    llvm::BasicBlock* masked = new_block(lower, "masked");
    // If nobody can have left, the number of lanes tells it without a vector.
    llvm::Value* whole = lower.scratch.has_left_flag
                             ? builder.CreateICmpEQ(live, llvm::Constant::getAllOnesValue(live->getType()))
                             : builder.CreateICmpUGE(existing, builder.getInt32(lower.lane_count()));
    lower.lanes.end = new_block(lower, "end_of_turn");
    lower.lanes.constructs.clear();
    lower.lanes.side_entries.clear();
    builder.CreateCondBr(whole, plain, masked);
    builder.SetInsertPoint(plain);
    begin_copy(lower, used, copies);
    store_mask(lower, lower.lanes.present, full_mask(lower, true));
    lower_copy(lower, segment, true);
    end_strip(lower);
    builder.SetInsertPoint(masked);
    begin_copy(lower, used, copies);
    builder.CreateStore(builder.CreateLoad(mask_type(lower), lower.lanes.present), lower.lanes.active);
    lower_copy(lower, segment, false);
    builder.SetInsertPoint(lower.lanes.end);
    keep_uniform_copies(lower, copies);
    if (lower.scratch.has_left_flag) mark_left(lower, live);
  };
  auto vectors = [&] { loop_over_vectors(lower, vector); };
  auto all = [&] { lower.abreast.together ? for_each_abreast(lower, vectors) : vectors(); };
  in_own_turns(lower, segment, [&] { in_strips(lower, segment, all); });
  restore_uniform_slots(lower, copies);
}

} // namespace kern::lowering
