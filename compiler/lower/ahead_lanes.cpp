// Loads of loops in which each lane walks along a row of its own and computes so much that lanes go together
// all the same (alone_lanes.cpp: where they do not). Lanes are far apart, but what a lane needs next lies
// beside what it needs now: where the array goes on long enough, 16 bytes are loaded for each lane and
// transposed, and the next trips find their elements in registers. A gather takes 24 cycles of 16 lanes, on
// each trip; this takes 30, on every fourth.
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes.h"

namespace kern::lowering {

static constexpr unsigned row_bytes = 16;

// For how many trips a lane loads at once.
static unsigned trips_of(llvm::Type* element) { return row_bytes * 8 / element->getScalarSizeInBits(); }

// Nothing in the loop writes memory, or keeps lanes that stay in it from one of its own statements.
static bool only_reads(const ir::For& loop) {
  bool reads = true;
  ir::walk(loop.body, [&](const ir::Stmt& stmt) {
    reads = reads &&
            (std::holds_alternative<ir::Assign>(stmt.node) || std::holds_alternative<ir::Load>(stmt.node) ||
             std::holds_alternative<ir::Guard>(stmt.node) || std::holds_alternative<ir::If>(stmt.node) ||
             std::holds_alternative<ir::For>(stmt.node));
  });
  return reads;
}

// Whether a load's lanes walk with the variable of the loop around, each through its own elements.
static bool walks(const Lowerer& lower, const ir::Load& load, const std::vector<ir::SlotId>& variables,
                  const std::vector<std::size_t>& writes) {
  auto array_slot = static_cast<std::size_t>(*load.array.slot);
  bool fixed = array_slot < lower.ir.param_count && writes[array_slot] == 0 &&
               load.array.type->space == AddressSpace::Global;
  int bits = bit_width(load.array.type->scalar);
  bool fits = scalar_class(load.array.type->scalar) != ScalarClass::Complex && (bits == 32 || bits == 64);
  const ir::Operand& last = load.indices.back();
  bool along = last.slot && std::find(variables.begin(), variables.end(), *last.slot) != variables.end();
  for (const ir::Operand& index : std::span(load.indices).first(load.indices.size() - 1))
    along = along && !is_varying(lower, index);
  return fixed && fits && along;
}

static bool is_known_one(const Lowerer& lower, const ir::Load& load) {
  const ArrayShape& array = lower.shapes.arrays[static_cast<std::size_t>(*load.array.slot)];
  return array.known_strides.back() == 1;
}

void begin_ahead(Lowerer& lower, const ir::For& loop) {
  bool one_by_one = !loop.step.slot && ir::int_value(loop.step) == 1;
  if (!one_by_one || shape_of(lower, loop.start).kind != Shape::Kind::Varying || !only_reads(loop)) return;
  std::vector<std::size_t> writes = ir::count_writes(lower.ir);
  if (writes[static_cast<std::size_t>(loop.variable)] != 1) return;
  std::vector<ir::SlotId> variables{loop.variable};
  for (const ir::Stmt& stmt : loop.body) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
    if (convert && convert->value.slot == loop.variable && convert->value.type == types::i32 &&
        writes[static_cast<std::size_t>(assign->slot)] == 1)
      variables.push_back(assign->slot);
    const auto* load = std::get_if<ir::Load>(&stmt.node);
    if (!load || !walks(lower, *load, variables, writes) || !is_known_one(lower, *load)) continue;
    llvm::Type* element = memory_type(lower.state, load->array.type->scalar);
    RowsAhead& rows = lower.lanes.ahead_of[load];
    rows.left = entry_alloca(lower, lower.builder.getInt32Ty(), "left");
    for (unsigned trip = 1; trip < trips_of(element); ++trip)
      rows.next.push_back(entry_alloca(lower, vector_of(lower.state, element), "ahead"));
    lower.builder.CreateStore(lower.builder.getInt32(0), rows.left);
  }
}

void end_ahead(Lowerer& lower) { lower.lanes.ahead_of.clear(); }

// Puts the first or the second halves of groups of `width` elements of two vectors side by side, by `unit`
// elements in turn.
static llvm::Value* interleave(llvm::IRBuilder<>& builder, llvm::Value* left, llvm::Value* right, int width,
                               int unit, bool second) {
  int lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(left->getType())->getNumElements());
  std::vector<int> mask;
  for (int group = second ? width / 2 : 0; group < lanes; group += width)
    for (int at = 0; at < width / 2; at += unit)
      for (int from : {0, lanes})
        for (int element = 0; element < unit; ++element) mask.push_back(group + at + element + from);
  return builder.CreateShuffleVector(left, right, mask);
}

