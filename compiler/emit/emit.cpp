// A module of IR as LLVM text, bitcode, PTX, assembly, object or cubin. What comes out depends only on the
// input, the options and the device-math library.
#include "compiler/emit/emit.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/analysis/threads/kernel_lanes.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/emit.h"
#include "compiler/emit/archs.h"
#include "compiler/emit/compile.h"
#include "compiler/emit/device_math.h"
#include "compiler/emit/large.h"
#include "compiler/emit/local_memory.h"
#include "compiler/emit/machine.h"
#include "compiler/emit/memory.h"
#include "compiler/emit/optimize.h"
#include "compiler/emit/ptxas.h"
#include "compiler/emit/ptxas_defects.h"
#include "compiler/emit/resources.h"
#include "compiler/emit/tables.h"
#include "compiler/emit/verify_module.h"
#include "compiler/lower/lower.h"

namespace kern {

using namespace emitting;

namespace emitting {

Stopwatch::Stopwatch() : start_(std::chrono::steady_clock::now()) {}

double Stopwatch::lap() {
  auto now = std::chrono::steady_clock::now();
  std::chrono::duration<double, std::milli> passed = now - start_;
  start_ = now;
  return passed.count();
}

// With one lane there is no warp.
static bool can_do_warps(const ir::Module& module, const TargetOptions& options, Diagnostics& diagnostics) {
  if (options.target == Target::Cuda || options.lanes.lanes > 1) return true;
  bool can = true;
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    const ir::Function& function = module.functions[index];
    if (!is_wanted(function, options) || !uses_warps(module, function)) continue;
    diagnostics.report(function.span, diag::needs_warps, function.name);
    can = false;
  }
  return can;
}

// Builds without assertions trust the code.
static bool is_sound([[maybe_unused]] const Compiled& compiled, [[maybe_unused]] std::string_view phase,
                     [[maybe_unused]] Diagnostics& diagnostics) {
#ifdef NDEBUG
  return true;
#else
  return verify_module(*compiled.lowered.module, phase, diagnostics);
#endif
}

std::optional<Compiled> begin(const ir::Module& module, const SourceManager& sources,
                              const TargetOptions& options, llvm::LLVMContext& context,
                              Diagnostics& diagnostics, EmitTimes& times) {
  Stopwatch watch;
  llvm::TargetMachine* machine = find_machine(options, diagnostics);
  if (!machine || !can_do_warps(module, options, diagnostics)) return std::nullopt;
  Compiled result{lower(module, sources, options, *machine, context), machine};
  if (!is_sound(result, "lowering", diagnostics)) return std::nullopt;
  if (options.optimization != 0)
    report_large(*result.lowered.module, options.target, module, sources, diagnostics);
  times.lower += watch.lap();
  return result;
}

bool finish(Compiled& compiled, const TargetOptions& options, Diagnostics& diagnostics, EmitTimes& times) {
  Stopwatch watch;
  if (options.target == Target::Cuda) {
    compiled.device_math = link_device_math(*compiled.lowered.module, diagnostics);
    if (compiled.device_math.empty()) return false;
  }
  auto run = [&] {
    compiled.in_memory =
        optimize(*compiled.lowered.module, *compiled.machine, options.target, options.optimization);
  };
  options.target == Target::Cuda ? run_for_gpu(run) : run();
  times.optimize += watch.lap();
  return is_sound(compiled, "optimizing", diagnostics);
}

std::optional<Compiled> compile(const ir::Module& module, const SourceManager& sources,
                                const TargetOptions& options, llvm::LLVMContext& context,
                                Diagnostics& diagnostics, EmitTimes& times) {
  const bool names_places = options.line_info == LineInfo::None && options.target == Target::Cuda &&
                            diagnostics.wants(diag::local_memory);
  TargetOptions lowered = options;
  if (names_places) lowered.line_info = LineInfo::Lines;
  std::optional<Compiled> result = begin(module, sources, lowered, context, diagnostics, times);
  if (!result || !finish(*result, options, diagnostics, times)) return std::nullopt;
  report_local_memory(result->in_memory, module, sources, diagnostics);
  if (names_places) llvm::StripDebugInfo(*result->lowered.module);
  return result;
}

static bool has_variables(const llvm::Module& module) {
  return llvm::any_of(module.debug_compile_units(), [](const llvm::DICompileUnit* unit) {
    return unit->getEmissionKind() == llvm::DICompileUnit::FullDebug;
  });
}

llvm::MachineModuleInfoWrapperPass* add_code_generator(llvm::legacy::PassManager& passes,
                                                       llvm::LLVMTargetMachine& machine,
                                                       bool follows_variables) {
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);
  config->setDisableVerify(true);
  if (!follows_variables) config->disablePass(&llvm::LiveDebugValuesID);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) return nullptr;
  config->addMachinePasses();
  config->setInitialized();
  return info;
}

