// The CPU runs a block one thread (or vector of threads) after the other: each segment is a loop over the
// block. Between segments the whole block goes the same way; where a condition is not known to be one for the
// block, the values of its live threads are compared, and disagreement is a fault.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/cpu/cpu.h"
#include "compiler/support/overloaded.h"

namespace kern::lowering {

// ---- Segments ----

static bool is_one_for_block(const Lowerer& lower, const ir::Operand& operand) {
  if (!operand.slot) return true;
  const SlotCells& slot = lower.slots[static_cast<std::size_t>(*operand.slot)];
  return slot.block_uniform ||
         (static_cast<std::uint32_t>(*operand.slot) < lower.ir.param_count && !slot.crosses);
}

// Whether a segment only computes what is one for the block from what is. It needs no thread: the block does
// it once, whoever has left.
static bool is_for_block(const Lowerer& lower, const ir::Segment& segment) {
  std::vector<bool> own(lower.slots.size());
  return std::all_of(segment.body.begin(), segment.body.end(), [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign || std::holds_alternative<ir::LocalArray>(assign->value)) return false;
    // A value that nobody reads counts as the same in a block whatever it is computed from, so builtins that
    // depend on the thread are refused here.
    const auto* call = std::get_if<ir::CallPure>(&assign->value);
    if (call && row(call->builtin).effects == Effects::Thread) return false;
    auto result = static_cast<std::size_t>(assign->slot);
    const SlotCells& slot = lower.slots[result];
    own[result] = slot.same_in_block && (slot.block_uniform || !slot.crosses);
    bool known = own[result] && result >= lower.ir.param_count;
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      known = known && (is_one_for_block(lower, operand) || own[static_cast<std::size_t>(*operand.slot)]);
    });
    return known;
  });
}

// Gives no line to what goes from thread to thread: a debugger would stop there with the variables of
// another.
static void leave_source(Lowerer& lower) {
  if (!lower.state.debug.is_exact()) return;
  lower.builder.SetCurrentDebugLocation(
      llvm::DILocation::get(lower.state.context, 0, 0, lower.function->getSubprogram()));
}

static void lower_segment_of_threads(Lowerer& lower, const ir::Segment& segment) {
  std::vector<bool> used = slots_used(lower, segment.body, false);
  std::vector<UniformCopy> copies = copy_uniform_slots(lower, slots_used(lower, segment.body, true));
  in_own_turns(lower, segment, [&] {
    for_each_thread(lower, [&] {
      begin_turn(lower, used);
      begin_uniform_copies(lower, copies);
      lower_body(lower, segment.body);
      leave_source(lower);
      if (!ended(lower)) end_uniform_copies(lower, copies);
    });
  });
  restore_uniform_slots(lower, copies);
}

static void lower_segment(Lowerer& lower, const ir::Segment& segment) {
  if (is_for_block(lower, segment))
    return (lower.is_vector() ? lower_lane_body : lower_body)(lower, segment.body);
  if (lower.is_vector()) return lower_lane_segment(lower, segment);
  lower_segment_of_threads(lower, segment);
}

// In every thread, or vector of threads, that lives.
static void for_each_turn(Lowerer& lower, const std::function<void()>& body) {
  if (lower.is_vector()) return for_each_vector(lower, body);
  for_each_thread(lower, body);
}

static void write_everywhere(Lowerer& lower, ir::SlotId slot, const std::function<llvm::Value*()>& value) {
  if (lower.slots[static_cast<std::size_t>(slot)].block_uniform) return write(lower, slot, value());
  for_each_turn(lower, [&] { write(lower, slot, value()); });
}

// ---- Control flow around segments ----

// The site at which threads that disagree are reported: the one made for that statement.
static std::uint32_t divergence_site(const Lowerer& lower, Span span) {
  const std::vector<ir::Site>& sites = lower.state.ir.sites;
  for (std::size_t site = 0; site < sites.size(); ++site)
    if (sites[site].kind == ir::FaultKind::BarrierDivergence && sites[site].span == span)
      return static_cast<std::uint32_t>(site);
  return ~std::uint32_t{0};
}

