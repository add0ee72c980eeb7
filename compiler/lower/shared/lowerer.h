// Declares what the files of lower/ share: the state of a module and of a function being lowered, and the few
// operations that everything else is written in. A value is scalar (the same in every lane, or the value of
// lane 0 where lanes step by a constant) or a vector; with one lane everything is scalar. Expressions are
// lowered once for both: IRBuilder takes either.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/memory/shared_layout.h"
#include "compiler/analysis/threads/shape.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/shared/debug_info.h"

namespace kern::lowering {

struct Recipe; // lowering.h

// A device function as it is for lanes of some number that lie so over a block.
struct FunctionKey {
  ir::FunctionId id;
  int lanes;
  bool linear_thread_id, block_x_multiple, constants_are_global;
  auto operator<=>(const FunctionKey&) const = default;
};

// The types of a device function as LLVM has it.
struct FunctionParts {
  std::vector<llvm::Type*> params, results;
};

// A device function that is declared and not yet defined.
struct PendingFunction {
  ir::FunctionId id;
  LaneFacts facts;
};

// A module being lowered.
struct ModuleState {
  const ir::Module& ir;
  const SourceManager& sources;
  const TargetOptions& options;
  llvm::LLVMContext& context;
  llvm::Module& module;
  DebugInfo debug;
  SharedLayout shared_layout;                         // GPU
  const Recipe* recipes = nullptr;                    // of the target, by Builtin
  std::map<FunctionKey, llvm::Function*> functions{}; // device functions; made when first called
  std::vector<llvm::GlobalVariable*> shared{};        // GPU: static shared arrays, by SharedId
  std::vector<llvm::GlobalVariable*>
      constants[2]{};              // by ConstantId: in constant memory, and those that are not
  llvm::Function* fault = nullptr; // records a fault; on the GPU it does not return
  std::vector<PendingFunction> pending{};
  std::vector<std::uint64_t>
      device_shared{}; // CPU: where shared arrays of device functions are in scratch, by SharedId
  std::uint64_t device_shared_bytes = 0;
  bool constants_are_global = false;                          // GPU: those of the kernel that is lowered
  bool has_avx512 = false;                                    // of the CPU that code is made for
  llvm::MDNode *record_tag = nullptr, *element_tag = nullptr; // of accesses that never meet; null on the GPU

