// A CPU kernel's entry and where everything of a block is: its parameters, its shared arrays, what outlives a
// segment. The scratch area holds, in this order, of the block, or each that goes abreast, the shared arrays
// and large local arrays, there the count of living threads, for each vector what it keeps in strips, a
// record for each, and dynamic shared memory.
#include <algorithm>

#include "compiler/analysis/flow/assignment.h"
#include "compiler/analysis/flow/crossing.h"
#include "compiler/analysis/memory/array_limits.h"
#include "compiler/analysis/threads/rows.h"
#include "compiler/analysis/threads/uniformity.h"
#include "compiler/analysis/threads/waiting.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/cpu/cpu.h"
#include "compiler/lower/shared/zeroed.h"
#include "kern/abi.h"

namespace kern::lowering {

// Local arrays up to this size are allocas, so that LLVM can keep them in registers.
static constexpr std::uint64_t small_local_bytes = 1024;

static std::uint64_t align_to(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Whether a thread may leave with another segment to come, which must know. A body of several statements ends
// in a segment or in what holds one, which then comes again.
static bool leaves_before_others(const ir::Function& function) {
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    bool last = i + 1 == function.body.size() && std::holds_alternative<ir::Segment>(function.body[i].node);
    if (!last && ir::any(function.body[i], may_leave)) return true;
  }
  return false;
}

static bool is_one_segment(const ir::Function& function) {
  return function.body.size() == 1 && std::holds_alternative<ir::Segment>(function.body[0].node);
}

// ---- Slots ----

static bool is_local_array(Type type) { return is_array(type) && type->space == AddressSpace::Local; }

static bool is_uniform(const SlotCells& slot) {
  for (const Cell& cell : slot.cells)
    if (cell.shape.kind != Shape::Kind::Uniform) return false;
  return true;
}

// Shared arrays that one statement names are where they are from the start of the block, and need not be kept
// from segment to segment: LLVM then knows the address everywhere.
static std::vector<const ir::Assign*> find_named_once(const Lowerer& lower) {
  std::vector<const ir::Assign*> named(lower.ir.slots.size());
  for (std::size_t slot = 0; slot < named.size(); ++slot) {
    const ir::Assign* assign = lower.definitions.sole_assign(ir::SlotId(slot));
    const auto* shared = assign ? std::get_if<ir::SharedArray>(&assign->value) : nullptr;
    if (!shared || lower.state.ir.shared[static_cast<std::size_t>(shared->id)].extents.empty()) continue;
    named[slot] = assign;
  }
  return named;
}

// A debugger shows the variables of the thread at hand, also those that are not needed any more.
static void keep_named(const Lowerer& lower, std::vector<bool>& crossing) {
  if (!lower.state.debug.is_exact() || is_one_segment(lower.ir)) return;
  for (std::size_t index = 0; index < crossing.size(); ++index)
    crossing[index] = crossing[index] || !lower.ir.slots[index].name.empty();
  for (const ir::InlinedCall& call : lower.ir.inlined)
    for (const ir::InlinedCall::Param& param : call.params)
      if (param.value.slot) crossing[static_cast<std::size_t>(*param.value.slot)] = true;
}

// Plans where slots live: a value that is the same in every thread of the block wherever it is read needs one
// place for the block, not one a thread.
static void plan_slots(Lowerer& lower) {
  const ir::Function& function = lower.ir;
  if (lower.is_vector()) lower.shapes = analyze_shapes(lower.state.ir, lower.id, lower.facts);
  std::vector<bool> crossing = find_crossing_slots(function);
  keep_named(lower, crossing);
  auto unset = find_unset_reads(function);
  std::vector<bool> zeroed = find_zeroed(function, unset);
  lower.block_arrays = find_named_once(lower);
  std::vector<bool> block_uniform = analyze_uniformity(lower.state.ir, lower.id).block_uniform;
  lower.turn_zero.assign(function.slots.size(), false);
  lower.turn_params.assign(function.slots.size(), false);
  for (std::size_t index = 0; index < function.slots.size(); ++index) {
    SlotCells slot = make_cells(lower, index);
    bool is_param = index < function.param_count;
    bool is_assigned = lower.definitions.writes(ir::SlotId(index)) > 0;
    if (unset[index]) lower.block_arrays[index] = nullptr;
    bool is_fixed = lower.block_arrays[index] != nullptr;
    slot.crosses = crossing[index] && (!is_param || is_assigned) && !is_fixed;
    // A local array is the same value in all threads, and another memory in each.
    slot.same_in_block =
        block_uniform[index] && is_uniform(slot) && !is_local_array(function.slots[index].type);
    slot.block_uniform = slot.crosses && !is_param && slot.same_in_block;
    // With masks an assignment keeps what other lanes had: not that of the vector before, which would have to
    // be carried along from turn to turn.
    bool is_blended = lower.is_vector() && function.slots[index].kind == ir::Slot::Kind::Variable;
    bool may_be_seen = is_blended || (lower.is_vector() && zeroed[index]) || unset[index].has_value();
    lower.turn_zero[index] = !is_param && !slot.crosses && !is_fixed && may_be_seen;
    lower.turn_params[index] = is_param && !slot.crosses && is_assigned;
    lower.slots.push_back(std::move(slot));
  }
}

static std::uint64_t cell_bytes(Lowerer& lower, const Cell& cell) {
  return lower.state.module.getDataLayout().getTypeAllocSize(cell.type).getFixedValue();
}

// Gives every slot that outlives a segment in each vector its place in the record.
static void plan_records(Lowerer& lower) {
  Scratch& scratch = lower.scratch;
  scratch.record_bytes = scratch.has_left_flag ? 8 : 0;
  for (SlotCells& slot : lower.slots) {
    if (!slot.crosses || slot.block_uniform) continue;
    for (Cell& cell : slot.cells) {
      if (cell.known) continue;
      std::uint64_t bytes = cell_bytes(lower, cell);
      cell.offset = align_to(scratch.record_bytes, std::min(bytes, cache_line));
      scratch.record_bytes = cell.offset + bytes;
    }
  }
}

// Gives debuggers the address of a cell in an alloca of its own, since it changes from segment to segment.
static void make_home(Lowerer& lower, Cell& cell) {
  if (!lower.state.debug.is_exact() || !cell.pointer) return;
  cell.home = entry_alloca(lower, lower.builder.getPtrTy(), "home");
  lower.builder.CreateStore(cell.pointer, cell.home);
}

// Gives every other slot its alloca.
static void place_slots(Lowerer& lower) {
  for (std::size_t index = 0; index < lower.slots.size(); ++index) {
    SlotCells& slot = lower.slots[index];
    if (!slot.crosses || slot.block_uniform)
      allocate(lower, slot, lower.ir.slots[index].name, slot.block_uniform);
    if (slot.block_uniform)
      for (Cell& cell : slot.cells) {
        lower.own_turns.of_block.insert(cell.pointer);
        make_home(lower, cell);
      }
  }
}

// ---- Arrays ----

static void place_shared_arrays(Lowerer& lower) {
  const ir::Module& module = lower.state.ir;
  Scratch& scratch = lower.scratch;
  lower.used_shared = used_shared(module, lower.ir);
  scratch.shared = lower.state.device_shared;
  scratch.block_bytes = lower.state.device_shared_bytes;
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* shared = assign ? std::get_if<ir::SharedArray>(&assign->value) : nullptr;
    if (!shared) return;
    auto id = static_cast<std::size_t>(shared->id);
    const ir::SharedDecl& decl = module.shared[id];
    if (decl.extents.empty() || scratch.shared[id] != not_placed) return;
    scratch.shared[id] = scratch.block_bytes;
    scratch.block_bytes = align_to(scratch.block_bytes + static_bytes(decl), cache_line);
  });
}

