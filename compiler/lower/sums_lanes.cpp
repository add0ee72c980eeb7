// Sums that blocks make in global memory. Where each block ends by adding to the same elements, as blocks do
// that counted something in shared memory, a call that runs several blocks keeps the sums of each vector of
// threads in scratch and adds them to memory once: an atomic takes 20 cycles and, where other CPU threads add
// to the same elements, many more.
//
// Nobody can tell: the sums are integers that no one reads as they are added; they stand in the last segment
// with no other access to global memory after them; the kernel has no fence, and no loop that waits for what
// another block adds. It must be the same place in all blocks: it may not follow from blockIdx.
#include <algorithm>

#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

static constexpr std::uint64_t place_bytes = 8;
// What the processor compares and exchanges at once.
static constexpr unsigned unit_bytes = 16;

static bool is_global(const ir::Operand& array) { return array.type->space == AddressSpace::Global; }

static bool is_sum(const ir::Stmt& stmt, const std::vector<std::size_t>& reads) {
  const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
  return atomic && (atomic->builtin == Builtin::AtomicAdd || atomic->builtin == Builtin::AtomicSub) &&
         scalar_class(atomic->array.type->scalar) != ScalarClass::Float &&
         !(atomic->slot && reads[static_cast<std::size_t>(*atomic->slot)] > 0);
}

static bool loads_global(const ir::Stmt& stmt) {
  const auto* load = std::get_if<ir::Load>(&stmt.node);
  bool loads = load && is_global(load->array);
  ir::visit_bodies(stmt, [&](const ir::Body& body) {
    for (const ir::Stmt& inner : body) loads = loads || loads_global(inner);
  });
  return loads;
}

static bool holds_jump(const ir::Body& body) {
  bool found = false;
  ir::walk(body, [&](const ir::Stmt& stmt) {
    found = found || std::holds_alternative<ir::Break>(stmt.node) ||
            std::holds_alternative<ir::Return>(stmt.node);
  });
  return found;
}

bool tells_order(const ir::Stmt& stmt, const std::vector<std::size_t>& reads) {
  if (std::holds_alternative<ir::Call>(stmt.node)) return true;
  if (const auto* call = std::get_if<ir::CallEffect>(&stmt.node))
    return row(call->builtin).effects == Effects::Fence || row(call->builtin).effects == Effects::Grid;
  if (std::holds_alternative<ir::While>(stmt.node)) return loads_global(stmt);
  if (const auto* loop = std::get_if<ir::For>(&stmt.node))
    return holds_jump(loop->body) && loads_global(stmt);
  const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
  return atomic && is_global(atomic->array) && atomic->slot &&
         reads[static_cast<std::size_t>(*atomic->slot)] > 0;
}

namespace {

struct Search {
  const Lowerer& lower;
  std::vector<std::size_t> reads;                    // by slot
  std::vector<std::vector<const ir::Stmt*>> assigns; // by slot
  std::map<std::size_t, bool> known{}; // slots asked about; one that follows from itself is not the same
  std::vector<const ir::Atomic*> found{};

  // Whether an operand is the same in every block of a call.
  bool is_same(const ir::Operand& operand) {
    if (!operand.slot) return true;
    auto slot = static_cast<std::size_t>(*operand.slot);
    auto [place, is_new] = known.try_emplace(slot, false);
    if (is_new) return known[slot] = follows_from_same(slot);
    return place->second;
  }

  bool follows_from_same(std::size_t slot) {
    if (slot < lower.ir.param_count) return assigns[slot].empty();
    const auto* assign =
        assigns[slot].size() == 1 ? std::get_if<ir::Assign>(&assigns[slot][0]->node) : nullptr;
    if (!assign) return false;
    const auto* call = std::get_if<ir::CallPure>(&assign->value);
    bool same = !call || (call->builtin != Builtin::BlockIndexX && call->builtin != Builtin::BlockIndexY &&
                          call->builtin != Builtin::BlockIndexZ);
    ir::visit_operands(assign->value, [&](const ir::Operand& inner) { same = same && is_same(inner); });
    return same;
  }

