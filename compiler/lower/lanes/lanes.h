// Declares what the files for several lanes share: control flow in masks, accesses and effects of many lanes.
#pragma once

#include <span>

#include "compiler/ir/walk.h"
#include "compiler/lower/shared/lowering.h"
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

// ---- gather.cpp: accesses whose addresses are a vector ----
// Addresses of lanes: one base and an offset each in elements, or a pointer each.
struct LaneAddresses {
  llvm::Value* base = nullptr;     // null where there is a pointer each
  llvm::Value* offsets = nullptr;  // <W x i64>, or <W x i32> under the fact `small_arrays`
  llvm::Value* pointers = nullptr; // <W x ptr>
};
// Loads the active lanes' elements; what other lanes get is unspecified.
llvm::Value* gather(Lowerer& lower, const LaneAddresses& addresses, llvm::Type* element);
// Stores the active lanes' elements, in ascending order.
void scatter(Lowerer& lower, llvm::Value* value, const LaneAddresses& addresses);
// Whether there is an instruction that does.
bool has_scatter(const Lowerer& lower, llvm::Type* element);
// Stores all lanes' elements `step` elements apart, an i64, in ascending order.
void spread(Lowerer& lower, llvm::Value* value, llvm::Value* first, llvm::Value* step);

// ---- addresses.cpp ----
// Lanes whose elements lie alike far apart, where `holds`; i64, in elements from their base.
struct Stepping {
  llvm::Value *holds, *first, *step;
};
struct LaneAddress {
  Shape shape;                        // of the distance from the base; Linear: steps in elements
  llvm::Value* first = nullptr;       // of lane 0, unless it is Varying
  LaneAddresses lanes;                // where it is Varying
  bool computed = false;              // Varying, but from thread indices
  std::optional<Stepping> stepping{}; // likewise, where it is known when they step alike
  // There: writes what `lanes` lacks. Most vectors never ask for it.
  std::function<llvm::Value*()> offsets{};
  AddressSpace space{}; // of the array
};
LaneAddress lane_address(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices);
// Those of all lanes, each for itself.
LaneAddresses all_addresses(Lowerer& lower, const LaneAddress& address);

// ---- memory.cpp ----
void load_lanes(Lowerer& lower, const ir::Load& load);
void store_lanes(Lowerer& lower, const ir::Store& store);
// Returns the address that lane 0 loads from, for a load whose lanes are a fixed number of elements apart.
llvm::Value* first_address(Lowerer& lower, const ir::Load& load);
void local_array_lanes(Lowerer& lower, const ir::Assign& assign, const ir::LocalArray& local);

// ---- assign.cpp ----
void assign_lanes(Lowerer& lower, const ir::Assign& assign);

// ---- control.cpp ----
void lower_lane_body(Lowerer& lower, const ir::Body& body);
// Lowers a body whose lanes, once all are gone, go to `skip`.
void lower_inner(Lowerer& lower, const ir::Body& body, llvm::BasicBlock* skip);

// ---- constructs.cpp ----
// Sets the masks of the constructs around to what they are in the plain copy, and goes to the masked one with
// these lanes.
void leave_plain_copy_with(Lowerer& lower, const void* stmt, int point, llvm::Value* lanes);
// Places of a statement; the last is where it has failed in all lanes.
inline constexpr int start_point = 0, after_point = 1, head_point = 2, fault_point = 3;

// Lanes that come to the statement may be gone after it.
bool may_drop(const ir::Stmt& stmt);
// Says whether a statement is a guard, or a fit, that is not proved.
inline bool is_tested(const ir::Stmt& stmt) {
  const std::optional<ir::GuardState> state = ir::guard_state(stmt);
  return state && *state != ir::GuardState::Proved;
}
// Says whether a thread may leave at a statement itself, not at one inside it.
inline bool may_leave(const ir::Stmt& stmt) {
  return is_tested(stmt) || std::holds_alternative<ir::Check>(stmt.node) ||
         std::holds_alternative<ir::Return>(stmt.node) || std::holds_alternative<ir::Call>(stmt.node);
}
bool is_varying(const Lowerer& lower, const ir::Operand& operand);
Construct& construct_of(Lowerer& lower, const ir::Stmt& stmt);
// Makes the mask slot of a construct where there is none yet.
llvm::Value* mask_slot(Lowerer& lower, llvm::Value*& slot, const char* name);
void copy_mask(Lowerer& lower, llvm::Value* from, llvm::Value* to);
// The lanes of `mask` that have neither left, nor broken out of the loop around, nor finished its iteration.
llvm::Value* remaining(Lowerer& lower, llvm::Value* mask);
void set_active(Lowerer& lower, llvm::Value* mask);
void open_construct(Lowerer& lower, OpenConstruct::Kind kind, Construct* construct);
// The end of a construct in masked code: whoever is left goes on.
void finish_masked(Lowerer& lower, const ir::Stmt& stmt);
// Runs masked code in the plain copy, with every lane in it at first.
void in_masks(Lowerer& lower, const ir::Stmt& stmt, const std::function<void()>& body);
// Goes to a place of the masked copy, with the masks set up as all lanes are.
void leave_plain_copy(Lowerer& lower, const void* stmt, int point);
// In the masked copy: where such a way ends, null where there is none.
llvm::BasicBlock* taken_side_entry(Lowerer& lower, const void* stmt, int point);
// In the masked copy: what comes here from the plain one.
void enter_from_plain(Lowerer& lower, const void* stmt, int point);