// Local arrays that outlive a segment are in the record, or a turn in which others go on; the others are
// there once a block.
static void place_local_arrays(Lowerer& lower) {
  Scratch& scratch = lower.scratch;
  bool cross = lower.waits;
  for (std::size_t index = 0; index < lower.slots.size(); ++index) {
    cross = cross || (lower.slots[index].crosses && is_local_array(lower.ir.slots[index].type));
  }
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* local = assign ? std::get_if<ir::LocalArray>(&assign->value) : nullptr;
    if (!local) return;
    Type type = lower.ir.slots[static_cast<std::size_t>(assign->slot)].type;
    std::uint64_t bytes = local_bytes(type, *local) * lower.lane_count();
    if (!cross && bytes <= small_local_bytes * lower.lane_count()) return;
    std::uint64_t& area = cross ? scratch.record_bytes : scratch.block_bytes;
    std::uint64_t offset = align_to(area, cache_line);
    scratch.local_arrays[local] = {cross, offset};
    area = offset + bytes;
  });
}

// ---- The entry ----

static llvm::Value* count_threads(Lowerer& lower, llvm::Value* along_x) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* count = builder.CreateZExt(along_x, builder.getInt64Ty());
  for (std::size_t axis : {1, 2})
    count =
        builder.CreateNUWMul(count, builder.CreateZExt(lower.place.block_dim[axis], builder.getInt64Ty()));
  return count;
}

