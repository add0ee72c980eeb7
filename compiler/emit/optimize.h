// The optimiser's passes for each target.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/lower/target.h"

namespace kern::emitting {

// The time of LLVM grows with the square of a function's length, and most with its blocks: at this size, it
// takes a second or two. The longest of the examples has 3,000 instructions, and on a GPU 1,000.
inline constexpr std::size_t most_instructions = 20'000;

// Returns the length of a function in instructions, with what its blocks count.
std::size_t size_of(const llvm::Function& function);

// Says whether a function is too long to be optimised as others are.
bool is_large(const llvm::Function& function);

// Optimises each function of a module for a machine, a large one only by what takes a time in proportion to
// its length; with 0 as `optimization` none.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, Target target, int optimization);

} // namespace kern::emitting
