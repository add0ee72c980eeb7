// Types, slots and operands: where a value lives and how it is read. Slots are allocas, which LLVM turns into
// registers, or, on the CPU, fields of the scratch record of a vector where they outlive a segment.
#include "compiler/lower/lowerer.h"

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
  case AddressSpace::Constant: return llvm::PointerType::get(state.context, 4);
  }
  __builtin_unreachable();
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

llvm::Value* read_cell(Lowerer& lower, const Cell& cell) {
  if (cell.known) return cell.known;
  return lower.builder.CreateLoad(cell.type, cell_pointer(lower, cell));
}

void write_cell(Lowerer& lower, const Cell& cell, llvm::Value* value) {
  if (cell.known) return;
  lower.builder.CreateStore(value, cell_pointer(lower, cell));
}

static const SlotCells& cells_of(Lowerer& lower, ir::SlotId slot) {
  return lower.slots[static_cast<std::size_t>(slot)];
}

llvm::Value* read(Lowerer& lower, const ir::Operand& operand, Form) {
  if (!operand.slot) return constant(lower, operand);
  return read_cell(lower, cells_of(lower, *operand.slot).cells[0]);
}

void write(Lowerer& lower, ir::SlotId slot, llvm::Value* value) {
  write_cell(lower, cells_of(lower, slot).cells[0], value);
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

void write_array(Lowerer& lower, ir::SlotId slot, const ArrayValue& value) {
  const std::vector<Cell>& cells = cells_of(lower, slot).cells;
  write_cell(lower, cells[0], value.base);
  write_cell(lower, cells[1], value.offset);
  std::size_t rank = value.extents.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    write_cell(lower, cells[2 + axis], value.extents[axis]);
    write_cell(lower, cells[2 + rank + axis], value.strides[axis]);
  }
}

SlotCells make_cells(ModuleState& state, Type type) {
  SlotCells slot;
  if (!is_array(type)) {
    slot.cells.push_back({.type = register_type(state, type->scalar)});
    return slot;
  }
  llvm::Type* word = llvm::Type::getInt64Ty(state.context);
  slot.cells.push_back({.type = pointer_type(state, type->space)});
  for (int index = 0; index < 1 + 2 * type->rank; ++index) slot.cells.push_back({.type = word});
  if (type->layout == Layout::COrder) slot.cells.back().known = i64(state, 1);
  return slot;
}

void allocate(Lowerer& lower, SlotCells& slot, const std::string& name, bool zero) {
  for (Cell& cell : slot.cells) {
    if (cell.known) continue;
    cell.pointer = entry_alloca(lower, cell.type, name);
    if (zero) lower.builder.CreateStore(llvm::Constant::getNullValue(cell.type), cell.pointer);
  }
}

} // namespace kern::lowering
