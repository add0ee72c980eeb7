// Loop strength reduction, where it costs more registers than it saves instructions.
#pragma once

#include <llvm/IR/Function.h>

namespace kern::emitting {

// Keeps LLVM's loop strength reduction from the loops of a function: it sees no counter in them. Comes last, as it hides
// them from every pass. For functions that hold loops twice, once for when their guards fail: the pass keeps a register
// for each address and each index of both copies, and a GPU's kernel has as many registers as its worst place needs
// (on an H200 a sparse product took 1.24 times as long for it, a step of an FFT 1.18).
void hide_loop_counters(llvm::Function& function);

} // namespace kern::emitting
