// Elements of arrays: addresses, loads, stores, views; and where shared, local and constant arrays are.
#include <llvm/IR/GlobalVariable.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "compiler/lower/shared/lowering.h"
#include "compiler/lower/shared/vectors.h"
#include "kern/abi.h"

namespace kern::lowering {

static bool is_uniform(const Value& value) { return value.shape.kind == Shape::Kind::Uniform; }

// Whether lanes have offsets that do not step alike, or by what is known at run time only.
static bool varies(const Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices) {
  auto is_varying = [](const Value& value) { return value.shape.kind == Shape::Kind::Varying; };
  bool varying =
      is_varying(array.offset) || std::any_of(array.strides.begin(), array.strides.end(), is_varying);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    Shape::Kind kind = shape_of(lower, indices[axis]).kind;
    bool scales = kind == Shape::Kind::Linear && !llvm::isa<llvm::ConstantInt>(array.strides[axis].value);
    varying = varying || kind == Shape::Kind::Varying || scales;
  }
  return lower.is_vector() && varying;
}

// Whether a term is the same in all lanes where others are not. Such terms move the base instead of the
// offsets: what is left often stays as it is over a loop, and what follows from it.
static auto moves_base(const Lowerer& lower, const ArrayValue& array,
                       const std::vector<ir::Operand>& indices) {
  const bool others_vary =
      varies(lower, array, indices) && is_uniform(array.base) && array.space != AddressSpace::Local;
  return [others_vary](Shape index, Shape stride) {
    return others_vary && index.kind == Shape::Kind::Uniform && stride.kind == Shape::Kind::Uniform;
  };
}

// A guard, or a proof, stands before every access, and the launch refuses arrays whose span passes 2^62
// bytes: an index times its stride, and their sum, stay within the array and cannot wrap. In masked code the
// same is known only of the lanes that are active.
Value place_base(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices) {
  const bool exact = !lower.lanes.masked && !lower.facts.small_arrays;
  const auto moves = moves_base(lower, array, indices);
  Value common;
  if (moves(uniform_shape, array.offset.shape)) common = array.offset;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (!moves(shape_of(lower, indices[axis]), array.strides[axis].shape)) continue;
    Value term = multiply_values(lower, read_value(lower, indices[axis]), array.strides[axis], exact);
    common = common.value ? add_values(lower, common, term, exact) : term;
  }
  Value base = array.base;
  auto* none = llvm::dyn_cast_or_null<llvm::Constant>(common.value);
  if (common.value && !(none && none->isNullValue()))
    base.value = lower.builder.CreateGEP(memory_type(lower.state, array.element), base.value, common.value);
  return base;
}

// Offsets that vary are counted in 32 bits where that is promised: half as many registers, and gathers twice
// as wide. Indices of 32 bits say that no sum leaves them.
Value place_offset(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices) {
  llvm::IRBuilder<>& builder = lower.builder;
  const bool narrow = lower.facts.small_arrays && varies(lower, array, indices);
  const bool has_i32 = !indices.empty() && indices.front().type == types::i32;
  const bool exact = !lower.lanes.masked && !narrow;
  llvm::Type* type = narrow || has_i32 ? builder.getInt32Ty() : builder.getInt64Ty();
  auto part = [&](Value value) {
    if (narrow || has_i32)
      value.value = builder.CreateTrunc(value.value, value.value->getType()->getWithNewType(type));
    return value;
  };
  const auto moves = moves_base(lower, array, indices);
  Value offset;
  if (!moves(uniform_shape, array.offset.shape)) offset = part(array.offset);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (moves(shape_of(lower, indices[axis]), array.strides[axis].shape)) continue;
    Value term =
        multiply_values(lower, part(read_value(lower, indices[axis])), part(array.strides[axis]), exact);
    offset = offset.value ? add_values(lower, offset, term, exact) : term;
  }
  if (lower.is_vector() && array.space == AddressSpace::Local) {
    offset = multiply_values(lower, offset, {llvm::ConstantInt::get(type, lower.lane_count())}, exact);
    offset = add_values(lower, offset, {llvm::ConstantInt::get(type, 0), linear_shape(1)}, exact);
  }
  if (has_i32) offset.value = builder.CreateSExt(offset.value, builder.getInt64Ty());
  return offset;
}