  bool can_wait(const ir::Atomic& atomic) {
    bool same = static_cast<std::size_t>(*atomic.array.slot) < lower.ir.param_count && is_same(atomic.array);
    for (const ir::Operand& index : atomic.indices) same = same && is_same(index);
    return same && lower.shapes.element(atomic.array, atomic.indices).kind != Shape::Kind::Varying;
  }

  // Goes backwards through statements; false once something accesses global memory.
  bool search(const ir::Body& body) {
    for (auto stmt = body.rbegin(); stmt != body.rend(); ++stmt) {
      const auto* atomic = std::get_if<ir::Atomic>(&stmt->node);
      if (atomic && is_global(atomic->array)) {
        if (!is_sum(*stmt, reads) || !can_wait(*atomic)) return false;
        found.push_back(atomic);
        continue;
      }
      if (const auto* branch = std::get_if<ir::If>(&stmt->node)) {
        if (!search(branch->then_body) || !search(branch->else_body)) return false;
        continue;
      }
      bool stores =
          std::holds_alternative<ir::Store>(stmt->node) && is_global(std::get<ir::Store>(stmt->node).array);
      bool loops =
          std::holds_alternative<ir::For>(stmt->node) || std::holds_alternative<ir::While>(stmt->node);
      if (loops || stores || loads_global(*stmt)) return false;
    }
    return true;
  }
};

} // namespace

void plan_sums(Lowerer& lower) {
  const ir::Function& function = lower.ir;
  if (!lower.is_vector() || function.body.empty()) return;
  const auto* last = std::get_if<ir::Segment>(&function.body.back().node);
  if (!last) return;
  Search search{lower, ir::count_reads(function), {}};
  search.assigns.resize(function.slots.size());
  bool tells = false;
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    tells = tells || tells_order(stmt, search.reads);
    ir::visit_results(
        stmt, [&](ir::SlotId slot) { search.assigns[static_cast<std::size_t>(slot)].push_back(&stmt); });
  });
  if (tells) return;
  search.search(last->body);
  for (const ir::Atomic* atomic : search.found) {
    std::uint64_t width = static_cast<std::uint64_t>(bit_width(atomic->array.type->scalar)) / 8;
    lower.scratch.sums.push_back({atomic, lower.scratch.sum_bytes});
    lower.scratch.sum_bytes += (lower.lane_count() * width + place_bytes + 63) / 64 * 64;
  }
}

// ---- What is kept: a vector of the elements' type, and the place that lane 0 adds to, after it ----

static llvm::Value* at(Lowerer& lower, llvm::Value* base, llvm::Value* offset) {
  return lower.builder.CreateInBoundsGEP(lower.builder.getInt8Ty(), base, offset);
}

struct SumPlace {
  llvm::FixedVectorType* type;
  llvm::Value* lanes; // address of the vector
  llvm::Value* place; // address of an i64, elements from the array's base
};

static SumPlace place_of(Lowerer& lower, const ir::Atomic& atomic, std::uint64_t offset) {
  llvm::Value* record = lower.scratch.sum_record;
  llvm::FixedVectorType* type = vector_of(lower, memory_type(lower.state, atomic.array.type->scalar));
  std::uint64_t bytes = type->getNumElements() * type->getScalarSizeInBits() / 8;
  return {type, at(lower, record, i64(lower.state, static_cast<std::int64_t>(offset))),
          at(lower, record, i64(lower.state, static_cast<std::int64_t>(offset + bytes)))};
}

void find_sums(Lowerer& lower, llvm::Value* number) {
  Scratch& scratch = lower.scratch;
  if (scratch.sum_bytes == 0) return;
  scratch.sum_record = record_at(lower, scratch.sum_records, number, scratch.sum_bytes);
}