  bool gpu() const { return options.target == Target::Cuda; }
};

// A scalar (of a linear value, that of lane 0) or a vector.
struct Value {
  llvm::Value* value = nullptr;
  Shape shape{};
};

// One register of a slot: a scalar, or a part of an array value.
struct Cell {
  llvm::Type* type = nullptr; // of what is stored: a scalar, a vector, a mask
  Shape shape{};
  bool is_bool = false;
  llvm::Value* pointer = nullptr;  // an alloca; null where it lives in the scratch record of its vector
  std::uint64_t offset = 0;        // in that record
  llvm::Constant* known = nullptr; // what it always is: the stride 1 that a type promises
  llvm::Value* home = nullptr;     // for debuggers: an alloca with the address of `pointer`, which changes
};

// A slot: one cell for a scalar; of an array the base, the offset from it in elements, the extents, the
// strides.
struct SlotCells {
  std::vector<Cell> cells;
  bool crosses = false;       // CPU: its value outlives a segment
  bool same_in_block = false; // CPU: every thread of the block would read the same
  bool block_uniform = false; // both: it has one place for the whole block
};

struct ArrayValue {
  Value base;
  Value offset; // i64, elements
  std::vector<Value> extents, strides;
  ScalarKind element{};
  AddressSpace space{};
};

// The blocks that `continue` and `break` go to.
struct Loop {
  llvm::BasicBlock* next;
  llvm::BasicBlock* done;
};

// The place of CPU code in the grid; i32. The thread's own index is that of lane 0.
struct Place {
  llvm::Value* where = nullptr; // const kern_where*
  llvm::Value* thread[3] = {};
  llvm::Value* block[3] = {};
  llvm::Value* grid[3] = {};
  llvm::Value* block_dim[3] = {};
  llvm::Value* first_row = nullptr; // of the rows of threads to run; null where a block runs whole
  llvm::Value* end_row = nullptr;
  // How many of a row of blocks this call runs, where they share the loop over a row of threads.
  llvm::Value* blocks = nullptr;
  bool joins_blocks = false; // and are like one block: their threads along x are counted on
};

// The place of a local array in scratch: in the vector's record, or once a block.
struct LocalPlace {
  bool in_record;
  std::uint64_t offset;
};

inline constexpr std::uint64_t cache_line = 64; // bytes

// CPU: the parts of the scratch area of a block, and the record of the vector at hand.
struct Scratch {
  llvm::Value* areas = nullptr; // of blocks that go abreast, the first one's
  llvm::Value* base = nullptr;
  llvm::Value* vectors = nullptr;     // of a block, i64
  llvm::Value* records = nullptr;     // the first vector's
  llvm::Value* record = nullptr;      // of the vector at hand
  llvm::Value* record_home = nullptr; // for debuggers: an alloca with the address of that
  llvm::Value* dynamic_shared = nullptr;
  std::uint64_t record_bytes = 0;
  std::vector<std::uint64_t> shared;   // offsets of static shared arrays, by SharedId
  std::uint64_t block_bytes = 0;       // before the records
  bool has_left_flag = false;          // the record begins with a byte: this thread has left
  llvm::Value* live_threads = nullptr; // where there is that flag: an i64 that counts, an alloca or,
                                       // with blocks abreast, in the last line of `block_bytes`
  std::map<const ir::LocalArray*, LocalPlace> local_arrays; // those that are no allocas
  std::uint64_t strip_bytes = 0; // of the record of a vector that stopped in a loop
  llvm::Value* strip_records = nullptr;
};

// Neighbouring blocks of a call that make their first segments together (lanes/abreast.cpp).
struct Abreast {
  std::uint64_t most = 1;       // blocks; 1 where each runs by itself
  llvm::Value* count = nullptr; // of those at hand, i32
  llvm::Value* index = nullptr; // of the one at hand, i32
  bool together = false;        // in the first segment
};

// The state of a statement of control flow while lanes are in it: masks and the state of a loop, in allocas
// that both copies of a segment share.
struct Construct {
  llvm::Value* saved = nullptr;     // lanes that came here
  llvm::Value* chosen = nullptr;    // an if: lanes whose condition holds
  llvm::Value* running = nullptr;   // a loop: lanes that have not broken out
  llvm::Value* continued = nullptr; // a loop: lanes done with this iteration
  llvm::Value* trip = nullptr;      // a for: its number
  Cell start, step, count;          // a for: its operands before it
  llvm::Value* distance = nullptr;  // a for whose lanes start next to each other: see counts_by_distance
};

// A construct around the present place, outermost first.
struct OpenConstruct {
  enum class Kind : std::uint8_t { Then, Else, Loop } kind;
  Construct* construct; // null where it needs no masks
  bool plain;           // all lanes are in it, and the masks are not kept up
};

// A loop that lanes leave one by one; null where they leave together.
struct LaneLoop {
  Construct* construct;
  llvm::BasicBlock* next;
  llvm::BasicBlock* done;
};

// Whether a condition holds in all lanes, and whether in none; and what computes in which.
struct LaneTest {
  llvm::Value* all;
  llvm::Value* none;
  std::function<llvm::Value*()> mask;
};

// A varying value that is linear where `holds`.
struct MostlyLinear {
  llvm::Value* holds;
  Value value;
  bool is_exact; // and then nothing wraps from lane to lane
};

// A loop of a segment in which whole vectors stop now and then (lanes/strips.cpp).
struct Strips {
  const ir::Stmt* loop = nullptr;
  std::vector<ir::SlotId> kept{};          // what a vector must find again
  std::int64_t trips = 1;                  // of a strip, a power of two
  std::int64_t near = 0;                   // elements: a vector that goes no farther does not stop
  llvm::Value* between_stops = nullptr;    // an alloca: the bits of the trip that are 0 where a strip ends
  llvm::Value* goes_on = nullptr;          // an alloca: vectors go on, or are done; else all begin
  llvm::Value* some_stopped = nullptr;     // likewise: in this round
  llvm::Value* number = nullptr;           // of the vector at hand in its block
  llvm::Value* record = nullptr;           // likewise
  llvm::Value* stopped_at = nullptr;       // the trip at which it has stopped
  llvm::BasicBlock* next_vector = nullptr; // where its turn ends
  llvm::BasicBlock* resumed = nullptr;     // where it goes on
};

// Turns that others must be able to go on in the middle of (waiting.cpp).
struct OwnTurns {
  struct Turn {
    llvm::BasicBlock *first, *next; // what follows it
  };
  bool now = false; // in the segment at hand
  std::vector<Turn> found{};
  std::unordered_set<const llvm::Value*>
      of_block{}; // allocas that are one for the block, whosever turn it is
};

// How far on from what is read it pays to ask for memory early: so many bytes, or elements; null where it
// does not.
struct Ahead {
  llvm::Value *bytes = nullptr, *elements = nullptr;
};

// The state of a vector's lanes at the present place (lanes/control.cpp). With one lane none of it is used.
struct Lanes {
  bool masked = false;              // some lanes may not be here; else all are, and live
  bool plain_copy = false;          // this is the copy of a segment that vectors enter whole
  llvm::Value* active = nullptr;    // mask slot: lanes that are here
  llvm::Value* present = nullptr;   // mask slot: lanes that have not left the function
  llvm::Value* live = nullptr;      // mask slot: lanes that have not left the kernel; `present` in a kernel
  llvm::Value* asked = nullptr;     // without mask registers: a mask in memory, for the runtime
  llvm::BasicBlock* skip = nullptr; // where to go when no lane is active
  llvm::BasicBlock* end = nullptr;  // where a whole vector's turn ends
  std::map<const void*, Construct> constructs;                           // by statement
  std::map<std::pair<const void*, int>, llvm::BasicBlock*> side_entries; // places of the masked copy
  std::vector<OpenConstruct> open;
  std::vector<LaneLoop> loops;
  std::map<ir::SlotId, LaneTest> tests; // of conditions
  std::map<ir::SlotId, MostlyLinear> mostly_linear;
  std::int64_t written_out = 0; // statements of short loops (lanes/loops.cpp)
  std::map<const ir::Segment*, Strips> strips_of;
  Strips* strips = nullptr;     // of the segment at hand; null where no vector stops in it
  Ahead ahead;                  // in a grid-stride loop
  std::vector<bool> geometric;  // conditions over thread indices: a vector in which they differ is rare
  std::vector<bool> computed;   // integers that depend on no memory
  std::vector<bool> lazy_masks; // conditions whose mask is computed where lanes part
  std::map<ir::SlotId, llvm::Value*> kept; // what lanes have of variables that run on (lanes/running.cpp)
  // The allocas of that, by loop: both copies have the same, so that the masked one can take over in the
  // loop.
  std::map<std::pair<const ir::Stmt*, ir::SlotId>, llvm::Value*> kept_places;
  llvm::Value* linear_id = nullptr; // of lane 0, where lanes follow the linear thread id
};

// A function being lowered, for lanes of which `facts` hold.
struct Lowerer {
  ModuleState& state;
  const ir::Function& ir;
  ir::FunctionId id;
  const LaneFacts facts;
  llvm::Function* function = nullptr;
  llvm::IRBuilder<> builder;
  const ir::Definitions definitions;
  std::vector<SlotCells> slots;
  std::vector<Loop> loops;
  llvm::BasicBlock* leave = nullptr;        // of a thread that leaves at a fault or, in a kernel, at a return
  llvm::BasicBlock* undo = nullptr;         // where a thread would fault whose code is only an attempt
  llvm::BasicBlock* return_block = nullptr; // of a device function
  std::optional<bool> misses_threads; // GPU: whether threads may have returned before a barrier of the grid
  void (*before_return)(Lowerer&) = nullptr; // GPU: emits what a thread does that returns from the kernel
  std::vector<llvm::Value*> result_slots;    // allocas of a device function's results
  llvm::Value* record = nullptr;             // the launch record
  std::vector<llvm::Value*> param_block; // a kernel's parameters as they came, by slot of the parameter block
  Place place;
  Scratch scratch;
  Abreast abreast;
  bool waits = false; // CPU kernel: somewhere in it threads wait
  OwnTurns own_turns;
  Shapes shapes;
  Lanes lanes;
  std::vector<ir::SharedId> used_shared; // by this kernel, or what it calls
  std::vector<bool> turn_zero;           // CPU: slots that are zero at the start of a thread's turn
  std::vector<bool> turn_params; // CPU: parameters that are assigned, and begin each turn as they came
  std::vector<const ir::Assign*>
      block_arrays{};                  // CPU: by slot, what names a shared array for the whole block
  bool block_arrays_stand = false;     // and has been lowered
  llvm::Value* turns = nullptr;        // GPU: an alloca that counts turns of its loops, for gpu/stops.cpp
  bool fast_math = false;              // of this kernel: approximate, and reorder, but never assume a number
  std::set<ir::SlotId> hidden_slots{}; // whose lanes have their values elsewhere for a while

