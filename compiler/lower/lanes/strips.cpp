// Grid-stride loops by strips. One vector after the other would walk through the whole array with long
// strides, which no processor foresees, and come back to the same pages and lines for each vector. So a whole
// vector stops after some trips, and goes on when the block's other vectors have made theirs: what a strip
// touches lies side by side. What a vector needs to go on is kept in its record.
//
// Threads that wait for nobody may run in any order. Vectors that leave the plain copy do not stop again.
#include <llvm/IR/DataLayout.h>

#include <algorithm>
#include <bit>

#include "compiler/analysis/flow/assignment.h"
#include "compiler/ir/walk.h"
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

// Bounds the trips of a strip, and the trips times the arrays that it goes along: a processor loses sight of
// more streams than that.
static constexpr std::uint64_t most_trips = 8, most_streams = 12;
// A vector makes all its trips at once if it touches no more than so many bytes a lane: then they stay in the
// cache of its core.
static constexpr std::int64_t near_bytes = 256 << 10;
// How many elements on along its row a vector asks for memory where rows are long: 1 KiB of elements of 4
// bytes. Processors that follow a stream by themselves lose it where a strip goes along several.
static constexpr std::int64_t ahead_in_row = 256;
// A vector's record holds at these offsets the trip it has stopped at, 0 where it has not; how many all lanes
// make together; and the slots that it keeps.
static constexpr std::uint64_t trip_offset = 0, least_offset = 8, cells_offset = 16;

namespace {

// Which slots a part of a segment assigns, and which it reads.
struct Uses {
  std::vector<bool> assigned, read;

  explicit Uses(std::size_t slots) : assigned(slots), read(slots) {}

  void add(const Lowerer& lower, const ir::Stmt& stmt) {
    ir::visit_results(stmt, [&](ir::SlotId slot) { assigned[static_cast<std::size_t>(slot)] = true; });
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    const bool asks_count = !loop || !counts_by_distance(lower, *loop);
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      if (operand.slot && (asks_count || &operand != &loop->count))
        read[static_cast<std::size_t>(*operand.slot)] = true;
    });
    ir::visit_bodies(stmt, [&](const ir::Body& body) {
      for (const ir::Stmt& inner : body) add(lower, inner);
    });
  }
};

// The arrays that a loop walks along: how many, and the bytes of an element of each, together.
struct Streams {
  std::uint64_t count = 0;
  std::int64_t bytes = 0;
};

} // namespace

// Returns the streams of statements that neither go round themselves nor leave; none for others.
static Streams find_streams(const Lowerer& lower, const ir::Body& body) {
  std::map<std::optional<ir::SlotId>, std::int64_t> arrays;
  bool plain = true;
  auto visit = [&](const ir::Operand& array, const std::vector<ir::Operand>& indices) {
    if (array.type->space == AddressSpace::Global &&
        lower.shapes.element(array, indices).kind == Shape::Kind::Linear)
      arrays[array.slot] = bit_width(array.type->scalar) / 8;
  };
  ir::walk(body, [&](const ir::Stmt& stmt) {
    const auto* load = std::get_if<ir::Load>(&stmt.node);
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
    if (load) visit(load->array, load->indices);
    if (store) visit(store->array, store->indices);
    if (atomic) visit(atomic->array, atomic->indices);
    plain = plain && (load || store || atomic || std::holds_alternative<ir::Assign>(stmt.node) ||
                      ir::guard_state(stmt) || std::holds_alternative<ir::If>(stmt.node));
  });
  Streams streams;
  if (plain)
    for (auto [array, bytes] : arrays) streams = {streams.count + 1, streams.bytes + bytes};
  return streams;
}

// Local arrays of the block's vectors are in one place.
static bool has_local_arrays(const Lowerer& lower) {
  return ir::any(lower.ir.body, [](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    return assign && std::holds_alternative<ir::LocalArray>(assign->value);
  });
}

