// The tables are statics of functions: which types a value has, which instructions take an operand from memory. LLVM is compiled
// without exceptions, so where memory ends just then the static stays locked, and whoever needs it next waits for ever.
// Few of them can be reached from outside; the code generator reaches each of them.
#include "compiler/emit/tables.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/InitializePasses.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/SourceMgr.h>

#include "compiler/emit/compile.h"

namespace kern::emitting {

// Constants of 512 bits in memory: one that could be moved out of its loop, and one that could be a broadcast.
static constexpr const char* text = R"(
define void @f(ptr %p, i64 %n) #0 {
entry:
  %a = load <16 x i32>, ptr %p
  %b = xor <16 x i32> %a, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16>
  store <16 x i32> %b, ptr %p
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%k, %loop]
  %at = getelementptr <16 x i32>, ptr %p, i64 %i
  %c = load <16 x i32>, ptr %at
  %d = add <16 x i32> %c, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  store <16 x i32> %d, ptr %at
  %k = add i64 %i, 1
  %more = icmp ult i64 %k, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
attributes #0 = { "target-cpu"="x86-64-v4" "target-features"="-prefer-256-bit" }
)";

void make_tables(llvm::TargetMachine& machine,
                 bool (*generate)(llvm::Module&, llvm::TargetMachine&, bool, llvm::raw_pwrite_stream&)) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  assert(module);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  const bool is_gpu = machine.getTargetTriple().isNVPTX();
  if (is_gpu) module->getFunction("f")->setAttributes({});
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
  machine.setOptLevel(llvm::CodeGenOptLevel::Default);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  generate(*module, machine, !is_gpu, out);
  machine.setOptLevel(level);
}

// A pass enters itself where it is first made; those of a GPU can be reached in no other way. A CPU's enter with their target.
static void make_gpu_passes() {
  const std::string triple = "nvptx64-nvidia-cuda";
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", {}, llvm::Reloc::PIC_));
  llvm::legacy::PassManager passes;
  add_code_generator(passes, static_cast<llvm::LLVMTargetMachine&>(*machine), true);
}

// Passes take memory while they read the registry, under its lock: where there is none, the lock stays taken by a reader, and
// whoever had to write to the registry later would wait for ever.
void register_passes() {
  llvm::PassRegistry& passes = *llvm::PassRegistry::getPassRegistry();
  llvm::initializeCore(passes);
  llvm::initializeAnalysis(passes);
  llvm::initializeTransformUtils(passes);
  llvm::initializeScalarOpts(passes);
  llvm::initializeVectorization(passes);
  llvm::initializeCodeGen(passes);
  llvm::initializeRegAllocScoringPass(passes);
  llvm::initializeTarget(passes);
  make_gpu_passes();
}

} // namespace kern::emitting
