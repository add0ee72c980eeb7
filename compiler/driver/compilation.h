// The compiler as one object: text in, any form out. Each step runs once, when a later one needs it; after an
// error the forms behind it are not there. kernc, the tests and the JIT use this.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/check/load.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/driver/streams.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/object.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/target.h"
#include "compiler/transform/transform.h"

namespace kern {

struct CompileOptions {
  std::optional<Dialect> dialect; // the root's; its suffix decides where there is none
  CheckOptions check;
  WarningOptions warnings;
  GuardMode guards = GuardMode::On;
  bool contract = true;
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

// What a phase took, in milliseconds.
struct PhaseTime {
  std::string phase;
  double milliseconds;
};

class Compilation {
public:
  explicit Compilation(CompileOptions options);

  // Takes the root file; every other member needs it.
  void set_source(std::string name, std::string text);
  // Loads and parses the root and what it imports; null where an error was reported.
  const Program* program();
  // Checks the program; null where an error was reported.
  const ir::Module* module();
  // Changes what module() is checked with; for a root whose parameters must be seen first.
  void set_signatures(std::vector<Signature> signatures) {
    options_.check.signatures = std::move(signatures);
  }
  // Leaves alone what this kernel does not need.
  void set_only(std::string_view kernel) { options_.check.only = kernel; }
  // Runs the passes that come before lowering, those for every target; null where an error was reported.
  const ir::Module* transformed();
  // Cuts the transformed module into segments; from then on it is for the CPU only.
  const ir::Module* segmented();

  // Return a form as text; nothing where an error was reported.
  std::optional<std::string> tokens();
  std::optional<std::string> ast();
  std::optional<std::string> ir(std::span<const Pass> passes = {});
  std::optional<std::string> guards();
  std::optional<std::string> emit(const TargetOptions& target, OutputKind kind);
  // Writes an object with that code of the module cut into segments; nothing where an error was reported.
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
  void run(Pass pass);
  const ir::Module* run(std::span<const Pass> passes);
  void verify(const std::string& phase);

  CompileOptions options_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  FileId root_{};
  std::optional<Program> program_;
  std::optional<ir::Module> module_;
  std::vector<Pass> passes_done_;
  std::vector<PhaseTime> times_;
};

} // namespace kern
