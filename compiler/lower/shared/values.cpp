// Types, slots and operands: where a value lives and how it is read. Slots are allocas, which LLVM turns into
// registers, or, on the CPU, fields of the scratch record of a vector where they outlive a segment.
#include "compiler/lower/shared/vectors.h"

namespace kern::lowering {

llvm::ConstantInt* i32(ModuleState& state, std::int64_t value) {
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(state.context), static_cast<std::uint64_t>(value),
                                true);
}

llvm::ConstantInt* i64(ModuleState& state, std::int64_t value) {
  return llvm::ConstantInt::get(llvm::Type::getInt64Ty(state.context), static_cast<std::uint64_t>(value),
                                true);
}

// f16 and bf16 are their bits: arithmetic happens in f32.
llvm::Type* register_type(ModuleState& state, ScalarKind kind) {
  llvm::LLVMContext& context = state.context;
  switch (kind) {
  case ScalarKind::Bool: return llvm::Type::getInt1Ty(context);
  case ScalarKind::I8:
  case ScalarKind::U8: return llvm::Type::getInt8Ty(context);
  case ScalarKind::I16:
  case ScalarKind::U16:
  case ScalarKind::F16:
  case ScalarKind::BF16: return llvm::Type::getInt16Ty(context);
  case ScalarKind::I32:
  case ScalarKind::U32: return llvm::Type::getInt32Ty(context);
  case ScalarKind::I64:
  case ScalarKind::U64: return llvm::Type::getInt64Ty(context);
  case ScalarKind::F32: return llvm::Type::getFloatTy(context);
  case ScalarKind::F64: return llvm::Type::getDoubleTy(context);
  case ScalarKind::C64: return llvm::FixedVectorType::get(llvm::Type::getFloatTy(context), 2);
  case ScalarKind::C128: return llvm::FixedVectorType::get(llvm::Type::getDoubleTy(context), 2);
  }
  __builtin_unreachable();
}

llvm::Type* memory_type(ModuleState& state, ScalarKind kind) {
  if (kind == ScalarKind::Bool) return llvm::Type::getInt8Ty(state.context);
  return register_type(state, kind);
}

llvm::PointerType* pointer_type(ModuleState& state, AddressSpace space) {
  if (!state.gpu()) return llvm::PointerType::get(state.context, 0);
  switch (space) {
  case AddressSpace::Global: return llvm::PointerType::get(state.context, 1);
  case AddressSpace::Shared: return llvm::PointerType::get(state.context, 3);
  case AddressSpace::Local: return llvm::PointerType::get(state.context, 0);
  case AddressSpace::Constant:
    return llvm::PointerType::get(state.context, state.constants_are_global ? 1 : 4);
  }
  __builtin_unreachable();
}

static LaneFacts of_one_lane(LaneFacts facts) {
  facts.lanes = 1;
  facts.linear_thread_id = facts.block_x_multiple = false;
  return facts;
}

Lowerer::Lowerer(const Lowerer& vector, llvm::BasicBlock* otherwise)
    : Lowerer(vector.state, vector.id, of_one_lane(vector.facts)) {
  function = vector.function;
  builder.SetInsertPoint(vector.builder.GetInsertBlock());
  builder.setFastMathFlags(vector.builder.getFastMathFlags());
  builder.SetCurrentDebugLocation(vector.builder.getCurrentDebugLocation());
  slots = vector.slots;
  undo = otherwise;
  record = vector.record;
  place = vector.place;
  scratch = vector.scratch;
}

void begin_function(Lowerer& lower) {
  lower.state.debug.begin_function(*lower.function, lower.ir);
  lower.builder.SetInsertPoint(new_block(lower, "entry"));
  lower.state.debug.set_location(lower.builder, lower.ir.span, {});
  if (!lower.fast_math) return;
  // Not nnan and ninf: NaN and infinity occur.
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  flags.setAllowReciprocal();
  flags.setAllowContract(true);
  flags.setApproxFunc();
  flags.setNoSignedZeros();
  lower.builder.setFastMathFlags(flags);
}

llvm::BasicBlock* new_block(Lowerer& lower, const llvm::Twine& name) {
  return llvm::BasicBlock::Create(lower.state.context, name, lower.function);
}

bool ended(const Lowerer& lower) {
  llvm::BasicBlock* block = lower.builder.GetInsertBlock();
  return block->getTerminator() != nullptr;
}

void enter(Lowerer& lower, llvm::BasicBlock* block) {
  if (!ended(lower)) lower.builder.CreateBr(block);
  lower.builder.SetInsertPoint(block);
}