// The first loop of a segment to go by strips, and what it walks along; null where there is none.
static std::pair<const ir::Stmt*, Streams> find_loop(const Lowerer& lower, const ir::Segment& segment) {
  for (const ir::Stmt& stmt : segment.body) {
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    if (!loop || !is_geometric_loop(lower, stmt) || !counts_by_distance(lower, *loop)) continue;
    Streams streams = find_streams(lower, loop->body);
    if (streams.count > 0) return {&stmt, streams};
  }
  return {};
}

// Slots whose values a vector has when it stops, and needs later; those that cross segments have a place
// anyway.
static std::vector<ir::SlotId> find_kept(const Lowerer& lower, const ir::Segment& segment,
                                         const ir::Stmt& loop) {
  std::size_t slots = lower.slots.size();
  Uses before(slots), inside(slots), after(slots);
  Uses* part = &before;
  for (const ir::Stmt& stmt : segment.body) {
    (&stmt == &loop ? inside : *part).add(lower, stmt);
    if (&stmt == &loop) part = &after;
  }
  auto unset = find_unset_reads(lower.ir);
  std::vector<ir::SlotId> kept;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const SlotCells& cells = lower.slots[slot];
    bool has_place = cells.crosses && !cells.block_uniform;
    bool assigned = before.assigned[slot] || inside.assigned[slot];
    bool of_a_trip = !before.assigned[slot] && !after.read[slot] && !cells.crosses && !unset[slot];
    bool needed = inside.read[slot] || after.read[slot] || cells.crosses;
    if (assigned && needed && !has_place && !of_a_trip) kept.push_back(static_cast<ir::SlotId>(slot));
  }
  return kept;
}

// ---- A vector's record ----

static llvm::Value* place(Lowerer& lower, const Strips& strips, std::uint64_t offset) {
  return lower.builder.CreateConstInBoundsGEP1_64(lower.builder.getInt8Ty(), strips.record, offset);
}

static llvm::Align kept_alignment(const Lowerer& lower, const Cell& cell) {
  return std::min(lower.state.module.getDataLayout().getABITypeAlign(cell.type), llvm::Align(64));
}

// Visits the cells that are kept, with where each begins and ends in the record: the narrow ones first, so
// that the record is short.
static void for_each_kept(const Lowerer& lower, const Strips& strips,
                          const std::function<void(const Cell&, std::uint64_t, std::uint64_t)>& visit) {
  std::vector<const Cell*> cells;
  for (ir::SlotId slot : strips.kept)
    for (const Cell& cell : lower.slots[static_cast<std::size_t>(slot)].cells)
      if (!cell.known) cells.push_back(&cell);
  std::ranges::stable_sort(cells, {}, [&](const Cell* cell) { return kept_alignment(lower, *cell); });
  std::uint64_t end = cells_offset;
  for (const Cell* cell : cells) {
    std::uint64_t from = llvm::alignTo(end, kept_alignment(lower, *cell));
    end = from + lower.state.module.getDataLayout().getTypeAllocSize(cell->type).getFixedValue();
    visit(*cell, from, end);
  }
}

void plan_strips(Lowerer& lower) {
  if (!lower.is_vector() || lower.waits || has_local_arrays(lower)) return;
  ir::walk(lower.ir.body, [&](const ir::Stmt& stmt) {
    const auto* segment = std::get_if<ir::Segment>(&stmt.node);
    if (!segment) return;
    auto [loop, streams] = find_loop(lower, *segment);
    if (!loop) return;
    std::uint64_t trips = std::clamp<std::uint64_t>(most_streams / streams.count, 1, most_trips);
    Strips strips{.loop = loop,
                  .kept = find_kept(lower, *segment, *loop),
                  .trips = static_cast<std::int64_t>(std::bit_floor(trips)),
                  .near = near_bytes / streams.bytes};
    std::uint64_t bytes = cells_offset;
    for_each_kept(lower, strips, [&](const Cell&, std::uint64_t, std::uint64_t end) { bytes = end; });
    lower.scratch.strip_bytes = std::max(lower.scratch.strip_bytes, (bytes + 63) / 64 * 64);
    lower.lanes.strips_of[segment] = std::move(strips);
  });
}