// ---- loops.cpp ----
void while_lanes(Lowerer& lower, const ir::While& loop, const ir::Stmt& stmt);
void for_lanes(Lowerer& lower, const ir::For& loop, const ir::Stmt& stmt);
// Lanes may leave the loop one by one.
bool is_divergent_loop(const Lowerer& lower, const ir::Stmt& stmt);
// A `for` whose trips in all lanes follow from thread indices, and that is left at its end.
bool is_geometric_loop(const Lowerer& lower, const ir::Stmt& stmt);
// Whether it is known of a `for` without its count which lanes go round.
bool counts_by_distance(const Lowerer& lower, const ir::For& loop);

// ---- strips.cpp: grid-stride loops in which whole vectors stop now and then, for the others ----
// Finds them, and lays out what vectors keep meanwhile.
void plan_strips(Lowerer& lower);
// Calls `body` once, to write what goes over the vectors of a segment until none has stopped.
void in_strips(Lowerer& lower, const ir::Segment& segment, const std::function<void()>& body);
// At a vector's turn: goes to where it stopped, or to `next` where it is done; `begin` writes what the plain
// copy begins with.
void begin_strip(Lowerer& lower, llvm::Value* number, llvm::BasicBlock* next,
                 const std::function<void()>& begin);
void end_strip(Lowerer& lower);
// Whether vectors stop in a loop; then `resume` writes how they come back to its head, with what the trip and
// the number of trips were (allocas), and `stop` how they stop where trips end. The step is the loop's.
bool stops(const Lowerer& lower, const ir::Stmt& loop);
void resume(Lowerer& lower, llvm::BasicBlock* head, llvm::Value* trip, llvm::Value* least, llvm::Value* step,
            const std::function<void()>& begin);
void stop(Lowerer& lower, llvm::Value* trip, llvm::Value* least);
// How many elements on lies what is worth asking for early: what the vector reads in its next strip, of steps
// of that length; where blocks abreast have long rows, what comes next in the row.
llvm::Value* elements_ahead(Lowerer& lower, llvm::Value* step);

// ---- abreast.cpp: blocks that make their first segments together ----
// Whether they may, which all of the area of a block but its records must be laid out for.
void plan_abreast(Lowerer& lower);
// How many threads a call is best given, of neighbouring blocks; 0 where it does not matter.
std::uint64_t threads_in_call(const Lowerer& lower);
// The bytes of scratch that blocks abreast need more than one of them.
std::uint64_t scratch_bytes_abreast(const Lowerer& lower);
// Writes a loop over the blocks of a row, by as many as go abreast.
void for_each_group(Lowerer& lower, llvm::Value* in_row, const std::function<void()>& body);
// Writes a loop over the blocks of such a group, each with its area.
void for_each_abreast(Lowerer& lower, const std::function<void()>& body);

// ---- alone.cpp ----
// Whether each lane had better go round a loop by itself; lanes leave it one by one, and only by their
// counts.
bool goes_alone(const Lowerer& lower, const ir::For& loop);
// Does so. Where a lane would fault, nothing has been done and `otherwise` writes what goes on.
void for_alone(Lowerer& lower, const ir::For& loop, const std::function<void()>& otherwise);

// ---- running.cpp ----
// Around a loop that lanes leave one by one: finds the variables that run on in lanes that are out, and gives
// each what its lanes had when they left.
std::vector<ir::SlotId> begin_running_on(Lowerer& lower, const ir::Stmt& loop);
void end_running_on(Lowerer& lower, const std::vector<ir::SlotId>& variables);