ElementPlace element_place(Lowerer& lower, const ArrayValue& array, const std::vector<ir::Operand>& indices) {
  return {place_base(lower, array, indices), place_offset(lower, array, indices)};
}

llvm::Value* element_address(Lowerer& lower, const ArrayValue& array, const ElementPlace& place) {
  llvm::Type* element = memory_type(lower.state, array.element);
  return lower.builder.CreateGEP(element, place.base.value, place.offset.value, "", !lower.lanes.masked);
}

llvm::Align element_alignment(ScalarKind kind) {
  int bytes = bit_width(kind) / 8;
  if (scalar_class(kind) == ScalarClass::Complex) bytes /= 2;
  return llvm::Align(static_cast<std::uint64_t>(bytes));
}

void lower_load(Lowerer& lower, const ir::Load& load) {
  llvm::IRBuilder<>& builder = lower.builder;
  ArrayValue array = read_array(lower, load.array);
  llvm::Value* address = element_address(lower, array, element_place(lower, array, load.indices));
  if (llvm::Value* hinted = load_hinted(lower, array, address, load.hint))
    return write(lower, load.slot,
                 array.element == ScalarKind::Bool ? builder.CreateIsNotNull(hinted) : hinted);
  llvm::LoadInst* loaded = builder.CreateAlignedLoad(memory_type(lower.state, array.element), address,
                                                     element_alignment(array.element));
  loaded->setVolatile(load.is_polled);
  llvm::Value* value = tag_element(lower, loaded);
  // Shared memory starts undefined; frozen, an element never written is merely unspecified.
  if (array.space == AddressSpace::Shared) value = builder.CreateFreeze(value);
  if (array.element == ScalarKind::Bool) value = builder.CreateIsNotNull(value);
  write(lower, load.slot, value);
}

void lower_store(Lowerer& lower, const ir::Store& store) {
  llvm::IRBuilder<>& builder = lower.builder;
  ArrayValue array = read_array(lower, store.array);
  llvm::Value* value = read(lower, store.value);
  if (array.element == ScalarKind::Bool) value = builder.CreateZExt(value, builder.getInt8Ty());
  llvm::Value* address = element_address(lower, array, element_place(lower, array, store.indices));
  if (store_hinted(lower, array, address, value, store.hint)) return;
  tag_element(lower, builder.CreateAlignedStore(value, address, element_alignment(array.element)));
}

// One of the two parts of each complex element, as an array of floats: they lie side by side.
static ArrayValue parts_of_elements(Lowerer& lower, ArrayValue array, int part) {
  array.element = part_type(types::scalar(array.element))->scalar;
  Value two{i64(lower.state, 2)};
  array.offset = multiply_values(lower, array.offset, two, false);
  array.offset = add_values(lower, array.offset, {i64(lower.state, part)}, false);
  for (Value& stride : array.strides) stride = multiply_values(lower, stride, two, false);
  return array;
}

ArrayValue lower_view(Lowerer& lower, const ir::View& view) {
  ArrayValue from = read_array(lower, view.array);
  if (view.part) from = parts_of_elements(lower, std::move(from), *view.part);
  ArrayValue result{from.base, from.offset, {}, {}, from.element, from.space};
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    const ir::ViewAxis& part = view.axes[axis];
    Value step = multiply_values(lower, read_value(lower, part.start), from.strides[axis], false);
    result.offset = add_values(lower, result.offset, step, false);
    if (part.kind == ir::ViewAxis::Kind::Index) continue;
    result.extents.push_back(read_value(lower, part.count));
    result.strides.push_back(multiply_values(lower, read_value(lower, part.step), from.strides[axis], false));
  }
  return result;
}

// Returns the address of an array's first element.
static Value first_element(Lowerer& lower, const ArrayValue& array) {
  llvm::Value* address =
      lower.builder.CreateGEP(memory_type(lower.state, array.element), array.base.value, array.offset.value);
  const bool is_uniform =
      array.base.shape.kind == Shape::Kind::Uniform && array.offset.shape.kind == Shape::Kind::Uniform;
  return {address, is_uniform ? uniform_shape : varying_shape};
}