bool add_to_sum(Lowerer& lower, const ir::Atomic& atomic, const ElementPlace& place) {
  const std::vector<KeptSum>& sums = lower.scratch.sums;
  auto known =
      std::find_if(sums.begin(), sums.end(), [&](const KeptSum& sum) { return sum.atomic == &atomic; });
  if (known == sums.end()) return false;
  llvm::IRBuilder<>& builder = lower.builder;
  SumPlace kept = place_of(lower, atomic, known->offset);
  llvm::Value* terms = to_vector(lower, read_value(lower, atomic.args[0]));
  terms = blend(lower, terms, llvm::Constant::getNullValue(terms->getType()));
  llvm::Value* sum = builder.CreateAlignedLoad(kept.type, kept.lanes, llvm::Align(64));
  bool adds = atomic.builtin == Builtin::AtomicAdd;
  sum = adds ? builder.CreateAdd(sum, terms) : builder.CreateSub(sum, terms);
  builder.CreateAlignedStore(sum, kept.lanes, llvm::Align(64));
  builder.CreateStore(place.offset.value, kept.place);
  return true;
}

// Adds to neighbours, of which each gets something, by `unit_bytes` at a time: as much as the processor
// compares and exchanges at once takes as long as one of them does (256 sums of 4 bytes: 0.5 us, not 1.4; 1.7
// us, not 4.6 where another CPU thread adds to them).
static void add_units(Lowerer& lower, llvm::Value* memory, const SumPlace& kept) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type *element = kept.type->getElementType(), *word = builder.getInt64Ty(),
             *unit = builder.getInt128Ty();
  unsigned bytes = lower.lane_count() * element->getScalarSizeInBits() / 8;
  auto* part = llvm::FixedVectorType::get(element, unit_bytes * 8 / element->getScalarSizeInBits());
  stepping_loop(lower, i64(lower.state, bytes), unit_bytes, [&](llvm::Value* offset, llvm::BasicBlock*) {
    llvm::Value *target = at(lower, memory, offset), *terms = at(lower, kept.lanes, offset);
    terms = builder.CreateAlignedLoad(part, terms, llvm::Align(unit_bytes));
    // It need not be read at once: what is exchanged is compared.
    llvm::Value* old = llvm::PoisonValue::get(llvm::FixedVectorType::get(word, 2));
    for (unsigned half = 0; half < 2; ++half) {
      llvm::LoadInst* read =
          builder.CreateAlignedLoad(word, at(lower, target, i64(lower.state, half * 8)), llvm::Align(8));
      read->setAtomic(llvm::AtomicOrdering::Monotonic);
      old = builder.CreateInsertElement(old, read, half);
    }
    old = builder.CreateBitCast(old, unit);
    llvm::BasicBlock *before = builder.GetInsertBlock(), *turn = new_block(lower, "exchange");
    llvm::BasicBlock* next = new_block(lower, "exchanged");
    builder.CreateBr(turn);
    builder.SetInsertPoint(turn);
    llvm::PHINode* expected = builder.CreatePHI(unit, 2);
    expected->addIncoming(old, before);
    llvm::Value* sum = builder.CreateAdd(builder.CreateBitCast(expected, part), terms);
    llvm::Value* found = builder.CreateAtomicCmpXchg(target, expected, builder.CreateBitCast(sum, unit),
                                                     llvm::Align(unit_bytes), llvm::AtomicOrdering::Monotonic,
                                                     llvm::AtomicOrdering::Monotonic);
    expected->addIncoming(builder.CreateExtractValue(found, 0), turn);
    builder.CreateCondBr(builder.CreateExtractValue(found, 1), next, turn);
    builder.SetInsertPoint(next);
  });
}

