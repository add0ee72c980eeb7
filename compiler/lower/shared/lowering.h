// The vocabulary of the columns Gpu and Cpu of builtins.def: what a builtin becomes on a target. Only lower/
// expands them.
#pragma once

#include "compiler/lower/shared/lowerer.h"

namespace kern::lowering {

// A call of a builtin whose lowering is a function of its own.
struct CustomCall {
  Builtin builtin;
  Type result; // types::none where there is none
  const std::vector<ir::Operand>& args;
  Form form;
  llvm::Value* address = nullptr; // of an atomic: its element
  AddressSpace space{};
  std::vector<llvm::Value*> values{}; // the arguments, where they are one lane's
  std::optional<ir::SiteId> site{};   // of a barrier that threads come to apart (CPU)

  // Returns an argument.
  llvm::Value* arg(Lowerer& lower, std::size_t index) const {
    return values.empty() ? read(lower, args[index], form) : values[index];
  }
};

// Lowers a call as the table says.
llvm::Value* lower_recipe(Lowerer& lower, const CustomCall& call);

using CustomFunction = llvm::Value* (*)(Lowerer&, const CustomCall&);

struct Recipe {
  enum class Kind : std::uint8_t { None, Intrinsic, Overloaded, Math, Field, Custom } kind;
  std::string_view name = {};
  bool has_other_form = false; // of Math: for f32 that may be approximate (GPU), for vectors (CPU)
  Field field{};
  CustomFunction custom = nullptr;
};

// Adds a number of each block of the grid, when all have come, and returns the sum to all threads.
using MeetBlocks = llvm::Value* (*)(Lowerer&, llvm::Value* number);
// The votes at barriers of the grid (grid_votes.cpp): of how many threads a condition holds, whether it does for all, and for any.
llvm::Value* count_in_grid(Lowerer& lower, const CustomCall& call, MeetBlocks meet);
llvm::Value* all_in_grid(Lowerer& lower, const CustomCall& call, MeetBlocks meet);
llvm::Value* any_in_grid(Lowerer& lower, const CustomCall& call, MeetBlocks meet);

// Returns what each builtin becomes on a target, by its number. The table names all functions below, so it stands above
// the files that have them, and who lowers a call finds it in the state of its module.
const Recipe* recipes_of(Target target);

// Declares the functions that the columns name by Custom(f). One that is nowhere does not link.
namespace vocabulary {
// NOLINTBEGIN(readability-identifier-naming): the words of the table.
#define None
#define Intrinsic(name)
#define Overloaded(name)
#define DeviceMath(name)
#define FastDeviceMath(name)
#define HostMath(name)
#define HostVectorMath(name)
#define Field(field)
#define Custom(function) llvm::Value* function(Lowerer&, const CustomCall&);
// NOLINTEND(readability-identifier-naming)
#define BUILTIN(Id, Signature, Effects, Gpu, Cpu, Doc) Gpu Cpu
#include "compiler/builtins/builtins.def"
#undef None
#undef Intrinsic
#undef Overloaded
#undef DeviceMath
#undef FastDeviceMath
#undef HostMath
#undef HostVectorMath
#undef Field
#undef Custom
} // namespace vocabulary

} // namespace kern::lowering
