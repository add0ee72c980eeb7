// The optimiser's passes for each target.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/emit/local_arrays.h"
#include "compiler/lower/target.h"

namespace kern::emitting {

// Returns the length of a function in instructions, with what its blocks count.
std::size_t size_of(const llvm::Function& function);

// Returns the length above which a function is optimised little. On a CPU the time of LLVM grows with the square of
// a length, as each statement is a vector's with a mask: 20,000 instructions take it two seconds or so. On a GPU it
// is in proportion to the length once some passes are bounded by themselves: 200,000 take four seconds. The longest
// function of the examples has 3,000 instructions on a CPU, and 1,000 on a GPU.
std::size_t most_instructions(Target target);

// Says whether a function is too long to be optimised as others are.
bool is_large(const llvm::Function& function, Target target);

// Optimises each function of a module for a machine, a large one only by what takes a time in proportion to
// its length; with 0 as `optimization` none. Returns the local arrays of a GPU's functions that loops keep in memory.
std::vector<InMemory> optimize(llvm::Module& module, llvm::TargetMachine& machine, Target target,
                               int optimization);

} // namespace kern::emitting
