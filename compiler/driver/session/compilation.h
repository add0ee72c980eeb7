// The compiler as one object: text in, any form out. Each step runs once, when a later one needs it, and
// what it made stays as it is; after an error the forms behind it are not there. kernc, the tests and the JIT
// use this.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/analysis/launch/kernel_facts.h"
#include "compiler/check/check.h"
#include "compiler/check/load.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/driver/session/streams.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/object.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"
#include "compiler/transform/transform.h"

namespace kern {

// For which targets guards leave their loops.
enum class LoopGuards : std::uint8_t { Cuda, Every, None };

struct CompileOptions {
  std::optional<Dialect> dialect; // the root's; its suffix decides where there is none
  CheckOptions check;
  WarningOptions warnings;
  GuardMode guards = GuardMode::On;
  bool clamps = false; // a thread with a bad index goes on
  bool contract = true;
  bool for_debugger = false; // loads stay where they are written: -O0 -g
  LoopGuards loops = LoopGuards::Cuda;
  std::vector<SpecializationRequest> specializations;
  bool cancellable = false;              // loops ask if the launch is to end
  std::vector<std::string> define_files; // read for the values of check.defines
  std::vector<PrefixMapping> prefix_map; // how outputs name files
  FindModule find_module;                // who finds imported files; only the stdlib where it is empty
};

// The passes of transform.h.
enum class Pass : std::uint8_t {
#define PASS(Id, Name, Targets, Code) Id,
#include "compiler/transform/passes.def"
};

// Their names, in the order in which they run.
inline constexpr std::string_view pass_names[] = {
#define PASS(Id, Name, Targets, Code) Name,
#include "compiler/transform/passes.def"
};

// Which targets a pass is for.
enum class PassTargets : std::uint8_t { Every, Cuda, Cpu };
inline constexpr PassTargets pass_targets[] = {
#define PASS(Id, Name, Targets, Code) PassTargets::Targets,
#include "compiler/transform/passes.def"
};
// Says whether a pass is among those of a target.
constexpr bool is_for(Pass pass, Target target) {
  PassTargets targets = pass_targets[static_cast<std::size_t>(pass)];
  return targets == PassTargets::Every || (targets == PassTargets::Cpu) == (target == Target::Cpu);
}

// The time that a phase took.
struct PhaseTime {
  std::string phase;
  double milliseconds;
};

class Compilation {
public:
  explicit Compilation(CompileOptions options);

  // Takes the root file, of the user or of the standard library; every other member needs it.
  void set_source(std::string name, std::string text, bool is_library = false);
  // Takes that of another compilation.
  void set_source_of(const Compilation& other);
  // Loads and parses the root and what it imports; null where an error was reported.
  const Program* program();
  // Checks the program; null where an error was reported.
  const ir::Module* module();
  // Changes what module() is checked with; for a root whose parameters must be seen first.
  void set_signatures(std::vector<Signature> signatures) {
    options_.check.signatures = std::move(signatures);
  }
  // Leaves alone what this kernel does not need; module() checks anew.
  void set_only(std::string_view kernel) {
    options_.check.only = kernel;
    checked_.reset();
  }
  // Runs the passes that every target begins with; null where an error was reported. What a host has to know
  // of kernels is read off this module: parameters, contracts, sizes of shared arrays.
  const ir::Module* transformed();
  // Runs the passes of a target behind those, on a copy of its own where there are any; null where an error
  // was reported. This is what is lowered for it.
  const ir::Module* module_for(Target target);
  // Returns what is known of a kernel of the transformed module, which must be there.
  const KernelFacts& facts(ir::FunctionId kernel);
  // Returns the places that can fault, or print, in the transformed module and behind them those that the
  // passes of targets found so far: a number in the code of any target means one in this table.
  std::span<const ir::Site> sites() const { return sites_; }

  // Return a form as text; nothing where an error was reported.
  std::optional<std::string> tokens();
  std::optional<std::string> ast();
  // The IR as it was checked, or with these passes on top; or as it is lowered for a target.
  std::optional<std::string> ir(std::span<const Pass> passes = {});
  std::optional<std::string> ir(Target target);
  // Say what became of the guards where they stand, by what every target knows; or of those in each variant
  // that a target gets.
  std::optional<std::string> guards();
  std::optional<std::string> guards(Target target);
  std::optional<std::string> emit(const TargetOptions& target, OutputKind kind);
  // Emits a module for GPUs side by side, one thread for each of these ways; empty where an error was reported.
  std::vector<std::string> emit_ptx(std::span<const TargetOptions> ways);
  // Writes an object with that code of the module for the CPU; nothing where an error was reported.
  std::optional<std::string> emit_object(std::span<const ObjectCode> code, const ObjectData& data);
  // Compiles for this process; null where an error was reported.
  std::unique_ptr<CpuModule> compile_for_cpu(const TargetOptions& target);

  // Returns what went wrong as an exit code; of several errors the greatest.
  ExitCode exit_code() const;
  const SourceManager& sources() const { return sources_; }
  const CompileOptions& options() const { return options_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  // Returns what each phase took, in the order in which they ran.
  const std::vector<PhaseTime>& times() const { return times_; }

private:
  template <class Function> auto timed(std::string phase, Function&& function);
  void add_time(const std::string& phase, double milliseconds);
  void add_times(const EmitTimes& times);
  void run(Pass pass, ir::Module& module);
  bool run(std::span<const Pass> passes, ir::Module& module);
  ir::Module copy(const ir::Module& module);
  std::optional<std::string> guards(std::vector<Pass> passes);
  void verify(const ir::Module& module, const std::string& phase);

  CompileOptions options_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  FileId root_{};
  bool is_library_ = false; // the root is a file of the standard library
  std::optional<Program> program_;
  std::optional<ir::Module> checked_, transformed_;
  std::array<std::optional<ir::Module>, 2> own_; // by target; none where it has no passes of its own
  std::vector<ir::Site> sites_;
  std::map<ir::FunctionId, KernelFacts> facts_; // of the transformed module
  std::vector<PhaseTime> times_;
};

} // namespace kern
