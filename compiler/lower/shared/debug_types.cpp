// Types of variables as DWARF tells them: scalars under the names that they have in Kern, arrays as the
// structure {data, extent, stride} under the type as it is written.
#include <llvm/BinaryFormat/Dwarf.h>

#include "compiler/lower/shared/debug_info.h"

namespace kern::lowering {

static unsigned encoding(ScalarKind kind) {
  switch (scalar_class(kind)) {
  case ScalarClass::Boolean: return llvm::dwarf::DW_ATE_boolean;
  case ScalarClass::Signed: return llvm::dwarf::DW_ATE_signed;
  case ScalarClass::Unsigned: return llvm::dwarf::DW_ATE_unsigned;
  case ScalarClass::Float: return llvm::dwarf::DW_ATE_float;
  case ScalarClass::Complex: return llvm::dwarf::DW_ATE_complex_float;
  }
  __builtin_unreachable();
}

llvm::DIType* DebugInfo::scalar(ScalarKind kind) {
  llvm::DIType*& type = types_[{kind, 1}];
  if (type) return type;
  std::string name = to_string(types::scalar(kind));
  auto bits = static_cast<std::uint64_t>(bit_width(kind));
  if (kind != ScalarKind::BF16) return type = builder_->createBasicType(name, bits, encoding(kind));
  // Debuggers know this float of 16 bits by its name only; without it they take it for an f16.
  llvm::DIType* known = builder_->createBasicType("__bf16", bits, encoding(kind));
  return type = builder_->createTypedef(known, name, nullptr, 0, nullptr);
}

llvm::DIType* DebugInfo::vector(ScalarKind kind, unsigned lanes) {
  llvm::DIType*& type = types_[{kind, lanes}];
  if (type) return type;
  llvm::DIType* element = scalar(kind);
  auto bits = static_cast<std::uint64_t>(bit_width(kind));
  llvm::Metadata* range = builder_->getOrCreateSubrange(0, lanes);
  return type = builder_->createVectorType(bits * lanes, 0, element, builder_->getOrCreateArray({range}));
}

llvm::DIType* DebugInfo::extents(unsigned rank) {
  llvm::Metadata* range = builder_->getOrCreateSubrange(0, rank);
  return builder_->createArrayType(64ULL * rank, 0, scalar(ScalarKind::I64),
                                   builder_->getOrCreateArray({range}));
}

// Returns the address class by which cuda-gdb knows a memory, if a pointer into it must name one: a generic
// pointer reaches the rest.
static std::optional<unsigned> address_class(AddressSpace space) {
  if (space == AddressSpace::Shared) return 8;
  if (space == AddressSpace::Constant) return 4;
  return std::nullopt;
}

llvm::DIType* DebugInfo::array(Type type) {
  llvm::DIType*& found = arrays_[&*type];
  if (found) return found;
  const unsigned rank = type->rank;
  llvm::DIType* data = builder_->createPointerType(scalar(type->scalar), 64, 0,
                                                   is_gpu_ ? address_class(type->space) : std::nullopt);
  llvm::DIType* counts = extents(rank);
  llvm::DIFile* source = file(FileId{0});
  auto member = [&](const char* name, std::uint64_t words, std::uint64_t at, llvm::DIType* of) {
    return builder_->createMemberType(source, name, source, 0, 64 * words, 0, 64 * at, llvm::DINode::FlagZero,
                                      of);
  };
  llvm::Metadata* members[] = {member("data", 1, 0, data), member("extent", rank, 1, counts),
                               member("stride", rank, 1 + rank, counts)};
  return found =
             builder_->createStructType(source, to_string(type), source, 0, 64 * (1 + 2ULL * rank), 0,
                                        llvm::DINode::FlagZero, nullptr, builder_->getOrCreateArray(members));
}

} // namespace kern::lowering
