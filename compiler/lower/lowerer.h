// What the files of lower/ share: the state of a module and of a function being lowered, and the few
// operations that everything else is written in. A value is scalar (the same in every lane, or the value of
// lane 0 where lanes step by a constant) or a vector; with one lane everything is scalar. Expressions are
// lowered once for both: IRBuilder takes either.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/lower/debug_info.h"
#include "compiler/lower/lower.h"

namespace kern::lowering {

// A module being lowered.
struct ModuleState {
  const ir::Module& ir;
  const SourceManager& sources;
  const TargetOptions& options;
  llvm::LLVMContext& context;
  llvm::Module& module;
  DebugInfo debug;
  std::vector<llvm::Function*> functions{};       // device functions, by FunctionId; made when first called
  std::vector<llvm::GlobalVariable*> shared{};    // GPU: static shared arrays, by SharedId
  std::vector<llvm::GlobalVariable*> constants{}; // by ConstantId
  llvm::Function* fault = nullptr;                // records a fault; on the GPU it does not return
  std::vector<ir::FunctionId> pending{};          // device functions declared and not yet defined
  std::vector<std::uint64_t>
      device_shared{}; // CPU: where shared arrays of device functions are in scratch, by SharedId
  std::uint64_t device_shared_bytes = 0;

  bool gpu() const { return options.target == Target::Cuda; }
  int lanes() const { return options.lanes.lanes; }
};

// One register of a slot: a scalar, or a part of an array value.
struct Cell {
  llvm::Type* type = nullptr; // of a scalar in a register
  Shape shape{};
  llvm::Value* pointer = nullptr;  // an alloca; null where it lives in the scratch record of its vector
  std::uint64_t offset = 0;        // in that record
  llvm::Constant* known = nullptr; // what it always is: the stride 1 that a type promises
};

// A slot: one cell for a scalar; of an array the base, the offset from it in elements, the extents, the
// strides.
struct SlotCells {
  std::vector<Cell> cells;
  bool crosses = false;       // CPU: its value outlives a segment
  bool block_uniform = false; // and is one for the whole block
};

struct ArrayValue {
  llvm::Value* base = nullptr;
  llvm::Value* offset = nullptr; // i64, elements
  std::vector<llvm::Value*> extents, strides;
  ScalarKind element{};
  AddressSpace space{};
};

// Where `continue` and `break` go.
struct Loop {
  llvm::BasicBlock* next;
  llvm::BasicBlock* done;
};

// Where CPU code is in the grid; i32. The thread's own index is that of lane 0.
struct Place {
  llvm::Value* where = nullptr; // const kern_where*
  llvm::Value* thread[3] = {};
  llvm::Value* block[3] = {};
  llvm::Value* grid[3] = {};
  llvm::Value* block_dim[3] = {};
};

// Where a local array is in scratch: in the vector's record, or once a block.
struct LocalPlace {
  bool in_record;
  std::uint64_t offset;
};

// CPU: the parts of the scratch area of a block, and the record of the vector at hand.
struct Scratch {
  llvm::Value* base = nullptr;
  llvm::Value* records = nullptr; // the first vector's
  llvm::Value* record = nullptr;  // of the vector at hand
  llvm::Value* dynamic_shared = nullptr;
  std::uint64_t record_bytes = 0;
  std::vector<std::uint64_t> shared;   // offsets of static shared arrays, by SharedId
  std::uint64_t block_bytes = 0;       // before the records
  bool has_left_flag = false;          // the record begins with a byte: this thread has left
  llvm::Value* live_threads = nullptr; // where there is that flag: an alloca that counts
  std::map<const ir::LocalArray*, LocalPlace> local_arrays; // those that are no allocas
};

// A function being lowered.
struct Lowerer {
  ModuleState& state;
  const ir::Function& ir;
  ir::FunctionId id;
  llvm::Function* function = nullptr;
  llvm::IRBuilder<> builder;
  std::vector<SlotCells> slots;
  std::vector<Loop> loops;
  llvm::BasicBlock* leave = nullptr;        // of a thread that leaves at a fault or, in a kernel, at a return
  llvm::BasicBlock* return_block = nullptr; // of a device function
  std::vector<llvm::Value*> result_slots;   // allocas of a device function's results
  llvm::Value* left = nullptr;           // CPU device function: the alloca that says whether the thread left
  llvm::Value* record = nullptr;         // the launch record
  std::vector<llvm::Value*> param_block; // a kernel's parameters as they came, by slot of the parameter block
  Place place;
  Scratch scratch;
  std::vector<bool> uses_shared; // by SharedId: this kernel, or what it calls
  std::vector<bool> turn_zero;   // CPU: slots that are zero at the start of a thread's turn
  std::vector<bool> turn_params; // CPU: parameters that are assigned, and begin each turn as they came
  bool outside_segments = false; // CPU: lockstep code between segments