// ---- Around the vectors of a block ----

void in_strips(Lowerer& lower, const ir::Segment& segment, const std::function<void()>& body) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto found = lower.lanes.strips_of.find(&segment);
  if (found == lower.lanes.strips_of.end()) return body();
  Strips& strips = found->second;
  lower.lanes.strips = &strips;
  strips.goes_on = entry_alloca(lower, builder.getInt1Ty(), "goes_on");
  strips.some_stopped = entry_alloca(lower, builder.getInt1Ty(), "some_stopped");
  strips.between_stops = entry_alloca(lower, builder.getInt64Ty(), "between_stops");
  llvm::BasicBlock *head = new_block(lower, "strip"), *again = new_block(lower, "next_strip");
  llvm::BasicBlock* done = new_block(lower, "strips_done");
  builder.CreateStore(builder.getFalse(), strips.goes_on);
  enter(lower, head);
  builder.CreateStore(builder.getFalse(), strips.some_stopped);
  body();
  builder.CreateCondBr(builder.CreateLoad(builder.getInt1Ty(), strips.some_stopped), again, done);
  builder.SetInsertPoint(again);
  builder.CreateStore(builder.getTrue(), strips.goes_on);
  forbid_unrolling(lower, builder.CreateBr(head));
  builder.SetInsertPoint(done);
  lower.lanes.strips = nullptr;
}

void begin_strip(Lowerer& lower, llvm::Value* number, llvm::BasicBlock* next,
                 const std::function<void()>& begin) {
  llvm::IRBuilder<>& builder = lower.builder;
  Strips* strips = lower.lanes.strips;
  if (!strips) return;
  strips->number = number;
  strips->record = record_at(lower, lower.scratch.strip_records, number, lower.scratch.strip_bytes);
  strips->next_vector = next;
  strips->resumed = new_block(lower, "resumed");
  llvm::BasicBlock *first = new_block(lower, "first_strip"), *later = new_block(lower, "later_strip");
  builder.CreateCondBr(builder.CreateLoad(builder.getInt1Ty(), strips->goes_on), later, first);
  builder.SetInsertPoint(later);
  strips->stopped_at = builder.CreateLoad(builder.getInt64Ty(), place(lower, *strips, trip_offset));
  builder.CreateCondBr(builder.CreateIsNull(strips->stopped_at), next, strips->resumed);
  auto not_stopped = [&] { builder.CreateStore(i64(lower.state, 0), place(lower, *strips, trip_offset)); };
  builder.SetInsertPoint(strips->resumed);
  not_stopped();
  begin();
  for_each_kept(lower, *strips, [&](const Cell& cell, std::uint64_t from, std::uint64_t) {
    builder.CreateStore(
        builder.CreateAlignedLoad(cell.type, place(lower, *strips, from), kept_alignment(lower, cell)),
        cell.pointer);
  });
  builder.SetInsertPoint(first);
  not_stopped();
}

void end_strip(Lowerer& lower) {
  // Nothing stops in a loop that nothing comes to.
  Strips* strips = lower.lanes.strips;
  if (strips && !strips->resumed->getTerminator())
    new llvm::UnreachableInst(lower.state.context, strips->resumed);
}

// ---- In the loop ----

bool stops(const Lowerer& lower, const ir::Stmt& loop) {
  return lower.lanes.strips && lower.lanes.strips->loop == &loop;
}

