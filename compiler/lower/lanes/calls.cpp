// Device functions of a vector of lanes that were not inlined: they take the lanes that call and return those
// that live, so a fault in one takes its lane out of the kernel. Their code is masked throughout.
#include "compiler/lower/lanes/lanes.h"

namespace kern::lowering {

static std::vector<llvm::Type*> hidden_types(const Lowerer& lower) {
  auto* pointer = llvm::PointerType::get(lower.state.context, 0);
  auto* word = llvm::Type::getInt32Ty(lower.state.context);
  return {pointer, pointer, word, word, word, word, pointer, pointer, mask_type(lower)};
}

static std::vector<llvm::Value*> hidden_args(Lowerer& lower) {
  std::vector<llvm::Value*> args = {lower.record, lower.place.where};
  args.insert(args.end(), std::begin(lower.place.thread), std::end(lower.place.thread));
  args.push_back(lower.lanes.linear_id ? lower.lanes.linear_id : i32(lower.state, 0));
  args.push_back(lower.scratch.base);
  args.push_back(lower.scratch.dynamic_shared);
  args.push_back(lower.builder.CreateSExt(active_lanes(lower), mask_type(lower)));
  return args;
}

static void take_hidden_args(Lowerer& lower) {
  llvm::Function& function = *lower.function;
  lower.record = function.getArg(0);
  lower.place.where = function.getArg(1);
  for (unsigned axis = 0; axis < 3; ++axis) lower.place.thread[axis] = function.getArg(2 + axis);
  if (lower.facts.linear_thread_id) lower.lanes.linear_id = function.getArg(5);
  lower.scratch.base = function.getArg(6);
  lower.scratch.dynamic_shared = function.getArg(7);
  lower.scratch.shared = lower.state.device_shared;
  Lanes& lanes = lower.lanes;
  for (llvm::Value** slot : {&lanes.active, &lanes.present, &lanes.live}) {
    *slot = new_mask_slot(lower, "lanes");
    lower.builder.CreateStore(function.getArg(8), *slot);
  }
  lanes.masked = true;
  load_place(lower);
}

// The parts of a result; each is a vector.
static std::vector<llvm::Type*> result_types(const Lowerer& lower, const ir::Function& function) {
  std::vector<llvm::Type*> types;
  for (Type result : function.results)
    for (llvm::Type* part : cell_types(lower.state, result))
      types.push_back(part->isIntegerTy(1) ? mask_type(lower) : vector_of(lower, part));
  types.push_back(mask_type(lower));
  return types;
}

// The cells of a callee's parameters, by its own shapes.
static std::vector<Cell> param_cells(const Lowerer& lower, ir::FunctionId id) {
  Lowerer callee(lower.state, id, lower.facts);
  callee.shapes = analyze_shapes(lower.state.ir, id, lower.facts);
  std::vector<Cell> cells;
  for (std::uint32_t param = 0; param < callee.ir.param_count; ++param)
    for (const Cell& cell : make_cells(callee, param).cells) cells.push_back(cell);
  return cells;
}

static FunctionParts parts_of(Lowerer& lower, ir::FunctionId id) {
  FunctionParts parts{hidden_types(lower), result_types(lower, lower.state.ir.function(id))};
  for (const Cell& cell : param_cells(lower, id)) parts.params.push_back(cell.type);
  return parts;
}

// A value in the form of a parameter.
static llvm::Value* in_form_of(Lowerer& lower, const Value& value, const Cell& cell) {
  if (cell.shape.kind != Shape::Kind::Varying) return value.value;
  llvm::Value* vector = to_vector(lower, value);
  return cell.is_bool ? lower.builder.CreateSExt(vector, mask_type(lower)) : vector;
}

void call_lanes(Lowerer& lower, const ir::Call& call) {
  llvm::IRBuilder<>& builder = lower.builder;
  const ir::Function& callee = lower.state.ir.function(call.function);
  std::vector<llvm::Value*> args = hidden_args(lower);
  std::vector<Cell> cells = param_cells(lower, call.function);
  std::size_t next = 0;
  for (const ir::Operand& arg : call.args)
    for (const Value& part : read_parts(lower, arg)) args.push_back(in_form_of(lower, part, cells[next++]));
  llvm::Value* packed = builder.CreateCall(called_function(lower, call.function, parts_of), args);
  unsigned part = 0;
  for (std::size_t result = 0; result < callee.results.size() && result < call.results.size(); ++result) {
    Type type = callee.results[result];
    auto take = [&] {
      llvm::Value* vector = builder.CreateExtractValue(packed, part++);
      if (type == types::boolean)
        vector = builder.CreateICmpNE(vector, llvm::Constant::getNullValue(vector->getType()));
      return Value{vector, varying_shape};
    };
    if (!is_array(type)) {
      write_value(lower, call.results[result], take());
      continue;
    }
    ArrayValue array{take(), take(), {}, {}, type->scalar, type->space};
    for (int axis = 0; axis < type->rank; ++axis) array.extents.push_back(take());
    for (int axis = 0; axis < type->rank; ++axis) array.strides.push_back(take());
    write_array(lower, call.results[result], array);
  }
  llvm::Value* live = builder.CreateExtractValue(packed, packed->getType()->getStructNumElements() - 1);
  live = builder.CreateICmpNE(live, llvm::Constant::getNullValue(live->getType()));
  after_call(lower, call, live);
}

// A function's results: those of the lanes that return here.
static void keep_results(Lowerer& lower, const ir::Return& stmt) {
  std::size_t part = 0;
  for (const ir::Operand& operand : stmt.values)
    for (const Value& value : read_parts(lower, operand)) {
      llvm::AllocaInst* slot = llvm::cast<llvm::AllocaInst>(lower.result_slots[part++]);
      bool is_bool = operand.type == types::boolean;
      llvm::Value* vector = to_vector(lower, value);
      llvm::Value* old =
          is_bool ? load_mask(lower, slot) : lower.builder.CreateLoad(slot->getAllocatedType(), slot);
      llvm::Value* kept = blend(lower, vector, old);
      if (is_bool) {
        store_mask(lower, slot, kept);
      } else {
        lower.builder.CreateStore(kept, slot);
      }
    }
}

static void remove_active(Lowerer& lower, llvm::Value* slot) {
  llvm::Value* rest =
      lower.builder.CreateAnd(load_mask(lower, slot), lower.builder.CreateNot(active_lanes(lower)));
  store_mask(lower, slot, rest);
}

void return_lanes(Lowerer& lower, const ir::Return& stmt) {
  Lanes& lanes = lower.lanes;
  if (!lower.ir.is_kernel) keep_results(lower, stmt);
  if (!lanes.masked) {
    store_mask(lower, lanes.present, full_mask(lower, false));
    lower.builder.CreateBr(lanes.end);
    return;
  }
  remove_active(lower, lanes.present);
  store_mask(lower, lanes.active, full_mask(lower, false));
  lower.builder.CreateBr(lanes.skip);
}

void lower_lane_function(ModuleState& state, const PendingFunction& pending) {
  Lowerer lower(state, pending.id, pending.facts);
  lower.function = called_function(lower, pending.id, parts_of);
  lower.shapes = analyze_shapes(state.ir, pending.id, pending.facts);
  begin_function(lower);
  take_hidden_args(lower);
  unsigned arg = static_cast<unsigned>(hidden_types(lower).size());
  for (std::size_t index = 0; index < lower.ir.slots.size(); ++index) {
    lower.slots.push_back(make_cells(lower, index));
    bool is_param = index < lower.ir.param_count;
    allocate(lower, lower.slots.back(), lower.ir.slots[index].name, !is_param);
    if (!is_param) continue;
    for (const Cell& cell : lower.slots.back().cells) {
      llvm::Argument* value = lower.function->getArg(arg++);
      if (!cell.known) lower.builder.CreateStore(value, cell.pointer);
    }
  }
  make_results(lower, result_types(lower, lower.ir));
  classify_conditions(lower);
  lower.lanes.end = lower.lanes.skip = new_block(lower, "return");
  enter(lower, new_block(lower, "start"));
  lower_lane_body(lower, lower.ir.body);
  enter(lower, lower.lanes.end);
  lower.result_slots.back() = lower.lanes.live;
  return_results(lower);
  describe_variables(lower);
}

} // namespace kern::lowering