  Lowerer(ModuleState& s, ir::FunctionId f) : state(s), ir(s.ir.function(f)), id(f), builder(s.context) {}
  bool gpu() const { return state.gpu(); }
};

// Whether something is computed for lane 0 alone or for all lanes.
enum class Form : std::uint8_t { Scalar, Vector };

// ---- values.cpp: types, slots and operands ----
llvm::Type* register_type(ModuleState& state, ScalarKind kind);
// The type of a bool in memory is i8; of every other scalar its register type.
llvm::Type* memory_type(ModuleState& state, ScalarKind kind);
llvm::PointerType* pointer_type(ModuleState& state, AddressSpace space);
llvm::Value* constant(Lowerer& lower, const ir::Operand& operand);
llvm::Value* read(Lowerer& lower, const ir::Operand& operand, Form form = Form::Scalar);
void write(Lowerer& lower, ir::SlotId slot, llvm::Value* value);
ArrayValue read_array(Lowerer& lower, const ir::Operand& array);
void write_array(Lowerer& lower, ir::SlotId slot, const ArrayValue& value);
llvm::Value* read_cell(Lowerer& lower, const Cell& cell);
void write_cell(Lowerer& lower, const Cell& cell, llvm::Value* value);
llvm::Value* cell_pointer(Lowerer& lower, const Cell& cell);
// Returns the cells of a slot of that type, without places.
SlotCells make_cells(ModuleState& state, Type type);
// Gives every cell of a slot an alloca; zero where `zero`.
void allocate(Lowerer& lower, SlotCells& slot, const std::string& name, bool zero);
llvm::AllocaInst* entry_alloca(Lowerer& lower, llvm::Type* type, const llvm::Twine& name = "");
llvm::BasicBlock* new_block(Lowerer& lower, const llvm::Twine& name);
// Moves to a block; the present one falls into it where it has not ended.
void enter(Lowerer& lower, llvm::BasicBlock* block);
bool ended(const Lowerer& lower);
llvm::ConstantInt* i32(ModuleState& state, std::int64_t value);
llvm::ConstantInt* i64(ModuleState& state, std::int64_t value);

// ---- expressions.cpp ----
void lower_assign(Lowerer& lower, const ir::Assign& assign);
llvm::Value* binary(Lowerer& lower, ir::BinaryOp op, ScalarKind kind, llvm::Value* left, llvm::Value* right);
llvm::Value* convert(Lowerer& lower, llvm::Value* value, ScalarKind from, ScalarKind to);

// ---- memory.cpp ----
llvm::Value* element_address(Lowerer& lower, const ArrayValue& array,
                             const std::vector<ir::Operand>& indices);
void lower_load(Lowerer& lower, const ir::Load& load);
void lower_store(Lowerer& lower, const ir::Store& store);
ArrayValue lower_view(Lowerer& lower, const ir::View& view);
ArrayValue lower_shared_array(Lowerer& lower, const ir::SharedArray& shared, Type type);
ArrayValue lower_local_array(Lowerer& lower, const ir::LocalArray& local, Type type);
// Returns the bytes of a static shared array.
std::uint64_t shared_bytes(const ir::SharedDecl& shared);
inline constexpr std::uint64_t not_placed = ~std::uint64_t{0};
ArrayValue lower_constant_array(Lowerer& lower, const ir::ConstantArray& constant, Type type);

// ---- builtins.cpp ----
llvm::Value* lower_builtin(Lowerer& lower, Builtin builtin, Type result, const std::vector<ir::Operand>& args,
                           Form form);
void lower_call_effect(Lowerer& lower, const ir::CallEffect& call);
// Calls the device or host function of that name ("sin") for a float type.
llvm::Value* call_math(Lowerer& lower, std::string_view name, ScalarKind kind,
                       llvm::ArrayRef<llvm::Value*> args);

// ---- atomics.cpp ----
void lower_atomic(Lowerer& lower, const ir::Atomic& atomic);

// ---- faults.cpp ----
void lower_guard(Lowerer& lower, const ir::Guard& guard);
void lower_check(Lowerer& lower, const ir::Check& check);
// Records a fault at the present point and leaves; ends the block.
void lower_fault(Lowerer& lower, std::uint32_t site, ir::FaultKind kind, int axis, llvm::Value* index,
                 llvm::Value* extent);

// ---- control_scalar.cpp ----
void lower_body(Lowerer& lower, const ir::Body& body);

// ---- calls.cpp ----
void lower_call(Lowerer& lower, const ir::Call& call);
void lower_return(Lowerer& lower, const ir::Return& stmt);
void lower_device_function(ModuleState& state, ir::FunctionId id);

// ---- print.cpp ----
void lower_print(Lowerer& lower, const ir::Print& print);

// ---- entry.cpp ----
void lower_gpu_kernel(ModuleState& state, ir::FunctionId id);
// Make the function of a CPU kernel, and load its parameter block.
void make_cpu_entry(Lowerer& lower);
void load_params(Lowerer& lower);
// Stores those of the parameters into their slots.
void write_params(Lowerer& lower, const std::vector<bool>& which);
// Loads the fields of `where` into the place.
void load_place(Lowerer& lower);
// Returns the value of a host's expression over the kernel's parameters.
llvm::Value* lower_host_expression(Lowerer& lower, const kern::Expression& expression);
// Says of each shared array whether a kernel, or what it calls, uses it.
std::vector<bool> find_used_shared(const ir::Module& module, ir::FunctionId id);

// ---- cpu_kernel.cpp, segments.cpp ----
CpuKernelLayout lower_cpu_kernel(ModuleState& state, ir::FunctionId id);
// Lowers what stands outside of segments, and the segments.
void lower_lockstep_body(Lowerer& lower, const ir::Body& body);
// Calls `body` once, to write the body of a loop over every thread of the block that has not left.
void for_each_thread(Lowerer& lower, const std::function<void()>& body);
// Writes a value that is one for the whole block to a slot, in every thread.
void write_everywhere(Lowerer& lower, ir::SlotId slot, const std::function<llvm::Value*()>& value);

} // namespace kern::lowering