Value misalignment(Lowerer& lower, const ir::Misalignment& e) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Value first = first_element(lower, read_array(lower, e.array));
  llvm::Type* word = first.value->getType()->getWithNewType(builder.getInt64Ty());
  llvm::Value* address = builder.CreatePtrToInt(first.value, word);
  return {builder.CreateAnd(address, llvm::ConstantInt::get(word, static_cast<std::uint64_t>(e.bytes) - 1)),
          first.shape};
}

ArrayValue lower_restride(Lowerer& lower, const ir::Restride& form, Type type) {
  ArrayValue from = read_array(lower, form.array);
  ArrayValue result{from.base, from.offset, {}, {}, type->scalar, from.space};
  const std::int64_t parts = bit_width(from.element) / bit_width(type->scalar);
  if (parts > 1) result.offset = multiply_values(lower, from.offset, {i64(lower.state, parts)}, false);
  // The offset need not be a whole number of wider elements: only the address that it leads to is.
  if (parts == 0) result.base = first_element(lower, from), result.offset = {i64(lower.state, 0)};
  for (const ir::Operand& extent : form.extents) result.extents.push_back(read_value(lower, extent));
  for (const ir::Operand& stride : form.strides) result.strides.push_back(read_value(lower, stride));
  return result;
}

// Fills in the strides of C order.
static void set_dense_strides(Lowerer& lower, ArrayValue& array) {
  array.strides.resize(array.extents.size());
  llvm::Value* stride = i64(lower.state, 1);
  for (std::size_t axis = array.extents.size(); axis-- > 0;) {
    array.strides[axis] = {stride};
    stride = lower.builder.CreateMul(stride, array.extents[axis].value);
  }
}

static ArrayValue dense_array(Lowerer& lower, llvm::Value* base, const std::vector<std::int64_t>& extents,
                              Type type) {
  ArrayValue array{{base}, {i64(lower.state, 0)}, {}, {}, type->scalar, type->space};
  for (std::int64_t extent : extents) array.extents.push_back({i64(lower.state, extent)});
  set_dense_strides(lower, array);
  return array;
}

static std::uint64_t product(const std::vector<std::int64_t>& extents) {
  std::uint64_t count = 1;
  for (std::int64_t extent : extents) count *= static_cast<std::uint64_t>(extent);
  return count;
}

ScalarKind cell_kind(ScalarKind element) {
  Type type = types::scalar(element);
  return is_complex(type) ? part_type(type)->scalar : element;
}

// The cells that memory is made of.
struct Cells {
  ScalarKind kind;
  std::uint64_t count;
};

static Cells cells_of(ScalarKind element, const std::vector<std::int64_t>& extents) {
  ScalarKind kind = cell_kind(element);
  return {kind, (kind == element ? 1 : 2) * product(extents)};
}

// ---- Shared arrays ----

static bool is_dynamic(const ir::SharedDecl& shared) { return shared.extents.empty(); }

llvm::GlobalVariable* new_shared(ModuleState& state, llvm::Type* type, const llvm::Twine& name,
                                 std::uint64_t alignment) {
  auto* global = new llvm::GlobalVariable(state.module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), name, nullptr,
                                          llvm::GlobalValue::NotThreadLocal, 3);
  global->setAlignment(llvm::Align(alignment));
  return global;
}

llvm::GlobalVariable* shared_word(ModuleState& state, llvm::Type* type, const char* name) {
  if (llvm::GlobalVariable* word = state.module.getNamedGlobal(name)) return word;
  return new_shared(state, type, name, type->getScalarSizeInBits() / 8);
}

static llvm::GlobalVariable* shared_global(ModuleState& state, ir::SharedId id) {
  llvm::GlobalVariable*& global = state.shared[static_cast<std::size_t>(id)];
  if (global) return global;
  const ir::SharedDecl& shared = state.ir.shared[static_cast<std::size_t>(id)];
  Cells cells = cells_of(shared.element, shared.extents);
  llvm::Type* type = llvm::ArrayType::get(memory_type(state, cells.kind), cells.count);
  global = new_shared(state, type, "kern_shared_" + std::to_string(static_cast<std::uint32_t>(id)),
                      static_cast<std::uint64_t>(shared.alignment));
  return global;
}