  Lowerer(ModuleState& s, ir::FunctionId f, const LaneFacts& lane_facts)
      : state(s), ir(s.ir.function(f)), id(f), facts(lane_facts), builder(s.context), definitions(ir),
        fast_math(ir.options.fast_math || s.options.fast_math) {}
  // Begins to lower scalar code of one lane in the middle of a vector's, at the same place: where that lane
  // would fault, it goes to `undo` instead. Slots in which lanes differ are the caller's to put in place.
  Lowerer(const Lowerer& vector, llvm::BasicBlock* undo);
  bool gpu() const { return state.gpu(); }
  // Lanes of a vector; 1 on the GPU.
  unsigned lane_count() const { return gpu() ? 1 : static_cast<unsigned>(facts.lanes); }
  bool is_vector() const { return lane_count() > 1; }
};

inline bool is_float_kind(ScalarKind kind) { return scalar_class(kind) == ScalarClass::Float; }
inline bool is_small_float(ScalarKind kind) { return kind == ScalarKind::F16 || kind == ScalarKind::BF16; }
inline bool is_signed_kind(ScalarKind kind) { return scalar_class(kind) == ScalarClass::Signed; }

// Whether something is computed for lane 0 alone or for all lanes.
enum class Form : std::uint8_t { Scalar, Vector };

// A field of the launch or of the thread.
enum class Field : std::uint8_t {
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  block_dim_x,
  block_dim_y,
  block_dim_z,
  grid_dim_x,
  grid_dim_y,
  grid_dim_z,
};

// ---- values.cpp: types, slots and operands ----
llvm::Type* register_type(ModuleState& state, ScalarKind kind);
// The type of a bool in memory is i8; of every other scalar its register type.
llvm::Type* memory_type(ModuleState& state, ScalarKind kind);
llvm::PointerType* pointer_type(ModuleState& state, AddressSpace space);
llvm::Value* constant(Lowerer& lower, const ir::Operand& operand);
llvm::Value* read(Lowerer& lower, const ir::Operand& operand, Form form = Form::Scalar);
Shape shape_of(const Lowerer& lower, const ir::Operand& operand);
Value read_value(Lowerer& lower, const ir::Operand& operand);
// Writes a scalar or a vector, in the lanes that are active.
void write(Lowerer& lower, ir::SlotId slot, llvm::Value* value);
void write_value(Lowerer& lower, ir::SlotId slot, const Value& value);
ArrayValue read_array(Lowerer& lower, const ir::Operand& array);
void write_array(Lowerer& lower, ir::SlotId slot, ArrayValue value);
Value read_cell(Lowerer& lower, const Cell& cell);
// Writes to every lane, whatever is active.
void write_cell(Lowerer& lower, const Cell& cell, llvm::Value* value);
void write_zero(Lowerer& lower, const Cell& cell);
llvm::Value* cell_pointer(Lowerer& lower, const Cell& cell);
// Says of a load or store that it is of an array's element, which is in no record (CPU); returns it.
llvm::Instruction* tag_element(Lowerer& lower, llvm::Instruction* access);
// Returns the cells of a slot of that type, without places.
SlotCells make_cells(Lowerer& lower, std::size_t slot);
// Returns the cells of a value of a type, one lane.
std::vector<llvm::Type*> cell_types(ModuleState& state, Type type);
// Gives every cell of a slot an alloca; zero where `zero`.
void allocate(Lowerer& lower, SlotCells& slot, const std::string& name, bool zero);
llvm::AllocaInst* entry_alloca(Lowerer& lower, llvm::Type* type, const llvm::Twine& name = "");
// Makes the first block, with what holds for every instruction of the function.
void begin_function(Lowerer& lower);
llvm::BasicBlock* new_block(Lowerer& lower, const llvm::Twine& name);
// Moves to a block; the present one falls into it where it has not ended.
void enter(Lowerer& lower, llvm::BasicBlock* block);
bool ended(const Lowerer& lower);
llvm::ConstantInt* i32(ModuleState& state, std::int64_t value);
llvm::ConstantInt* i64(ModuleState& state, std::int64_t value);

// ---- variables.cpp ----
// Tells debuggers of the variables of a function that has been lowered.
void describe_variables(Lowerer& lower);
// Says whether the base of that array value is where it begins, as debuggers want it, and its offset zero.
bool has_offset_in_base(const Lowerer& lower, const SlotCells& slot);

// ---- expressions.cpp ----
void lower_assign(Lowerer& lower, const ir::Assign& assign);
llvm::Value* binary(Lowerer& lower, ir::BinaryOp op, ScalarKind kind, llvm::Value* left, llvm::Value* right);
llvm::Value* convert(Lowerer& lower, llvm::Value* value, ScalarKind from, ScalarKind to);

// ---- divide.cpp ----
// Python's // or % of integers; by zero it is zero, and the smallest integer divided by -1 wraps.
llvm::Value* integer_divide(Lowerer& lower, ScalarKind kind, llvm::Value* left, llvm::Value* right,
                            bool quotient);

// ---- memory.cpp ----
// The place of an element: a base, and an offset from it in elements.
struct ElementPlace {
  Value base, offset;
};
ElementPlace element_place(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices);
// Its parts.
Value place_base(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices);
Value place_offset(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices);
// The address of lane 0's element, or of each lane's.
llvm::Value* element_address(Lowerer& lower, const ArrayValue& array, const ElementPlace& place);
llvm::Align element_alignment(ScalarKind kind);
void lower_load(Lowerer& lower, const ir::Load& load);
void lower_store(Lowerer& lower, const ir::Store& store);
// Returns what the memory of elements is made of: of complex ones their parts.
ScalarKind cell_kind(ScalarKind element);
ArrayValue lower_view(Lowerer& lower, const ir::View& view);
Value misalignment(Lowerer& lower, const ir::Misalignment& e);
ArrayValue lower_restride(Lowerer& lower, const ir::Restride& form, Type type);
ArrayValue lower_shared_array(Lowerer& lower, const ir::SharedArray& shared, Type type);
// A local array whose elements hold nothing yet, and the cells that its memory is made of, of one lane.
struct LocalArrayPlace {
  ArrayValue array;
  ScalarKind cell;
  std::uint64_t cells;
};
LocalArrayPlace place_local_array(Lowerer& lower, const ir::LocalArray& local, Type type);
ArrayValue lower_local_array(Lowerer& lower, const ir::LocalArray& local, Type type);
// GPU: makes a variable in shared memory, of unspecified contents; the alignment is in bytes.
llvm::GlobalVariable* new_shared(ModuleState& state, llvm::Type* type, const llvm::Twine& name,
                                 std::uint64_t alignment);
// Returns the scalar in shared memory with that name, of a GPU's module; makes it where there is none.
llvm::GlobalVariable* shared_word(ModuleState& state, llvm::Type* type, const char* name);
inline constexpr std::uint64_t not_placed = ~std::uint64_t{0};
ArrayValue lower_constant_array(Lowerer& lower, const ir::ConstantArray& constant, Type type);

// ---- builtins.cpp ----
llvm::Value* lower_builtin(Lowerer& lower, Builtin builtin, Type result, const std::vector<ir::Operand>& args,
                           Form form);
void lower_call_effect(Lowerer& lower, const ir::CallEffect& call);
// Only makes the call, and returns what it gives.
llvm::Value* call_effect(Lowerer& lower, const ir::CallEffect& call);

// ---- registers.cpp: of a GPU ----
// Reads a field, or that of a further axis.
llvm::CallInst* read_register(llvm::IRBuilder<>& builder, Field along_x, std::size_t axis = 0);
// Reads a field for the program, and tells LLVM its range.
llvm::Value* read_gpu_field(Lowerer& lower, Field field);

// ---- cache_hints.cpp ----
// Loads an element with a cache hint, null where there is none to give; says whether one was stored with it.
llvm::Value* load_hinted(Lowerer& lower, const ArrayValue& array, llvm::Value* address, ir::CacheHint hint);
bool store_hinted(Lowerer& lower, const ArrayValue& array, llvm::Value* address, llvm::Value* value,
                  ir::CacheHint hint);

// ---- builtins.cpp: calls by name, and atomics ----
// Declares a function of a math library.
llvm::Function* declare_math(Lowerer& lower, const std::string& symbol, llvm::FunctionType* type);
// Calls the device or host function of that name ("sin") for a float type, or the other form that the table says it has.
llvm::Value* call_math(Lowerer& lower, std::string_view name, ScalarKind kind,
                       llvm::ArrayRef<llvm::Value*> args, bool has_other_form = false);
void lower_atomic(Lowerer& lower, const ir::Atomic& atomic);

// ---- faults.cpp ----
void lower_guard(Lowerer& lower, const ir::Guard& guard);
void lower_fit(Lowerer& lower, const ir::Fit& fit);
// Returns what a thread faults by whose value does not fit.
ir::FaultKind kind_of_fault(const ir::Fit& fit);
void lower_check(Lowerer& lower, const ir::Check& check);
// Goes on where the condition holds, else faults with the site's kind.
void lower_check(Lowerer& lower, llvm::Value* condition, ir::SiteId site);
// The values that a GPU's fault record is written with.
struct FaultFields {
  llvm::Value *site, *axis, *kind, *index, *extent;
};
// Says whether the first word of a launch's record, `state`, tells of a fault.
llvm::Value* is_fault(llvm::IRBuilder<>& builder, llvm::Value* state);
// Writes a record that this thread has claimed, its own place included, and then its state.
void write_fault(llvm::IRBuilder<>& builder, llvm::Value* record, const FaultFields& fields,
                 std::uint32_t state);
// Records a fault at the present point and leaves; ends the block.
void lower_fault(Lowerer& lower, std::uint32_t site, ir::FaultKind kind, int axis, llvm::Value* index,
                 llvm::Value* extent);

// Calls what records a CPU thread's fault.
void call_fault(Lowerer& lower, std::uint32_t site, ir::FaultKind kind, int axis, llvm::Value* index,
                llvm::Value* extent, llvm::Value* const (&thread)[3]);

// ---- control.cpp ----
void lower_body(Lowerer& lower, const ir::Body& body);

// ---- loop_hints.cpp ----
// Tells LLVM something of the loop that this branch closes.
void hint_loop(Lowerer& lower, llvm::BranchInst* back, llvm::ArrayRef<llvm::Metadata*> hint);
// Says that a loop shall stay as it is.
void forbid_unrolling(Lowerer& lower, llvm::BranchInst* back);

// ---- calls.cpp ----
// Returns a device function that is called from here; a new one is declared with these parts, and pending.
llvm::Function* called_function(Lowerer& lower, ir::FunctionId id,
                                FunctionParts (*parts_of)(Lowerer&, ir::FunctionId));
// Returns a scalar, or the parts of an array.
std::vector<Value> read_parts(Lowerer& lower, const ir::Operand& operand);
// Makes the places of a device function's results, which are zero, and returns what they hold at its end.
void make_results(Lowerer& lower, std::span<llvm::Type* const> types);
void return_results(Lowerer& lower);
void lower_call(Lowerer& lower, const ir::Call& call);
void lower_return(Lowerer& lower, const ir::Return& stmt);
void lower_device_function(ModuleState& state, const PendingFunction& pending);

// ---- print.cpp ----
void lower_print(Lowerer& lower, const ir::Print& print);
// Prints one thread's values.
void print_values(Lowerer& lower, const ir::Print& print, llvm::ArrayRef<llvm::Value*> values);

// ---- entry.cpp ----
// Parts of a parameter in the parameter block: no offset, unlike in an array value.
std::vector<llvm::Type*> block_types(ModuleState& state, Type type);
// Stores those of the parameters into their slots.
void write_params(Lowerer& lower, const std::vector<bool>& which);
// Loads the fields of `where` into the place: where it is in the grid, and which rows of a block it runs.
void load_place(Lowerer& lower);
void load_rows(Lowerer& lower);
// Returns the value of a host's expression over the kernel's parameters.
llvm::Value* lower_host_expression(Lowerer& lower, const kern::Expression& expression);

// ---- areas.cpp: CPU ----
// Finds the parts of the scratch area of the block with this number, i64, among those abreast.
void find_area(Lowerer& lower, llvm::Value* number);
// Gives the arrays that statements name for the whole block their places in it.
void name_block_arrays(Lowerer& lower);
// Goes to the area of a block.
void go_to_area(Lowerer& lower, llvm::Value* number);

// ---- turns.cpp: CPU ----
// Calls `body` once, to write the body of a loop over as many blocks along x.
void for_each_block(Lowerer& lower, llvm::Value* blocks, const std::function<void(llvm::Value* index)>& body);
// The record with this number, of records of so many bytes; the end of as many of them.
llvm::Value* record_at(Lowerer& lower, llvm::Value* records, llvm::Value* number, std::uint64_t bytes);
// Begins the turn of the thread or vector whose record that is.
void begin_record(Lowerer& lower, llvm::Value* record);
// Writes a loop over part of a block: for index in range(0, limit, step): body(index, next); `next` is
// where the following iteration begins.
void stepping_loop(Lowerer& lower, llvm::Value* limit, unsigned step,
                   const std::function<void(llvm::Value*, llvm::BasicBlock*)>& body);
// The same over the rows of a plane that this call runs.
void loop_over_y(Lowerer& lower, const std::function<void(llvm::Value*, llvm::BasicBlock*)>& body);
// Which slots a body mentions, or assigns.
std::vector<bool> slots_used(const Lowerer& lower, const ir::Body& body, bool only_results);
// Gives a thread what it finds at the start of its turn: zeros where it may read first, and its parameters as
// they came.
void begin_turn(Lowerer& lower, const std::vector<bool>& used);
// Slots that are one for the block and assigned in a segment: each turn begins with the block's value and
// works on a copy; the last one's is the block's next.
struct UniformCopy {
  Cell* cell;
  llvm::Value* block;
  llvm::AllocaInst* next;
};
std::vector<UniformCopy> copy_uniform_slots(Lowerer& lower, const std::vector<bool>& assigned);
void begin_uniform_copies(Lowerer& lower, const std::vector<UniformCopy>& copies);
void end_uniform_copies(Lowerer& lower, const std::vector<UniformCopy>& copies);
void restore_uniform_slots(Lowerer& lower, const std::vector<UniformCopy>& copies);
// Calls `body` once, to write the body of a loop over every thread of the block that has not left.
void for_each_thread(Lowerer& lower, const std::function<void()>& body);

// ---- waiting.cpp ----
// Writes the loop over the turns of a segment; in one where threads wait each is a function of its own.
void in_own_turns(Lowerer& lower, const ir::Segment& segment, const std::function<void()>& body);
// Called where a turn begins, whose end is `next`.
void begin_own_turn(Lowerer& lower, llvm::BasicBlock* next);
// Takes those turns out of the kernel, which is whole.
void take_out_turns(Lowerer& lower);

} // namespace kern::lowering