// Records that threads disagree, and ends the block: a barrier could not hold.
static void end_divergent_block(Lowerer& lower, llvm::Value* differing, Span span) {
  std::uint32_t site = divergence_site(lower, span);
  llvm::Value* none = i64(lower.state, 0);
  if (lower.is_vector()) {
    record_lane_fault(lower, differing, site, ir::FaultKind::BarrierDivergence);
    lower.builder.CreateBr(lower.return_block);
    return;
  }
  llvm::BasicBlock* leave = std::exchange(lower.leave, lower.return_block);
  lower_fault(lower, site, ir::FaultKind::BarrierDivergence, 0, none, none);
  lower.leave = leave;
}

// The value of the first live thread; one whose value is another ends the block.
static llvm::Value* agreed_value(Lowerer& lower, const ir::Operand& operand, Span span) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = register_type(lower.state, operand.type->scalar);
  llvm::Value* value = entry_alloca(lower, type, "agreed");
  llvm::Value* found = entry_alloca(lower, builder.getInt1Ty(), "found");
  builder.CreateStore(llvm::Constant::getNullValue(type), value);
  builder.CreateStore(builder.getFalse(), found);
  for_each_turn(lower, [&] {
    Value own = read_value(lower, operand);
    llvm::Value* first = lower.is_vector() ? value_of_first_lane(lower, own) : own.value;
    llvm::Value* known = builder.CreateLoad(builder.getInt1Ty(), found);
    llvm::Value* agreed = builder.CreateSelect(known, builder.CreateLoad(type, value), first);
    builder.CreateStore(agreed, value);
    builder.CreateStore(builder.getTrue(), found);
    llvm::Value* differing = nullptr;
    llvm::Value* any = nullptr;
    if (lower.is_vector()) {
      differing = builder.CreateICmpNE(to_vector(lower, own), splat(lower, agreed));
      differing = builder.CreateAnd(differing, active_lanes(lower));
      any = any_lane(lower, differing);
    } else {
      any = differing = builder.CreateICmpNE(own.value, agreed);
    }
    llvm::BasicBlock* differs = new_block(lower, "differs");
    llvm::BasicBlock* same = new_block(lower, "same");
    builder.CreateCondBr(any, differs, same);
    builder.SetInsertPoint(differs);
    end_divergent_block(lower, differing, span);
    builder.SetInsertPoint(same);
  });
  return builder.CreateLoad(type, value);
}

static llvm::Value* block_value(Lowerer& lower, const ir::Operand& operand, Span span) {
  return is_one_for_block(lower, operand) ? read(lower, operand) : agreed_value(lower, operand, span);
}

// Nothing is left to do once every thread has left; without this a loop whose condition they computed would
// not end.
static void exit_if_all_left(Lowerer& lower) {
  if (!lower.scratch.has_left_flag) return;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* some = new_block(lower, "some_live");
  llvm::Value* live = builder.CreateLoad(builder.getInt64Ty(), lower.scratch.live_threads);
  builder.CreateCondBr(builder.CreateIsNull(live), lower.return_block, some);
  builder.SetInsertPoint(some);
}

static void lockstep_if(Lowerer& lower, const ir::If& stmt, Span span) {
  llvm::BasicBlock* then_block = new_block(lower, "then");
  llvm::BasicBlock* else_block = new_block(lower, "else");
  llvm::BasicBlock* done = new_block(lower, "endif");
  exit_if_all_left(lower);
  lower.builder.CreateCondBr(block_value(lower, stmt.condition, span), then_block, else_block);
  lower.builder.SetInsertPoint(then_block);
  lower_lockstep_body(lower, stmt.then_body);
  if (!ended(lower)) lower.builder.CreateBr(done);
  lower.builder.SetInsertPoint(else_block);
  lower_lockstep_body(lower, stmt.else_body);
  enter(lower, done);
}

static void lockstep_loop_body(Lowerer& lower, const ir::Body& body, Loop targets) {
  lower.loops.push_back(targets);
  lower_lockstep_body(lower, body);
  lower.loops.pop_back();
}