// Returns how far on lies what blocks abreast touch next: in their row, or, where it ends and that of other
// blocks begins, at the beginning of the next strip's row, which lies so many elements on.
static llvm::Value* elements_along_row(Lowerer& lower, llvm::Value* to_next_strip) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value *lanes = i64(lower.state, lower.lane_count()), *on = i64(lower.state, ahead_in_row);
  auto vectors_of = [&](llvm::Value* blocks) {
    return builder.CreateNUWMul(builder.CreateZExt(blocks, builder.getInt64Ty()), lower.scratch.vectors);
  };
  llvm::Value* before = builder.CreateNUWAdd(vectors_of(lower.abreast.index), lower.lanes.strips->number);
  llvm::Value* row = builder.CreateMul(vectors_of(lower.abreast.count), lanes);
  llvm::Value* left = builder.CreateSub(row, builder.CreateMul(before, lanes));
  llvm::Value* begins = builder.CreateSub(builder.CreateAdd(to_next_strip, on), row);
  return builder.CreateSelect(builder.CreateICmpUGT(left, on), on, begins);
}

llvm::Value* elements_ahead(Lowerer& lower, llvm::Value* step) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* wide = builder.CreateZExt(step, builder.getInt64Ty());
  llvm::Value* to_next_strip = builder.CreateMul(wide, i64(lower.state, lower.lanes.strips->trips));
  if (!lower.abreast.together) return to_next_strip;
  llvm::Value* alone = builder.CreateICmpEQ(lower.abreast.count, builder.getInt32(1));
  return builder.CreateSelect(alone, to_next_strip, elements_along_row(lower, to_next_strip));
}

void resume(Lowerer& lower, llvm::BasicBlock* head, llvm::Value* trip, llvm::Value* least, llvm::Value* step,
            const std::function<void()>& begin) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Strips& strips = *lower.lanes.strips;
  llvm::Value *trips = i64(lower.state, strips.trips - 1), *all = i64(lower.state, -1);
  llvm::Value* elements = builder.CreateMul(builder.CreateLoad(builder.getInt64Ty(), least),
                                            builder.CreateZExt(step, builder.getInt64Ty()));
  llvm::Value* is_far = builder.CreateICmpUGT(elements, i64(lower.state, strips.near));
  builder.CreateStore(builder.CreateSelect(is_far, trips, all), strips.between_stops);
  builder.CreateBr(head);
  builder.SetInsertPoint(strips.resumed);
  builder.CreateStore(trips, strips.between_stops);
  begin();
  builder.CreateStore(strips.stopped_at, trip);
  builder.CreateStore(builder.CreateLoad(builder.getInt64Ty(), place(lower, strips, least_offset)), least);
  // Facts that were known before the loop do not hold here.
  lower.lanes.tests.clear();
  lower.lanes.mostly_linear.clear();
}

void stop(Lowerer& lower, llvm::Value* trip, llvm::Value* least) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Strips& strips = *lower.lanes.strips;
  llvm::BasicBlock *stop = new_block(lower, "stop"), *go_on = new_block(lower, "go_on");
  auto load = [&](llvm::Value* from) { return builder.CreateLoad(builder.getInt64Ty(), from); };
  auto keep = [&](llvm::Value* value, std::uint64_t offset) {
    builder.CreateStore(value, place(lower, strips, offset));
  };
  llvm::Value* ends = builder.CreateIsNull(builder.CreateAnd(load(trip), load(strips.between_stops)));
  llvm::Value* more = builder.CreateICmpSLT(load(trip), load(least));
  builder.CreateCondBr(builder.CreateAnd(ends, more), stop, go_on);
  builder.SetInsertPoint(stop);
  keep(load(trip), trip_offset);
  keep(load(least), least_offset);
  for_each_kept(lower, strips, [&](const Cell& cell, std::uint64_t to, std::uint64_t) {
    builder.CreateAlignedStore(builder.CreateLoad(cell.type, cell.pointer), place(lower, strips, to),
                               kept_alignment(lower, cell));
  });
  builder.CreateStore(builder.getTrue(), strips.some_stopped);
  builder.CreateBr(strips.next_vector);
  builder.SetInsertPoint(go_on);
}

} // namespace kern::lowering