// ---- lazy_masks.cpp ----
// Finds the conditions whose mask is needed only where lanes part.
void find_lazy_masks(Lowerer& lower);
// Whether the test that is kept of a condition does instead of its mask.
bool test_is_enough(const Lowerer& lower, ir::SlotId slot);

// ---- conditions.cpp ----
// Says which conditions are over thread indices alone, and which need a mask only where lanes part.
void classify_conditions(Lowerer& lower);
// Remembers whether a comparison of linear values holds in all lanes, or in none.
void note_linear_test(Lowerer& lower, ir::SlotId slot, const ir::Compare& compare);
// The same of an `and` or `or` of two such conditions. That it holds in no lane may then go unnoticed.
void note_joint_test(Lowerer& lower, ir::SlotId slot, const ir::Binary& joint);
// Compares integers that are linear or the same in all lanes.
llvm::Value* compare_linear(Lowerer& lower, const ir::Compare& compare, const Value& left,
                            const Value& right);
// Says whether a varying condition holds in all lanes, and whether in none.
LaneTest test_condition(Lowerer& lower, const ir::Operand& condition);

// Whether a linear value steps from the first lane to the last without wrapping.
llvm::Value* steps_without_wrap(Lowerer& lower, bool is_signed, const ir::Operand& operand,
                                const Value& value);
// Whether an order of two values that are linear, or the same in all lanes, holds in all of them, where
// neither wraps.
llvm::Value* order_in_all(Lowerer& lower, ir::CompareOp order, bool is_signed, const Value& left,
                          const Value& right);

// ---- clamped.cpp ----
// Remembers where a varying value is linear after all.
void note_mostly_linear(Lowerer& lower, const ir::Assign& assign);
// Whether what is known of a slot where it is assigned may be used wherever it is read.
inline bool is_steady(const Lowerer& lower, ir::SlotId slot) {
  return lower.definitions.is_steady(slot) && !lower.slots[static_cast<std::size_t>(slot)].crosses;
}
// Returns how, and where, an operand is linear; null if that is not known.
std::optional<MostlyLinear> mostly_linear(Lowerer& lower, const ir::Operand& operand);

// ---- faults.cpp ----
// Tests guards and fits that stand together; none of them is proved.
void guards_lanes(Lowerer& lower, std::span<const ir::Stmt* const> guards);
void check_lanes(Lowerer& lower, const ir::Check& check);
// Records a fault of the lowest lane of a mask, without index.
void record_lane_fault(Lowerer& lower, llvm::Value* failing, std::uint32_t site, ir::FaultKind kind);
// Takes lanes out of the kernel.
void drop_lanes(Lowerer& lower, llvm::Value* mask);
// After a call: lanes that left in it are gone.
void after_call(Lowerer& lower, const ir::Call& call, llvm::Value* live);

// ---- effects.cpp: what goes lane by lane, in ascending order ----
// Writes a loop over the active lanes; `body` gets the lane, an i32.
void for_each_active_lane(Lowerer& lower, const std::function<void(llvm::Value*)>& body);
// A value of which each lane's part can be read in a loop over lanes; one that varies is spilled.
struct LaneSource {
  Value value;
  Spilled spilled{};
  bool is_bool = false;
};
LaneSource lane_source(Lowerer& lower, const Value& value);
llvm::Value* at_lane(Lowerer& lower, const LaneSource& source, llvm::Value* lane);
void atomic_lanes(Lowerer& lower, const ir::Atomic& atomic);
// If statements begin with a load that only the next atomic, right after it, needs, for its index, lowers
// them up to that atomic, whose lanes each load their own. Returns how many those were; 0 if it is no such
// load.
std::size_t atomic_with_load(Lowerer& lower, std::span<const ir::Stmt> stmts);
void print_lanes(Lowerer& lower, const ir::Print& print);

// ---- calls.cpp ----
void call_lanes(Lowerer& lower, const ir::Call& call);
void return_lanes(Lowerer& lower, const ir::Return& stmt);
void lower_lane_function(ModuleState& state, const PendingFunction& pending);

// ---- segments.cpp ----
// Calls `body` once, to write the body of a loop over every vector of the block; the mask slot `live` holds
// its lanes that exist and have not left. Vectors without such a lane are passed over.
void for_each_vector(Lowerer& lower, const std::function<void()>& body);
void lower_lane_segment(Lowerer& lower, const ir::Segment& segment);

} // namespace kern::lowering