// Back to the head of a loop around segments, which are loops themselves: unrolled, they take as many times
// as long to compile and run no faster.
static void go_back_once(Lowerer& lower, llvm::BasicBlock* head) {
  if (!ended(lower)) forbid_unrolling(lower, lower.builder.CreateBr(head));
}

static void lockstep_while(Lowerer& lower, const ir::While& stmt, Span span) {
  llvm::BasicBlock* head = new_block(lower, "while");
  llvm::BasicBlock* body = new_block(lower, "body");
  llvm::BasicBlock* done = new_block(lower, "endwhile");
  enter(lower, head);
  lockstep_loop_body(lower, stmt.head, {head, done});
  exit_if_all_left(lower);
  if (!ended(lower)) lower.builder.CreateCondBr(block_value(lower, stmt.condition, span), body, done);
  lower.builder.SetInsertPoint(body);
  lockstep_loop_body(lower, stmt.body, {head, done});
  go_back_once(lower, head);
  lower.builder.SetInsertPoint(done);
}

// The counter is a slot of its own, from 0 by 1 (transform/segments.cpp), and one for the block.
static void lockstep_for(Lowerer& lower, const ir::For& stmt, Span span) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* start = read(lower, stmt.start);
  llvm::Value* step = read(lower, stmt.step);
  exit_if_all_left(lower);
  llvm::Value* count = block_value(lower, stmt.count, span);
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* head = new_block(lower, "for");
  llvm::BasicBlock* body = new_block(lower, "body");
  llvm::BasicBlock* next = new_block(lower, "next");
  llvm::BasicBlock* done = new_block(lower, "endfor");
  enter(lower, head);
  llvm::PHINode* trip = builder.CreatePHI(builder.getInt64Ty(), 2, "trip");
  trip->addIncoming(i64(lower.state, 0), before);
  builder.CreateCondBr(builder.CreateICmpSLT(trip, count), body, done);
  builder.SetInsertPoint(body);
  exit_if_all_left(lower);
  write_everywhere(lower, stmt.variable,
                   [&] { return builder.CreateAdd(start, builder.CreateMul(trip, step)); });
  lockstep_loop_body(lower, stmt.body, {next, done});
  enter(lower, next);
  trip->addIncoming(builder.CreateNSWAdd(trip, i64(lower.state, 1)), next);
  go_back_once(lower, head);
  builder.SetInsertPoint(done);
}

static void lockstep_call(Lowerer& lower, const ir::CallEffect& call) {
  llvm::Value* value = call_effect(lower, call);
  if (call.slot) write_everywhere(lower, *call.slot, [&] { return value; });
}

static void lower_lockstep(Lowerer& lower, const ir::Stmt& stmt) {
  if (const auto* segment = std::get_if<ir::Segment>(&stmt.node)) return lower_segment(lower, *segment);
  if (const auto* call = std::get_if<ir::CallEffect>(&stmt.node)) return lockstep_call(lower, *call);
  if (const auto* branch = std::get_if<ir::If>(&stmt.node)) return lockstep_if(lower, *branch, stmt.span);
  if (const auto* loop = std::get_if<ir::While>(&stmt.node)) return lockstep_while(lower, *loop, stmt.span);
  if (const auto* loop = std::get_if<ir::For>(&stmt.node)) return lockstep_for(lower, *loop, stmt.span);
  if (std::holds_alternative<ir::Break>(stmt.node)) {
    lower.builder.CreateBr(lower.loops.back().done);
  } else if (std::holds_alternative<ir::Continue>(stmt.node)) {
    lower.builder.CreateBr(lower.loops.back().next);
  } else {
    assert(false && "only control flow around barriers stands outside of segments");
  }
}

void lower_lockstep_body(Lowerer& lower, std::span<const ir::Stmt> body) {
  for (const ir::Stmt& stmt : body) {
    lower.state.debug.set_location(lower.builder, stmt.span, stmt.scope);
    if (std::holds_alternative<ir::Segment>(stmt.node)) leave_source(lower);
    lower_lockstep(lower, stmt);
    if (ended(lower)) return;
  }
}

} // namespace kern::lowering