static llvm::Value* divide_up(Lowerer& lower, llvm::Value* value) {
  llvm::Constant* lanes = llvm::ConstantInt::get(value->getType(), lower.lane_count());
  llvm::Value* sum =
      lower.builder.CreateAdd(value, llvm::ConstantInt::get(value->getType(), lower.lane_count() - 1));
  return lower.builder.CreateUDiv(sum, lanes);
}

static llvm::Value* count_vectors(Lowerer& lower) {
  if (!lower.is_vector()) return count_threads(lower, lower.place.block_dim[0]);
  if (lower.facts.linear_thread_id) return divide_up(lower, count_threads(lower, lower.place.block_dim[0]));
  return count_threads(lower, divide_up(lower, lower.place.block_dim[0]));
}

// Lays out what does not change from block to block.
static void begin_scratch(Lowerer& lower) {
  Scratch& scratch = lower.scratch;
  scratch.vectors = count_vectors(lower);
  scratch.areas = scratch.base;
  scratch.block_bytes = align_to(scratch.block_bytes, cache_line);
  scratch.record_bytes = align_to(scratch.record_bytes, lower.is_vector() ? cache_line : 16);
  find_area(lower, i64(lower.state, 0));
  if (!scratch.live_threads && scratch.has_left_flag)
    scratch.live_threads = entry_alloca(lower, lower.builder.getInt64Ty(), "live_threads");
  lower.own_turns.of_block.insert(scratch.live_threads);
  if (scratch.record_bytes > 0 && lower.state.debug.is_exact())
    scratch.record_home = entry_alloca(lower, lower.builder.getPtrTy(), "record");
}

static void prepare_scratch(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  Scratch& scratch = lower.scratch;
  llvm::Value* bytes = builder.CreateNUWMul(
      scratch.vectors, i64(lower.state, static_cast<std::int64_t>(scratch.record_bytes)));
  llvm::Value* rounded =
      builder.CreateAnd(builder.CreateAdd(bytes, i64(lower.state, 63)), i64(lower.state, -64));
  scratch.dynamic_shared = builder.CreateInBoundsGEP(builder.getInt8Ty(), scratch.records, rounded);
  if (scratch.record_bytes > 0)
    builder.CreateMemSet(scratch.records, builder.getInt8(0), bytes, llvm::Align(16));
  if (scratch.has_left_flag)
    builder.CreateStore(count_threads(lower, lower.place.block_dim[0]), scratch.live_threads);
}

// Parameters that a segment assigns and another reads start in every record.
static void write_crossing_params(Lowerer& lower) {
  std::vector<bool> crossing(lower.slots.size());
  bool any = false;
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param)
    any = (crossing[param] = lower.slots[param].crosses) || any;
  auto write = [&] { write_params(lower, crossing); };
  if (any && lower.is_vector()) for_each_vector(lower, write);
  if (any && !lower.is_vector()) for_each_thread(lower, write);
}

// ---- Blocks ----