llvm::Value* vocabulary::dynamic_shared_bytes(Lowerer& lower, const CustomCall&) {
  constexpr std::uint64_t field = offsetof(kern_launch_record, shared_bytes);
  llvm::Value* address =
      lower.builder.CreateConstInBoundsGEP1_64(lower.builder.getInt8Ty(), lower.record, field);
  return lower.builder.CreateLoad(lower.builder.getInt64Ty(), address);
}

// The alignment of dynamic shared memory on a GPU: of what has a place in it.
static llvm::Align dynamic_alignment(const ModuleState& state) {
  std::int64_t alignment = 16;
  for (std::size_t id = 0; id < state.ir.shared.size(); ++id)
    if (state.shared_layout.offset(ir::SharedId(id)))
      alignment = std::max(alignment, state.ir.shared[id].alignment);
  return llvm::Align(static_cast<std::uint64_t>(alignment));
}

// Returns a place in the dynamic shared memory of a GPU.
static llvm::Value* dynamic_shared_at(Lowerer& lower, std::uint64_t offset) {
  const char* name = "kern_dynamic_shared";
  llvm::GlobalVariable* global = lower.state.module.getNamedGlobal(name);
  if (!global) {
    auto* type = llvm::ArrayType::get(lower.builder.getInt8Ty(), 0);
    global = new llvm::GlobalVariable(lower.state.module, type, false, llvm::GlobalValue::ExternalLinkage,
                                      nullptr, name, nullptr, llvm::GlobalValue::NotThreadLocal, 3);
    global->setAlignment(dynamic_alignment(lower.state));
  }
  return lower.builder.CreateConstInBoundsGEP1_64(lower.builder.getInt8Ty(), global, offset);
}

static llvm::Value* dynamic_shared_base(Lowerer& lower) {
  if (!lower.gpu()) return lower.scratch.dynamic_shared;
  return dynamic_shared_at(lower, lower.state.shared_layout.dynamic_begin());
}

// Dynamic arrays lie one after the other in the order of their declarations, each aligned to 16 bytes;
// Numba's aliased ones all begin at the start.
static llvm::Value* dynamic_offset(Lowerer& lower, ir::SharedId id) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* offset = i64(lower.state, 0);
  for (ir::SharedId before : lower.used_shared) {
    const ir::SharedDecl& shared = lower.state.ir.shared[static_cast<std::size_t>(before)];
    if (before == id) break;
    if (!is_dynamic(shared) || shared.aliased) continue;
    llvm::Value* bytes = i64(lower.state, bit_width(shared.element) / 8);
    for (const kern::Expression& extent : shared.dynamic)
      bytes = builder.CreateMul(bytes, lower_host_expression(lower, extent));
    offset = builder.CreateAdd(
        offset, builder.CreateAnd(builder.CreateAdd(bytes, i64(lower.state, 15)), i64(lower.state, -16)));
  }
  return offset;
}

static ArrayValue dynamic_array(Lowerer& lower, const ir::SharedArray& shared, Type type) {
  const ir::SharedDecl& decl = lower.state.ir.shared[static_cast<std::size_t>(shared.id)];
  llvm::Value* base = dynamic_shared_base(lower);
  ArrayValue array{{base}, {i64(lower.state, 0)}, {}, {}, type->scalar, type->space};
  if (!decl.aliased)
    array.base.value =
        lower.builder.CreateGEP(lower.builder.getInt8Ty(), base, dynamic_offset(lower, shared.id));
  for (const ir::Operand& extent : shared.extents) array.extents.push_back(read_value(lower, extent));
  set_dense_strides(lower, array);
  return array;
}

ArrayValue lower_shared_array(Lowerer& lower, const ir::SharedArray& shared, Type type) {
  const ir::SharedDecl& decl = lower.state.ir.shared[static_cast<std::size_t>(shared.id)];
  if (is_dynamic(decl)) return dynamic_array(lower, shared, type);
  std::optional<std::uint64_t> offset = lower.state.shared_layout.offset(shared.id);
  if (lower.gpu() && offset) return dense_array(lower, dynamic_shared_at(lower, *offset), decl.extents, type);
  if (lower.gpu()) return dense_array(lower, shared_global(lower.state, shared.id), decl.extents, type);
  llvm::Value* base =
      lower.builder.CreateConstInBoundsGEP1_64(lower.builder.getInt8Ty(), lower.scratch.base,
                                               lower.scratch.shared[static_cast<std::size_t>(shared.id)]);
  return dense_array(lower, base, decl.extents, type);
}