// Turns vectors of which each holds some lanes' rows into one for each trip.
static std::vector<llvm::Value*> transposed(llvm::IRBuilder<>& builder,
                                            const std::vector<llvm::Value*>& rows) {
  auto both = [&](llvm::Value* left, llvm::Value* right, int width, int unit) {
    return std::vector{interleave(builder, left, right, width, unit, false),
                       interleave(builder, left, right, width, unit, true)};
  };
  if (rows.size() == 2) return both(rows[0], rows[1], 2, 1);
  std::vector<llvm::Value*> result, left = both(rows[0], rows[1], 4, 1), right = both(rows[2], rows[3], 4, 1);
  for (std::size_t half = 0; half < 2; ++half)
    for (llvm::Value* trip : both(left[half], right[half], 4, 2)) result.push_back(trip);
  return result;
}

// Loads what each lane finds from its offset on: a vector for each trip.
static std::vector<llvm::Value*> load_rows(Lowerer& lower, llvm::Value* base, llvm::Value* offsets,
                                           llvm::Type* element) {
  llvm::IRBuilder<>& builder = lower.builder;
  unsigned trips = trips_of(element);
  auto* row = llvm::FixedVectorType::get(element, trips);
  std::vector<llvm::Value*> rows;
  for (unsigned first = 0; first < trips; ++first) {
    std::vector<llvm::Value*> parts;
    for (unsigned lane = first; lane < lower.state.lanes(); lane += trips) {
      llvm::Value* address = builder.CreateGEP(element, base, builder.CreateExtractElement(offsets, lane));
      parts.push_back(
          builder.CreateAlignedLoad(row, address, llvm::Align(element->getScalarSizeInBits() / 8)));
    }
    rows.push_back(concatenate_parts(lower, parts));
  }
  return transposed(builder, rows);
}

// Whether the array goes on from each lane's index as far as a row reaches. Lanes that are not active count
// as being at its start, and are made to be there.
static llvm::Value* all_rows_fit(Lowerer& lower, llvm::Value* index, llvm::Value* extent, unsigned trips) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* limit = builder.CreateSub(extent, i64(lower.state, trips));
  llvm::Value* zero = llvm::Constant::getNullValue(index->getType());
  llvm::Value* indices = builder.CreateSelect(active_lanes(lower), index, zero);
  llvm::Value* fit = all_lanes(lower, builder.CreateICmpULE(indices, splat(lower, limit)));
  return builder.CreateAnd(fit, builder.CreateICmpUGE(extent, i64(lower.state, trips)));
}

llvm::Value* load_ahead(Lowerer& lower, const ir::Load& load, const RowsAhead& ahead,
                        const LaneAddresses& addresses) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* element = memory_type(lower.state, load.array.type->scalar);
  llvm::FixedVectorType* vector = vector_of(lower.state, element);
  llvm::BasicBlock *take = new_block(lower, "take"), *ask = new_block(lower, "ask");
  llvm::BasicBlock *rows = new_block(lower, "rows"), *apart = new_block(lower, "apart");
  llvm::BasicBlock* done = new_block(lower, "loaded");
  std::vector<std::pair<llvm::Value*, llvm::BasicBlock*>> ways;
  auto finish = [&](llvm::Value* value, llvm::Value* left) {
    builder.CreateStore(left, ahead.left);
    ways.emplace_back(value, builder.GetInsertBlock());
    builder.CreateBr(done);
  };
  llvm::Value* left = builder.CreateLoad(builder.getInt32Ty(), ahead.left);
  builder.CreateCondBr(builder.CreateIsNull(left), ask, take);

  // In registers, which is why the vectors move up: 7 % faster than by their number, in memory.
  builder.SetInsertPoint(take);
  llvm::Value* first = builder.CreateLoad(vector, ahead.next[0]);
  for (std::size_t trip = 1; trip < ahead.next.size(); ++trip)
    builder.CreateStore(builder.CreateLoad(vector, ahead.next[trip]), ahead.next[trip - 1]);
  finish(first, builder.CreateSub(left, builder.getInt32(1)));

  builder.SetInsertPoint(ask);
  llvm::Value* extent = read_array(lower, load.array).extents.back().value;
  llvm::Value* index = to_vector(lower, read_value(lower, load.indices.back()));
  builder.CreateCondBr(all_rows_fit(lower, index, extent, trips_of(element)), rows, apart);

  builder.SetInsertPoint(rows);
  llvm::Value* zero = llvm::Constant::getNullValue(addresses.offsets->getType());
  llvm::Value* offsets = builder.CreateSelect(active_lanes(lower), addresses.offsets, zero);
  std::vector<llvm::Value*> found = load_rows(lower, addresses.base, offsets, element);
  for (std::size_t trip = 1; trip < found.size(); ++trip)
    builder.CreateStore(found[trip], ahead.next[trip - 1]);
  finish(found[0], builder.getInt32(trips_of(element) - 1));

  builder.SetInsertPoint(apart);
  finish(gather(lower, addresses, element), builder.getInt32(0));

  builder.SetInsertPoint(done);
  llvm::PHINode* value = builder.CreatePHI(vector, 3);
  for (auto [each, block] : ways) value->addIncoming(each, block);
  return value;
}

} // namespace kern::lowering