// Whether vectors of threads next to each other touch memory next to each other, or the same: a call then
// best goes on to where rows end. Where rows of threads go across those of an array, they would leave the
// cache.
static bool follows_rows(const Lowerer& lower) {
  bool follows = true;
  auto visit = [&](const ir::Operand& array, const std::vector<ir::Operand>& indices) {
    bool is_global = array.type->space == AddressSpace::Global;
    follows = follows && (!is_global || lower.shapes.element(array, indices).kind != Shape::Kind::Varying);
  };
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    if (const auto* load = std::get_if<ir::Load>(&stmt.node)) visit(load->array, load->indices);
    if (const auto* store = std::get_if<ir::Store>(&stmt.node)) visit(store->array, store->indices);
  });
  return follows;
}

// Slots that are the same in all blocks of a call.
static void begin_slots(Lowerer& lower) {
  place_slots(lower);
  std::vector<bool> whole_block(lower.slots.size());
  for (std::uint32_t param = 0; param < lower.ir.param_count; ++param)
    whole_block[param] = !lower.slots[param].crosses;
  write_params(lower, whole_block);
}

static void lower_to_exit(Lowerer& lower, std::span<const ir::Stmt> body) {
  lower.return_block = new_block(lower, "exit");
  lower_lockstep_body(lower, body);
  enter(lower, lower.return_block);
}

static void lower_block(Lowerer& lower) {
  begin_slots(lower);
  prepare_scratch(lower);
  enter(lower, new_block(lower, "start"));
  name_block_arrays(lower);
  write_crossing_params(lower);
  lower_to_exit(lower, lower.ir.body);
}

static void lower_abreast(Lowerer& lower, llvm::Value* in_row) {
  begin_slots(lower);
  std::span<const ir::Stmt> body = lower.ir.body;
  for_each_group(lower, in_row, [&] {
    if (lower.scratch.record_bytes > 0) for_each_abreast(lower, [&] { prepare_scratch(lower); });
    lower.abreast.together = true;
    lower_lockstep_body(lower, body.first(1));
    lower.abreast.together = false;
    if (body.size() > 1) for_each_abreast(lower, [&] { lower_to_exit(lower, body.subspan(1)); });
  });
}

CpuKernelLayout lower_cpu_kernel(ModuleState& state, ir::FunctionId id, const LaneFacts& facts) {
  Lowerer lower(state, id, facts);
  make_cpu_entry(lower);
  begin_function(lower);
  load_place(lower);
  load_params(lower);
  bool independent =
      !facts.linear_thread_id && is_one_segment(lower.ir) && has_independent_rows(state.ir, lower.ir);
  if (independent) load_rows(lower);
  llvm::Value* blocks = begin_blocks(lower);
  lower.own_turns.of_block.insert(lower.place.where);
  lower.waits = lower.ir.meeting == ir::Meeting::Apart || has_waits(state.ir, lower.ir.body);
  lower.scratch.has_left_flag = leaves_before_others(lower.ir);
  plan_slots(lower);
  if (lower.is_vector()) classify_conditions(lower);
  plan_records(lower);
  place_shared_arrays(lower);
  place_local_arrays(lower);
  plan_strips(lower);
  plan_abreast(lower);
  begin_scratch(lower);
  bool in_turns = independent && lower.is_vector() && shares_rows(lower.ir);
  lower.place.joins_blocks = in_turns && joins_blocks(state.ir, lower.ir, facts);
  for_each_row_of_blocks(lower, blocks, [&](llvm::Value* in_row) {
    if (lower.abreast.most > 1) return lower_abreast(lower, in_row);
    if (!in_turns) return for_each_block(lower, in_row, [&](llvm::Value*) { lower_block(lower); });
    lower.place.blocks = in_row;
    lower_block(lower);
  });
  lower.builder.CreateRetVoid();
  describe_variables(lower);
  take_out_turns(lower);
  return {lower.ir.symbol,
          lower.scratch.block_bytes + scratch_bytes_abreast(lower),
          lower.scratch.record_bytes + lower.scratch.strip_bytes,
          static_cast<int>(lower.lane_count()),
          facts.linear_thread_id,
          independent,
          in_turns && follows_rows(lower),
          threads_in_call(lower)};
}

} // namespace kern::lowering