// ---- Local and constant arrays ----

// Lanes interleave: element e of lane l stands at e * lanes + l, so that one index in all lanes is one
// vector. Offsets and strides count elements of one lane; the address is made from them at each access.
LocalArrayPlace place_local_array(Lowerer& lower, const ir::LocalArray& local, Type type) {
  llvm::IRBuilder<>& builder = lower.builder;
  auto [kind, count] = cells_of(type->scalar, local.extents);
  llvm::Type* element = memory_type(lower.state, kind);
  llvm::Value* base = nullptr;
  auto kept = lower.scratch.local_arrays.find(&local);
  if (kept != lower.scratch.local_arrays.end()) {
    llvm::Value* area = kept->second.in_record ? lower.scratch.record : lower.scratch.base;
    base = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), area, kept->second.offset);
  } else {
    llvm::AllocaInst* alloca =
        entry_alloca(lower, llvm::ArrayType::get(element, count * lower.lane_count()), "local");
    alloca->setDebugLoc(builder.getCurrentDebugLocation()); // names the array in -Wlocal_memory
    if (lower.is_vector()) alloca->setAlignment(llvm::Align(64));
    base = alloca;
  }
  ArrayValue array{{base}, {i64(lower.state, 0)}, {}, {}, type->scalar, type->space};
  for (std::int64_t extent : local.extents) array.extents.push_back({i64(lower.state, extent)});
  set_dense_strides(lower, array);
  return {array, kind, count};
}

ArrayValue lower_local_array(Lowerer& lower, const ir::LocalArray& local, Type type) {
  auto [array, kind, count] = place_local_array(lower, local, type);
  std::uint64_t bytes = count * static_cast<std::uint64_t>(bit_width(kind) / 8);
  lower.builder.CreateMemSet(array.base.value, lower.builder.getInt8(0), bytes, element_alignment(kind));
  return array;
}

// The elements as they lie in memory: a constant of LLVM for each of a million would take seconds.
static llvm::Constant* constant_data(Lowerer& lower, const ir::ConstantDecl& decl) {
  ScalarKind kind = cell_kind(decl.element);
  llvm::Type* element = memory_type(lower.state, kind);
  const auto bytes = static_cast<std::size_t>(bit_width(kind)) / 8;
  std::string data;
  data.reserve(decl.values.size() * bytes);
  for (std::uint64_t bits : decl.values) {
    if (kind == ScalarKind::F32)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    else if (kind == ScalarKind::F16 || kind == ScalarKind::BF16)
      bits = llvm::cast<llvm::ConstantInt>(constant(lower, {types::scalar(kind), std::nullopt, bits}))
                 ->getZExtValue();
    for (std::size_t k = 0; k < bytes; ++k) data += static_cast<char>(bits >> (8 * k));
  }
  return llvm::ConstantDataArray::getRaw(data, decl.values.size(), element);
}

static llvm::GlobalVariable* constant_global(Lowerer& lower, ir::ConstantId id, Type type) {
  ModuleState& state = lower.state;
  llvm::GlobalVariable*& global = state.constants[state.constants_are_global][static_cast<std::size_t>(id)];
  if (global) return global;
  const ir::ConstantDecl& decl = state.ir.constants[static_cast<std::size_t>(id)];
  llvm::Constant* values = constant_data(lower, decl);
  llvm::Type* array_type = values->getType();
  unsigned space = pointer_type(state, type->space)->getAddressSpace();
  global = new llvm::GlobalVariable(state.module, array_type, true, llvm::GlobalValue::InternalLinkage,
                                    values, "kern_constant_" + std::to_string(static_cast<std::uint32_t>(id)),
                                    nullptr, llvm::GlobalValue::NotThreadLocal, space);
  global->setAlignment(llvm::Align(16));
  return global;
}

ArrayValue lower_constant_array(Lowerer& lower, const ir::ConstantArray& constant, Type type) {
  const ir::ConstantDecl& decl = lower.state.ir.constants[static_cast<std::size_t>(constant.id)];
  return dense_array(lower, constant_global(lower, constant.id, type), decl.extents, type);
}

} // namespace kern::lowering