static void flush_sum(Lowerer& lower, const ir::Atomic& atomic, std::uint64_t offset) {
  llvm::IRBuilder<>& builder = lower.builder;
  SumPlace kept = place_of(lower, atomic, offset);
  llvm::Type* element = kept.type->getElementType();
  llvm::Value* base = read_array(lower, atomic.array).base.value;
  Shape shape = lower.shapes.element(atomic.array, atomic.indices);
  llvm::Value* sum = builder.CreateAlignedLoad(kept.type, kept.lanes, llvm::Align(64));
  llvm::Value* first = builder.CreateLoad(builder.getInt64Ty(), kept.place);
  auto add = [&](llvm::Value* place, llvm::Value* value) {
    builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, builder.CreateGEP(element, base, place), value,
                            element_alignment(atomic.array.type->scalar), llvm::AtomicOrdering::Monotonic);
  };
  llvm::Value* some = builder.CreateICmpNE(sum, llvm::Constant::getNullValue(kept.type));
  if (shape.kind == Shape::Kind::Uniform) {
    llvm::BasicBlock* some_block = new_block(lower, "some");
    llvm::BasicBlock* done = new_block(lower, "added");
    builder.CreateCondBr(any_lane(lower, some), some_block, done);
    builder.SetInsertPoint(some_block);
    add(first, builder.CreateAddReduce(sum));
    return enter(lower, done);
  }
  auto add_each = [&] {
    Spilled values{kept.lanes, element};
    set_active(lower, some);
    for_each_active_lane(lower, [&](llvm::Value* lane) {
      llvm::Value* steps =
          builder.CreateMul(builder.CreateZExt(lane, builder.getInt64Ty()), i64(lower.state, shape.step));
      add(builder.CreateAdd(first, steps), lane_of(lower, values, lane));
    });
  };
  if (shape.step != 1) return add_each();
  llvm::BasicBlock *units = new_block(lower, "units"), *each = new_block(lower, "each");
  llvm::BasicBlock* done = new_block(lower, "added");
  llvm::Value* memory = builder.CreateGEP(element, base, first);
  llvm::Value* bits = builder.CreatePtrToInt(memory, builder.getInt64Ty());
  llvm::Value* aligned = builder.CreateIsNull(builder.CreateAnd(bits, unit_bytes - 1));
  builder.CreateCondBr(builder.CreateAnd(aligned, all_lanes(lower, some)), units, each);
  builder.SetInsertPoint(units);
  add_units(lower, memory, kept);
  builder.CreateBr(done);
  builder.SetInsertPoint(each);
  add_each();
  enter(lower, done);
}

void begin_sums(Lowerer& lower) {
  Scratch& scratch = lower.scratch;
  llvm::IRBuilder<>& builder = lower.builder;
  if (scratch.sum_bytes == 0) return;
  scratch.sum_records = scratch.areas;
  llvm::Value* bytes =
      builder.CreateNUWMul(scratch.vectors, i64(lower.state, static_cast<std::int64_t>(scratch.sum_bytes)));
  builder.CreateMemSet(scratch.sum_records, builder.getInt8(0), bytes, llvm::Align(64));
  scratch.areas = at(lower, scratch.areas, bytes);
}

// Where a call begins with its vectors: calls end at the same time, and CPU threads that go through the same
// cache lines side by side wait for each other at every element.
static llvm::Value* first_to_add(Lowerer& lower, llvm::Value* vectors) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* mixed = builder.CreateMul(lower.place.block[0], builder.getInt32(0x9E3779B9));
  mixed = builder.CreateZExt(builder.CreateLShr(mixed, 16), builder.getInt64Ty());
  return builder.CreateURem(mixed, vectors);
}

void end_sums(Lowerer& lower) {
  if (lower.scratch.sum_bytes == 0) return;
  llvm::Value* vectors = lower.scratch.vectors;
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* first = first_to_add(lower, vectors);
  stepping_loop(lower, vectors, 1, [&](llvm::Value* number, llvm::BasicBlock*) {
    llvm::Value* moved = builder.CreateNUWAdd(number, first);
    llvm::Value* wrapped = builder.CreateSub(moved, vectors);
    find_sums(lower, builder.CreateSelect(builder.CreateICmpULT(moved, vectors), moved, wrapped));
    lower.lanes.masked = true;
    for (const KeptSum& sum : lower.scratch.sums) flush_sum(lower, *sum.atomic, sum.offset);
    lower.lanes.masked = false;
  });
}

} // namespace kern::lowering