llvm::AllocaInst* entry_alloca(Lowerer& lower, llvm::Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& entry = lower.function->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

llvm::Value* constant(Lowerer& lower, const ir::Operand& operand) {
  llvm::Type* type = register_type(lower.state, operand.type->scalar);
  ScalarKind kind = operand.type->scalar;
  if (!is_float(operand.type)) return llvm::ConstantInt::get(type, operand.bits);
  llvm::APFloat value(llvm::APInt(64, operand.bits).bitsToDouble());
  bool inexact = false;
  if (kind == ScalarKind::F16 || kind == ScalarKind::BF16) {
    value.convert(kind == ScalarKind::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(),
                  llvm::APFloat::rmNearestTiesToEven, &inexact);
    return llvm::ConstantInt::get(type, value.bitcastToAPInt());
  }
  if (kind == ScalarKind::F32)
    value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return llvm::ConstantFP::get(type, value);
}

llvm::Value* cell_pointer(Lowerer& lower, const Cell& cell) {
  if (cell.pointer) return cell.pointer;
  return lower.builder.CreateConstInBoundsGEP1_64(lower.builder.getInt8Ty(), lower.scratch.record,
                                                  cell.offset);
}

static bool is_varying(Shape shape) { return shape.kind == Shape::Kind::Varying; }

// A vector of bools is kept as a mask, which need not be <W x i1>.
static bool is_mask(const Cell& cell) { return cell.is_bool && is_varying(cell.shape); }

// Records are aligned to a cache line, which is less than LLVM expects of long vectors.
static llvm::Align alignment(const Lowerer& lower, const Cell& cell) {
  llvm::Align natural = lower.state.module.getDataLayout().getABITypeAlign(cell.type);
  return cell.pointer ? natural : std::min(natural, llvm::Align(64));
}

// Scratch holds both records and shared arrays, which LLVM could not tell apart: a sum that outlives a
// barrier was stored after each of its terms (matmul in L1: 0.65 of the time without).
static void tag_record(Lowerer& lower, const Cell& cell, llvm::Instruction* access) {
  if (!cell.pointer) access->setMetadata(llvm::LLVMContext::MD_tbaa, lower.state.record_tag);
}

llvm::Instruction* tag_element(Lowerer& lower, llvm::Instruction* access) {
  access->setMetadata(llvm::LLVMContext::MD_tbaa, lower.state.element_tag);
  return access;
}

Value read_cell(Lowerer& lower, const Cell& cell) {
  if (cell.known) return {cell.known, {}};
  llvm::LoadInst* load =
      lower.builder.CreateAlignedLoad(cell.type, cell_pointer(lower, cell), alignment(lower, cell));
  tag_record(lower, cell, load);
  llvm::Value* value = load;
  if (is_mask(cell) && !lower.state.has_avx512) value = lower.builder.CreateIsNotNull(value);
  return {value, cell.shape};
}

void write_cell(Lowerer& lower, const Cell& cell, llvm::Value* value) {
  if (cell.known) return;
  if (is_varying(cell.shape)) value = splat(lower, value);
  if (is_mask(cell)) value = lower.builder.CreateSExt(value, cell.type);
  tag_record(lower, cell,
             lower.builder.CreateAlignedStore(value, cell_pointer(lower, cell), alignment(lower, cell)));
}

void write_zero(Lowerer& lower, const Cell& cell) {
  if (cell.known) return;
  llvm::Value* zero = llvm::Constant::getNullValue(cell.type);
  tag_record(lower, cell,
             lower.builder.CreateAlignedStore(zero, cell_pointer(lower, cell), alignment(lower, cell)));
}

static const SlotCells& cells_of(Lowerer& lower, ir::SlotId slot) {
  return lower.slots[static_cast<std::size_t>(slot)];
}

Shape shape_of(const Lowerer& lower, const ir::Operand& operand) {
  return lower.is_vector() ? lower.shapes.of(operand) : uniform_shape;
}

Value read_value(Lowerer& lower, const ir::Operand& operand) {
  if (!operand.slot) return {constant(lower, operand), {}};
  return read_cell(lower, cells_of(lower, *operand.slot).cells[0]);
}

llvm::Value* read(Lowerer& lower, const ir::Operand& operand, Form form) {
  Value value = read_value(lower, operand);
  assert(form == Form::Vector || !is_varying(value.shape));
  return form == Form::Vector ? to_vector(lower, value) : value.value;
}

static void write_part(Lowerer& lower, const Cell& cell, const Value& value, bool blends) {
  if (cell.known) return;
  if (!is_varying(cell.shape)) {
    assert(!is_varying(value.shape));
    return write_cell(lower, cell, value.value);
  }
  llvm::Value* vector = to_vector(lower, value);
  if (blends) vector = blend(lower, vector, read_cell(lower, cell).value);
  write_cell(lower, cell, vector);
}

// Says whether lanes that are not active keep what they have. A Temp is assigned once, before every use, so
// nobody sees what such lanes get.
static bool blends(const Lowerer& lower, ir::SlotId slot) {
  return lower.lanes.masked && lower.ir.slots[static_cast<std::size_t>(slot)].kind != ir::Slot::Kind::Temp;
}

// A variable that runs on changes in all lanes; what is kept apart, in those that are active.
static void write_running(Lowerer& lower, Cell cell, const Value& value, llvm::Value* kept) {
  write_part(lower, cell, value, false);
  cell.pointer = kept;
  write_part(lower, cell, value, true);
}

void write_value(Lowerer& lower, ir::SlotId slot, const Value& value) {
  const Cell& cell = cells_of(lower, slot).cells[0];
  auto kept = lower.lanes.kept.find(slot);
  if (kept != lower.lanes.kept.end()) return write_running(lower, cell, value, kept->second);
  write_part(lower, cell, value, blends(lower, slot));
}

void write(Lowerer& lower, ir::SlotId slot, llvm::Value* value) {
  Shape shape = value->getType()->isVectorTy() && lower.is_vector() ? varying_shape : Shape{};
  write_value(lower, slot, {value, shape});
}

ArrayValue read_array(Lowerer& lower, const ir::Operand& array) {
  const std::vector<Cell>& cells = cells_of(lower, *array.slot).cells;
  ArrayValue value{read_cell(lower, cells[0]), read_cell(lower, cells[1]), {}, {},
                   array.type->scalar,         array.type->space};
  std::size_t rank = array.type->rank;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    value.extents.push_back(read_cell(lower, cells[2 + axis]));
    value.strides.push_back(read_cell(lower, cells[2 + rank + axis]));
  }
  return value;
}

