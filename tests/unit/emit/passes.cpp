// Nobody writes to LLVM's registry of passes once code is made: its lock may have stayed taken by a reader that ran out of memory.
#include <llvm/Pass.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>

#include <cstdlib>
#include <iostream>

#include "compiler/diagnostics/diagnostics.h"
#include "launch.h"

namespace kern::test {
namespace {

struct Listener : llvm::PassRegistrationListener {
  void passRegistered(const llvm::PassInfo* pass) override {
    std::cerr << "entered: " << pass->getPassName().str() << "\n";
    ++entered;
  }
  int entered = 0;
};

void emit_empty(OutputKind kind, Target target, int optimization) {
  ir::Module module;
  FunctionBuilder f(module, "nothing", true);
  if (target == Target::Cpu) cut_segments(module);
  TargetOptions options;
  options.target = target;
  options.optimization = optimization;
  SourceManager sources;
  Diagnostics diagnostics;
  if (!emit(module, sources, options, kind, diagnostics)) std::exit(2);
}

// In a process where no code was made before.
TEST(Passes, AreAllEnteredAtTheStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        emit_empty(OutputKind::Llvm, Target::Cpu, 0); // knows the targets, and generates nothing
        Listener listener;
        llvm::PassRegistry::getPassRegistry()->addRegistrationListener(&listener);
        for (const int optimization : {0, 1, 3}) {
          emit_empty(OutputKind::Object, Target::Cpu, optimization);
          emit_empty(OutputKind::Ptx, Target::Cuda, optimization);
        }
        std::exit(listener.entered == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace kern::test
