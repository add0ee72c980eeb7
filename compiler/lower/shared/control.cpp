// Control flow with one lane: every condition is a branch.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstdint>

#include "compiler/ir/walk.h"
#include "compiler/lower/shared/lowerer.h"
#include "compiler/support/overloaded.h"

namespace kern::lowering {

static void lower_if(Lowerer& lower, const ir::If& stmt) {
  llvm::BasicBlock* then_block = new_block(lower, "then");
  llvm::BasicBlock* done = new_block(lower, "endif");
  llvm::BasicBlock* else_block = stmt.else_body.empty() ? done : new_block(lower, "else");
  llvm::MDNode* weights =
      stmt.is_rerun ? llvm::MDBuilder(lower.state.context).createUnlikelyBranchWeights() : nullptr;
  if (stmt.is_rerun && lower.gpu()) lower.function->addFnAttr(holds_reruns);
  lower.builder.CreateCondBr(read(lower, stmt.condition), then_block, else_block, weights);
  lower.builder.SetInsertPoint(then_block);
  lower_body(lower, stmt.then_body);
  if (else_block != done) {
    if (!ended(lower)) lower.builder.CreateBr(done);
    lower.builder.SetInsertPoint(else_block);
    lower_body(lower, stmt.else_body);
  }
  enter(lower, done);
}

static void lower_loop_body(Lowerer& lower, const ir::Body& body, Loop targets) {
  lower.loops.push_back(targets);
  lower_body(lower, body);
  lower.loops.pop_back();
}

// Goes back to the place of the statement that holds a body: if the code behind the body were at the body's
// last line, a debugger would stop there once more.
static void return_to(Lowerer& lower, const llvm::DebugLoc& place) {
  if (lower.state.debug.has_variables()) lower.builder.SetCurrentDebugLocation(place);
}

static void lower_while(Lowerer& lower, const ir::While& stmt) {
  const llvm::DebugLoc place = lower.builder.getCurrentDebugLocation();
  llvm::BasicBlock* head = new_block(lower, "while");
  llvm::BasicBlock* body = new_block(lower, "body");
  llvm::BasicBlock* done = new_block(lower, "endwhile");
  enter(lower, head);
  lower_loop_body(lower, stmt.head, {head, done});
  if (!ended(lower)) lower.builder.CreateCondBr(read(lower, stmt.condition), body, done);
  lower.builder.SetInsertPoint(body);
  lower_loop_body(lower, stmt.body, {head, done});
  return_to(lower, place);
  enter(lower, head);
  lower.builder.SetInsertPoint(done);
}

// LLVM unrolls a loop whose trip count is not known by copies that come one behind the other: a load may read
// what the copy before it stored, so no two loads are in flight together, and on a GPU such a loop is slower
// than it was (saxpy: 1.10 to 1.25 times).
static void keep_rolled(Lowerer& lower, const ir::For& stmt, llvm::BranchInst* back) {
  bool stores = lower.gpu() && ir::any(stmt.body, [](const ir::Stmt& inner) {
                  const auto* store = std::get_if<ir::Store>(&inner.node);
                  return store && store->array.type->space == AddressSpace::Global;
                });
  if (stores)
    hint_loop(lower, back, llvm::MDString::get(lower.state.context, "llvm.loop.unroll.runtime.disable"));
}

// Hands a wish of the program on to LLVM. On a CPU, for which its time grows with the square of a function's length, that
// is not to unroll alone.
static void unroll(Lowerer& lower, const ir::For& stmt, llvm::BranchInst* back) {
  llvm::LLVMContext& context = lower.state.context;
  auto hint = [&](llvm::StringRef name) { return llvm::MDString::get(context, name); };
  if (stmt.unroll == 1) return forbid_unrolling(lower, back);
  if (!lower.gpu()) return;
  if (stmt.unroll == ir::unroll_all) return hint_loop(lower, back, hint("llvm.loop.unroll.full"));
  llvm::Metadata* count = llvm::ConstantAsMetadata::get(i32(lower.state, stmt.unroll));
  hint_loop(lower, back, {hint("llvm.loop.unroll.count"), count});
}

// Returns what the trips are counted against. A GPU counts in 32 bits where the variable has no more and the count
// is widened from as many: counted in 64, LLVM makes the variable of the trips and sign-extends it in each.
static llvm::Value* trip_count(Lowerer& lower, const ir::For& stmt) {
  const bool is_narrow = lower.gpu() && bit_width(stmt.start.type->scalar) == 32;
  if (!is_narrow) return read(lower, stmt.count);
  const ir::Operand& count = stmt.count;
  if (!count.slot) {
    const auto value = ir::int_value(count);
    return value <= INT32_MAX ? i32(lower.state, std::max<std::int64_t>(value, 0)) : read(lower, count);
  }
  const ir::Assign* assign = lower.definitions.sole_assign(*count.slot);
  const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
  const bool is_widened = convert && convert->value.slot && convert->value.type == types::i32 &&
                          lower.definitions.is_steady(*count.slot) &&
                          lower.definitions.is_steady(*convert->value.slot);
  return read(lower, is_widened ? convert->value : count);
}

// The k-th value is start + k * step, wrapping; the trip count is that of the operands before the loop.
static void lower_for(Lowerer& lower, const ir::For& stmt) {
  llvm::IRBuilder<>& builder = lower.builder;
  const llvm::DebugLoc place = builder.getCurrentDebugLocation();
  llvm::Value* start = read(lower, stmt.start);
  llvm::Value* step = read(lower, stmt.step);
  llvm::Value* count = trip_count(lower, stmt);
  llvm::BasicBlock* head = new_block(lower, "for");
  llvm::BasicBlock* body = new_block(lower, "body");
  llvm::BasicBlock* next = new_block(lower, "next");
  llvm::BasicBlock* done = new_block(lower, "endfor");
  llvm::BasicBlock* before = builder.GetInsertBlock();
  enter(lower, head);
  llvm::PHINode* trip = builder.CreatePHI(count->getType(), 2, "trip");
  llvm::PHINode* value = builder.CreatePHI(start->getType(), 2, "value");
  trip->addIncoming(llvm::ConstantInt::get(count->getType(), 0), before);
  value->addIncoming(start, before);
  builder.CreateCondBr(builder.CreateICmpSLT(trip, count), body, done);

  builder.SetInsertPoint(body);
  write(lower, stmt.variable, value);
  lower_loop_body(lower, stmt.body, {next, done});
  return_to(lower, place);
  enter(lower, next);
  // The trip count is below `count`, so it cannot wrap; the value is the user's and may.
  trip->addIncoming(builder.CreateNSWAdd(trip, llvm::ConstantInt::get(count->getType(), 1)), next);
  value->addIncoming(builder.CreateAdd(value, step), next);
  llvm::BranchInst* back = builder.CreateBr(head);
  stmt.unroll > 0 ? unroll(lower, stmt, back) : keep_rolled(lower, stmt, back);
  builder.SetInsertPoint(done);
}

static void lower_stmt(Lowerer& lower, const ir::Stmt& stmt) {
  match(
      stmt.node, [&](const ir::Assign& s) { lower_assign(lower, s); },
      [&](const ir::Load& s) { lower_load(lower, s); }, [&](const ir::Store& s) { lower_store(lower, s); },
      [&](const ir::Atomic& s) { lower_atomic(lower, s); },
      [&](const ir::CallEffect& s) { lower_call_effect(lower, s); },
      [&](const ir::Call& s) { lower_call(lower, s); }, [&](const ir::Print& s) { lower_print(lower, s); },
      [&](const ir::Guard& s) { lower_guard(lower, s); }, [&](const ir::Fit& s) { lower_fit(lower, s); },
      [&](const ir::Check& s) { lower_check(lower, s); }, [&](const ir::If& s) { lower_if(lower, s); },
      [&](const ir::While& s) { lower_while(lower, s); }, [&](const ir::For& s) { lower_for(lower, s); },
      [&](const ir::Break&) { lower.builder.CreateBr(lower.loops.back().done); },
      [&](const ir::Continue&) { lower.builder.CreateBr(lower.loops.back().next); },
      [&](const ir::Return& s) { lower_return(lower, s); },
      [&](const ir::Segment& s) { lower_body(lower, s.body); });
}

// Lowers statements up to one that never falls through; what follows is dead and left out.
void lower_body(Lowerer& lower, const ir::Body& body) {
  for (const ir::Stmt& stmt : body) {
    lower.state.debug.set_location(lower.builder, stmt.span, stmt.scope);
    const llvm::DebugLoc place = lower.builder.getCurrentDebugLocation();
    lower_stmt(lower, stmt);
    if (ended(lower)) return;
    return_to(lower, place);
  }
}

} // namespace kern::lowering