static bool run_passes(llvm::Module& module, llvm::TargetMachine& machine, bool object,
                       llvm::raw_pwrite_stream& out) {
  auto& target = static_cast<llvm::LLVMTargetMachine&>(machine);
  llvm::legacy::PassManager passes;
  auto* info = add_code_generator(passes, target, has_variables(module));
  if (!info) return false;
  auto kind = object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (target.addAsmPrinter(passes, out, nullptr, kind, info->getMMI().getContext())) return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return true;
}

bool generate(llvm::Module& module, llvm::TargetMachine& machine, bool object, llvm::raw_pwrite_stream& out) {
  static Once cpu, gpu;
  const bool is_gpu = machine.getTargetTriple().isNVPTX();
  (is_gpu ? gpu : cpu).run([&] { make_tables(machine, run_passes); });
  bool made = false;
  auto run = [&] { made = run_passes(module, machine, object, out); };
  is_gpu ? run_for_gpu(run) : run();
  return made;
}

} // namespace emitting

// Text of the module as it is; without the names of passes or files.
static std::string print_module(llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

static std::string machine_code(Compiled& compiled, OutputKind kind) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  bool made = generate(*compiled.lowered.module, *compiled.machine, kind == OutputKind::Object, out);
  assert(made);
  (void)made;
  return std::string(bytes);
}

// LLVM numbers the calls of a process in comments; the text must not depend on what was compiled before.
static std::string without_call_numbers(const std::string& ptx) {
  constexpr std::string_view mark = " // callseq ";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = ptx.find(mark); at != ptx.npos; at = ptx.find(mark, from)) {
    result.append(ptx, from, at - from);
    from = ptx.find('\n', at);
  }
  return result.append(ptx, from);
}

static std::string print_bitcode(llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return bytes;
}

static std::optional<std::string> make_cubin(const std::string& ptx, const TargetOptions& options,
                                             Diagnostics& diagnostics) {
  Assembled assembled = assemble(ptx, gpu_arch(options), is_for_debugger(options));
  if (!assembled.cubin.empty()) return std::move(assembled.cubin);
  if (assembled.found)
    diagnostics.report(std::nullopt, diag::ptxas_failed, assembled.messages);
  else
    diagnostics.report(std::nullopt, diag::no_ptxas);
  return std::nullopt;
}

std::optional<std::string> emit(const ir::Module& module, const SourceManager& sources,
                                const TargetOptions& options, OutputKind kind, Diagnostics& diagnostics,
                                EmitTimes* times) {
  EmitTimes unwanted;
  EmitTimes& spent = times ? *times : unwanted;
  MakingCode making; // before anything of LLVM takes memory
  llvm::LLVMContext context;
  std::optional<Compiled> compiled = compile(module, sources, options, context, diagnostics, spent);
  if (!compiled) return std::nullopt;
  Stopwatch watch;
  std::string output;
  switch (kind) {
  case OutputKind::Llvm: output = print_module(*compiled->lowered.module); break;
  case OutputKind::Bitcode: output = print_bitcode(*compiled->lowered.module); break;
  case OutputKind::Assembly:
  case OutputKind::Object: output = machine_code(*compiled, kind); break;
  case OutputKind::Ptx:
  case OutputKind::Cubin:
    output = "// device math: " + compiled->device_math + "\n" +
             avoid_ptxas_defects(without_call_numbers(machine_code(*compiled, kind)));
    report_spills(output, gpu_arch(options), is_for_debugger(options), module, diagnostics);
    break;
  }
  spent.generate += watch.lap();
  if (kind == OutputKind::Cubin) return make_cubin(output, options, diagnostics);
  return output;
}

} // namespace kern
