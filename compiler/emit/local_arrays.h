// Local arrays on a GPU. A register has no address: LLVM keeps an array in registers where every index is a constant,
// so loops of constant bound that count such indices have to be written out.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace kern::emitting {

// Why a local array is in memory.
enum class Keeps : std::uint8_t {
  Index,    // one is not made of constants and counters of loops of constant bound
  Rounds,   // a loop counts an index, and how often it runs is no constant
  Unrolled, // a loop counts an index, and the program says how it is unrolled
  Address,  // the array is handed on to where its accesses are not seen
  Size,     // it has more bytes than there are registers
  Length,   // its loops, written out, would be too long
};

// A local array that is in memory.
struct InMemory {
  llvm::DebugLoc array; // where the program makes it
  Keeps why;
  llvm::DebugLoc place; // of the access or the loop; none of Size
};

// Writes out the loops that keep local arrays in memory, where that lets all indices of such an array become constants, and
// optimises their functions again. It runs behind the optimiser's own rounds, which have written out short loops by then.
class LocalArraysPass : public llvm::PassInfoMixin<LocalArraysPass> {
public:
  // `kept` gets the arrays that stay in memory and have a place.
  LocalArraysPass(llvm::PassBuilder& builder, std::vector<InMemory>& kept) : builder_(builder), kept_(kept) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

private:
  void find_kept(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

  llvm::PassBuilder& builder_;
  std::vector<InMemory>& kept_;
};

} // namespace kern::emitting
