// Device functions that were not inlined: internal functions over the parts of their parameters. On the CPU
// they also take the thread's place and say whether the thread left in them; on the GPU a fault ends the
// thread where it happens.
#include "compiler/lower/shared/lowerer.h"
#include "compiler/lower/shared/zeroed.h"

namespace kern::lowering {

// Returns the arguments that a function takes of its caller before its own parameters.
static std::vector<llvm::Value*> hidden_args(Lowerer& lower) {
  std::vector<llvm::Value*> args = {lower.record};
  if (lower.gpu()) return args;
  args.push_back(lower.place.where);
  args.insert(args.end(), std::begin(lower.place.thread), std::end(lower.place.thread));
  args.push_back(lower.scratch.base);
  args.push_back(lower.scratch.dynamic_shared);
  return args;
}

static std::vector<llvm::Type*> hidden_types(ModuleState& state) {
  auto* pointer = llvm::PointerType::get(state.context, state.gpu() ? 1 : 0);
  if (state.gpu()) return {pointer};
  auto* word = llvm::Type::getInt32Ty(state.context);
  return {pointer, pointer, word, word, word, pointer, pointer};
}

static std::vector<llvm::Type*> result_types(ModuleState& state, const ir::Function& function) {
  std::vector<llvm::Type*> types;
  for (Type result : function.results)
    for (llvm::Type* part : cell_types(state, result)) types.push_back(part);
  if (!state.gpu()) types.push_back(llvm::Type::getInt1Ty(state.context));
  return types;
}

llvm::Function* called_function(Lowerer& lower, ir::FunctionId id,
                                FunctionParts (*parts_of)(Lowerer&, ir::FunctionId)) {
  ModuleState& state = lower.state;
  const LaneFacts& facts = lower.facts;
  llvm::Function*& found = state.functions[{id, facts.lanes, facts.linear_thread_id, facts.block_x_multiple,
                                            state.constants_are_global}];
  if (found) return found;
  state.pending.push_back({id, facts});
  const ir::Function& function = state.ir.function(id);
  const FunctionParts parts = parts_of(lower, id);
  // PTX has no results without parts.
  llvm::Type* result = parts.results.empty() ? llvm::Type::getVoidTy(state.context)
                                             : llvm::StructType::get(state.context, parts.results);
  std::string name = "kern_" + std::to_string(static_cast<std::uint32_t>(id)) + "_" + function.name;
  found = llvm::Function::Create(llvm::FunctionType::get(result, parts.params, false),
                                 llvm::GlobalValue::InternalLinkage, name, state.module);
  found->addFnAttr(llvm::Attribute::NoUnwind);
  if (function.is_recursive) found->addFnAttr(llvm::Attribute::NoInline);
  // It may hold a collective; LLVM takes the attribute off where it does not.
  if (state.gpu()) found->addFnAttr(llvm::Attribute::Convergent);
  return found;
}

std::vector<Value> read_parts(Lowerer& lower, const ir::Operand& operand) {
  if (!is_array(operand.type)) return {read_value(lower, operand)};
  std::vector<Value> parts;
  for (const Cell& cell : lower.slots[static_cast<std::size_t>(*operand.slot)].cells)
    parts.push_back(read_cell(lower, cell));
  return parts;
}

void make_results(Lowerer& lower, std::span<llvm::Type* const> types) {
  for (llvm::Type* type : types) {
    lower.result_slots.push_back(entry_alloca(lower, type, "result"));
    lower.builder.CreateStore(llvm::Constant::getNullValue(type), lower.result_slots.back());
  }
}

void return_results(Lowerer& lower) {
  if (lower.result_slots.empty()) {
    lower.builder.CreateRetVoid();
    return;
  }
  llvm::Value* packed = llvm::PoisonValue::get(lower.function->getReturnType());
  for (unsigned part = 0; part < lower.result_slots.size(); ++part) {
    llvm::Type* type = packed->getType()->getStructElementType(part);
    llvm::Value* value = lower.builder.CreateLoad(type, lower.result_slots[part]);
    packed = lower.builder.CreateInsertValue(packed, value, part);
  }
  lower.builder.CreateRet(packed);
}

static FunctionParts parts_of(Lowerer& lower, ir::FunctionId id) {
  const ir::Function& function = lower.state.ir.function(id);
  FunctionParts parts{hidden_types(lower.state), result_types(lower.state, function)};
  for (std::uint32_t param = 0; param < function.param_count; ++param)
    std::ranges::copy(cell_types(lower.state, function.slots[param].type), std::back_inserter(parts.params));
  return parts;
}

void lower_call(Lowerer& lower, const ir::Call& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  const ir::Function& callee = lower.state.ir.function(call.function);
  std::vector<llvm::Value*> args = hidden_args(lower);
  for (const ir::Operand& arg : call.args)
    for (const Value& part : read_parts(lower, arg)) args.push_back(part.value);
  llvm::Value* packed = builder.CreateCall(called_function(lower, call.function, parts_of), args);
  unsigned part = 0;
  if (!lower.gpu()) {
    llvm::BasicBlock* stay = new_block(lower, "stay");
    unsigned last = packed->getType()->getStructNumElements() - 1;
    builder.CreateCondBr(builder.CreateExtractValue(packed, last), lower.leave, stay);
    builder.SetInsertPoint(stay);
  }
  for (std::size_t result = 0; result < callee.results.size(); ++result) {
    std::size_t parts = cell_types(lower.state, callee.results[result]).size();
    if (result >= call.results.size()) break;
    const SlotCells& slot = lower.slots[static_cast<std::size_t>(call.results[result])];
    for (std::size_t index = 0; index < parts; ++index)
      write_cell(lower, slot.cells[index], builder.CreateExtractValue(packed, part++));
  }
}

void lower_return(Lowerer& lower, const ir::Return& stmt) {
  if (lower.ir.is_kernel) {
    if (lower.before_return) lower.before_return(lower);
    lower.builder.CreateBr(lower.leave);
    return;
  }
  std::size_t part = 0;
  for (const ir::Operand& operand : stmt.values)
    for (const Value& value : read_parts(lower, operand))
      lower.builder.CreateStore(value.value, lower.result_slots[part++]);
  lower.builder.CreateBr(lower.return_block);
}

static void take_hidden_args(Lowerer& lower) {
  lower.record = lower.function->getArg(0);
  if (lower.gpu()) return;
  lower.place.where = lower.function->getArg(1);
  for (unsigned axis = 0; axis < 3; ++axis) lower.place.thread[axis] = lower.function->getArg(2 + axis);
  lower.scratch.base = lower.function->getArg(5);
  lower.scratch.dynamic_shared = lower.function->getArg(6);
  lower.scratch.shared = lower.state.device_shared;
  load_place(lower);
}

static void make_slots(Lowerer& lower) {
  unsigned arg = static_cast<unsigned>(hidden_types(lower.state).size());
  std::vector<bool> zeroed = find_zeroed(lower.ir, find_unset_reads(lower.ir));
  for (std::size_t index = 0; index < lower.ir.slots.size(); ++index) {
    const ir::Slot& slot = lower.ir.slots[index];
    bool is_param = index < lower.ir.param_count;
    lower.slots.push_back(make_cells(lower, index));
    allocate(lower, lower.slots.back(), slot.name, zeroed[index]);
    if (!is_param) continue;
    for (const Cell& cell : lower.slots.back().cells) write_cell(lower, cell, lower.function->getArg(arg++));
  }
  make_results(lower, result_types(lower.state, lower.ir));
}

// Sets the flag that the thread left, on the CPU.
static void make_exits(Lowerer& lower) {
  lower.return_block = new_block(lower, "return");
  if (lower.gpu()) return;
  llvm::IRBuilder<>::InsertPointGuard guard(lower.builder);
  lower.leave = new_block(lower, "leave");
  lower.builder.SetInsertPoint(lower.leave);
  lower.builder.CreateStore(lower.builder.getTrue(), lower.result_slots.back());
  lower.builder.CreateBr(lower.return_block);
}

void lower_device_function(ModuleState& state, const PendingFunction& pending) {
  Lowerer lower(state, pending.id, pending.facts);
  lower.function = called_function(lower, pending.id, parts_of);
  begin_function(lower);
  take_hidden_args(lower);
  make_slots(lower);
  make_exits(lower);
  llvm::BasicBlock* start = new_block(lower, "start");
  enter(lower, start);
  lower_body(lower, lower.ir.body);
  enter(lower, lower.return_block);
  return_results(lower);
  describe_variables(lower);
}

} // namespace kern::lowering