// Moves the offset into the base where debuggers want that.
static void move_offset(Lowerer& lower, ir::SlotId slot, ArrayValue& value) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value.offset.value);
  if (!has_offset_in_base(lower, cells_of(lower, slot)) || (known && known->isZero())) return;
  llvm::Type* element = memory_type(lower.state, value.element);
  value.base.value = lower.builder.CreateGEP(element, value.base.value, value.offset.value);
  value.offset.value = i64(lower.state, 0);
}

void write_array(Lowerer& lower, ir::SlotId slot, ArrayValue value) {
  const std::vector<Cell>& cells = cells_of(lower, slot).cells;
  bool blended = blends(lower, slot);
  move_offset(lower, slot, value);
  write_part(lower, cells[0], value.base, blended);
  write_part(lower, cells[1], value.offset, blended);
  std::size_t rank = value.extents.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    write_part(lower, cells[2 + axis], value.extents[axis], blended);
    write_part(lower, cells[2 + rank + axis], value.strides[axis], blended);
  }
}

std::vector<llvm::Type*> cell_types(ModuleState& state, Type type) {
  if (!is_array(type)) return {register_type(state, type->scalar)};
  std::vector<llvm::Type*> types = {pointer_type(state, type->space)};
  types.insert(types.end(), 1 + 2 * type->rank, llvm::Type::getInt64Ty(state.context));
  return types;
}

// The shapes of a slot's parts, in the order of its cells.
static std::vector<Shape> part_shapes(const Lowerer& lower, std::size_t slot) {
  Type type = lower.ir.slots[slot].type;
  std::size_t count = is_array(type) ? 2 + 2 * type->rank : 1;
  if (!lower.is_vector()) return std::vector<Shape>(count);
  if (!is_array(type)) return {lower.shapes.slots[slot]};
  const ArrayShape& array = lower.shapes.arrays[slot];
  std::vector<Shape> shapes = {array.base, array.offset};
  shapes.insert(shapes.end(), array.extents.begin(), array.extents.end());
  shapes.insert(shapes.end(), array.strides.begin(), array.strides.end());
  shapes.resize(count);
  return shapes;
}

// Puts the strides that the type or the analysis promises in place of cells.
static void know_strides(Lowerer& lower, std::size_t slot, SlotCells& cells) {
  Type type = lower.ir.slots[slot].type;
  if (type->layout == Layout::COrder) cells.cells.back().known = i64(lower.state, 1);
  if (!lower.is_vector()) return;
  const ArrayShape& shape = lower.shapes.arrays[slot];
  for (std::size_t axis = 0; axis < shape.known_strides.size(); ++axis)
    if (shape.known_strides[axis])
      cells.cells[2 + type->rank + axis].known = i64(lower.state, *shape.known_strides[axis]);
}

SlotCells make_cells(Lowerer& lower, std::size_t slot) {
  ModuleState& state = lower.state;
  Type type = lower.ir.slots[slot].type;
  std::vector<Shape> shapes = part_shapes(lower, slot);
  std::vector<llvm::Type*> types = cell_types(state, type);
  SlotCells result;
  for (std::size_t part = 0; part < types.size(); ++part) {
    Cell cell{.type = types[part], .shape = shapes[part], .is_bool = types[part]->isIntegerTy(1)};
    if (is_varying(cell.shape)) cell.type = cell.is_bool ? mask_type(lower) : vector_of(lower, cell.type);
    result.cells.push_back(cell);
  }
  if (is_array(type)) know_strides(lower, slot, result);
  return result;
}

void allocate(Lowerer& lower, SlotCells& slot, const std::string& name, bool zero) {
  for (Cell& cell : slot.cells) {
    if (cell.known) continue;
    cell.pointer = entry_alloca(lower, cell.type, name);
    if (zero) write_zero(lower, cell);
  }
}

} // namespace kern::lowering
