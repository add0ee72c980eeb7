// Steps are memoised in the members: a form that is there is not made again, nor changed. Passes edit copies,
// which cost next to nothing: 0.2 ms of the 6 s that an object of benchmarks/suite.kern takes. Errors end the
// chain: a step that finds some returns null, and so does whatever needs it.
#include "compiler/driver/session/compilation.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <future>
#include <system_error>

#include "compiler/analysis/guards/guards.h"
#include "compiler/analysis/memory/array_limits.h"
#include "compiler/analysis/threads/uniformity.h"
#include "compiler/ast/print.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/modules.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/lex/lex.h"
#include "compiler/lint/lint.h"

namespace kern {

// How many passes come before the lists of the targets part.
static constexpr std::size_t common_passes = static_cast<std::size_t>(
    std::ranges::find_if(pass_targets, [](PassTargets targets) { return targets != PassTargets::Every; }) -
    std::begin(pass_targets));

static std::vector<Pass> passes_before_targets() {
  std::vector<Pass> passes;
  for (std::size_t pass = 0; pass < common_passes; ++pass) passes.push_back(Pass(pass));
  return passes;
}

// Those of a GPU that change loops: on the CPU they run where it is asked for, to test them on any machine.
static bool is_of_loops(Pass pass) { return pass == Pass::Defer || pass == Pass::NarrowGpu; }

// The passes of a target behind those.
static std::vector<Pass> passes_of(Target target, LoopGuards loops) {
  std::vector<Pass> passes;
  for (std::size_t pass = common_passes; pass < std::size(pass_targets); ++pass)
    if (is_for(Pass(pass), target) || (is_of_loops(Pass(pass)) && loops == LoopGuards::Every))
      passes.push_back(Pass(pass));
  return passes;
}

// Begins work on a thread of its own, or where there is none to be had leaves it to whoever asks for its result.
template <class Function> static auto start(Function function) {
  try {
    return std::async(std::launch::async, function);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, function);
  }
}

Compilation::Compilation(CompileOptions options)
    : options_(std::move(options)), diagnostics_(options_.warnings) {
  if (!options_.find_module) options_.find_module = find_in_stdlib;
  sources_.set_prefix_map(options_.prefix_map);
}

void Compilation::set_source(std::string name, std::string text, bool is_library) {
  is_library_ = is_library;
  root_ = sources_.add(std::move(name), std::move(text));
}

void Compilation::set_source_of(const Compilation& other) {
  const SourceFile& root = other.sources_.file(other.root_);
  set_source(root.name, std::string(root.text), other.is_library_);
}

void Compilation::add_time(const std::string& phase, double milliseconds) {
  auto known =
      std::find_if(times_.begin(), times_.end(), [&](const PhaseTime& time) { return time.phase == phase; });
  if (known != times_.end())
    known->milliseconds += milliseconds;
  else
    times_.push_back({phase, milliseconds});
}

template <class Function> auto Compilation::timed(std::string phase, Function&& function) {
  auto begin = std::chrono::steady_clock::now();
  auto result = function();
  add_time(phase,
           std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

const Program* Compilation::program() {
  if (!program_)
    program_ = timed("parse", [&] {
      return load_program(sources_, root_, options_.dialect, options_.find_module, diagnostics_,
                          options_.check.defines, is_library_);
    });
  return diagnostics_.has_errors() ? nullptr : &*program_;
}

const ir::Module* Compilation::module() {
  if (checked_) return diagnostics_.has_errors() ? nullptr : &*checked_;
  const Program* loaded = program();
  if (!loaded) return nullptr;
  if (options_.check.only.empty()) diagnostics_.append(loaded->refused);
  if (diagnostics_.has_errors()) return nullptr;
  checked_ = timed("check", [&] { return check(*loaded, options_.check, diagnostics_); });
  if (diagnostics_.has_errors()) return nullptr;
  timed("complex", [&] { return split_complex(*checked_), true; });
  checked_->clamps = options_.clamps;
  checked_->cancellable = options_.cancellable;
  verify(*checked_, "check");
  timed("recursion", [&] { return unroll_recursion(*checked_, diagnostics_), true; });
  if (diagnostics_.has_errors()) return nullptr;
  verify(*checked_, "recursion");
  timed("limits", [&] { return check_array_limits(*checked_, diagnostics_), true; });
  bool is_numba = loaded->files.front().dialect == Dialect::Numba;
  std::vector<ir::Function> as_written = checked_->functions;
  timed("uniformity", [&] { return arrange_barriers(*checked_, is_numba, diagnostics_), true; });
  verify(*checked_, "uniformity");
  if (diagnostics_.has_errors()) return nullptr;
  std::swap(checked_->functions, as_written);
  timed("warnings", [&] { return lint(*checked_, *loaded, diagnostics_), true; });
  std::swap(checked_->functions, as_written);
  return diagnostics_.has_errors() ? nullptr : &*checked_;
}

// A broken rule is a bug in the compiler, and going on would hide where. Builds without assertions trust it:
// to look takes a fiftieth of the time of CPU code.
void Compilation::verify([[maybe_unused]] const ir::Module& module,
                         [[maybe_unused]] const std::string& phase) {
#ifndef NDEBUG
  std::vector<std::string> broken = ir::verify(module);
  if (broken.empty()) return;
  auto builder =
      diagnostics_.report({}, diag::internal_error, fmt::format("the IR is not sound after {}", phase));
  for (const std::string& sentence : broken) builder.note("{}", sentence);
#endif
}

void Compilation::run(Pass pass, ir::Module& module) {
  const CompileOptions& options = options_;
  Diagnostics& diagnostics = diagnostics_;
  std::string name(pass_names[static_cast<std::size_t>(pass)]);
  timed(name, [&] {
    switch (pass) {
#define PASS(Id, Name, Targets, Code)                                                                        \
  case Pass::Id: Code; break;
#include "compiler/transform/passes.def"
    }
    return true;
  });
  verify(module, name);
}

// Says whether no pass reported an error.
bool Compilation::run(std::span<const Pass> passes, ir::Module& module) {
  for (std::size_t i = 0; i < passes.size() && !diagnostics_.has_errors(); ++i) {
    bool is_repeated = std::ranges::find(passes.first(i), passes[i]) != passes.begin() + std::ptrdiff_t(i);
    bool is_wanted = passes[i] == Pass::Contract ? options_.contract
                     : passes[i] == Pass::Loads  ? !options_.for_debugger
                     : passes[i] == Pass::Defer ? !options_.for_debugger && options_.loops != LoopGuards::None
                                                : true;
    if (is_wanted && !is_repeated) run(passes[i], module);
  }
  return !diagnostics_.has_errors();
}

ir::Module Compilation::copy(const ir::Module& module) {
  return timed("copy", [&] { return module; });
}

const ir::Module* Compilation::transformed() {
  if (!transformed_) {
    const ir::Module* checked = module();
    if (!checked) return nullptr;
    transformed_ = copy(*checked);
    run(passes_before_targets(), *transformed_);
    sites_ = transformed_->sites;
  }
  return diagnostics_.has_errors() ? nullptr : &*transformed_;
}

const KernelFacts& Compilation::facts(ir::FunctionId kernel) {
  if (auto known = facts_.find(kernel); known != facts_.end()) return known->second;
  return facts_[kernel] = timed("facts", [&] { return find_kernel_facts(*transformed_, kernel); });
}

// A target begins with the sites of those that were made before it, so that no two give one number to
// different places.
const ir::Module* Compilation::module_for(Target target) {
  const ir::Module* common = transformed();
  if (!common) return nullptr;
  std::vector<Pass> passes = passes_of(target, options_.loops);
  if (passes.empty()) return common;
  std::optional<ir::Module>& own = own_[static_cast<std::size_t>(target)];
  if (!own) {
    own = copy(*common);
    own->sites = sites_;
    [[maybe_unused]] const std::size_t told = diagnostics_.all().size();
    [[maybe_unused]] const bool is_sound = run(passes, *own);
    assert(!is_sound || told == diagnostics_.all().size());
    sites_ = own->sites;
  }
  return diagnostics_.has_errors() ? nullptr : &*own;
}

// The rows of driver.def are about the command line, those of emit.def about the machine. The others are
// about a text: the source's where the place is in one, else an option's.
static ExitCode exit_code_of(const Diagnostic& diagnostic, const SourceManager& sources) {
  if (diagnostic.row->code == diag::internal_error.code) return ExitCode::Bug;
  std::string_view number = diagnostic.row->code.substr(1);
  if (number.starts_with("09")) return ExitCode::NoDevice;
  bool in_source = diagnostic.span && !is_option_text(sources.file(diagnostic.span->file).name);
  return number.starts_with("08") || !in_source ? ExitCode::WrongUse : ExitCode::WrongSource;
}

ExitCode Compilation::exit_code() const {
  ExitCode code = ExitCode::Done;
  for (const Diagnostic& diagnostic : diagnostics_.all())
    if (diagnostic.severity == Severity::Error) code = std::max(code, exit_code_of(diagnostic, sources_));
  return code;
}

std::optional<std::string> Compilation::tokens() {
  std::vector<Token> list = timed("lex", [&] { return lex(sources_, root_, diagnostics_); });
  if (diagnostics_.has_errors()) return std::nullopt;
  return print(list, sources_);
}

std::optional<std::string> Compilation::ast() {
  const Program* loaded = program();
  if (loaded) diagnostics_.append(loaded->refused);
  if (!loaded || diagnostics_.has_errors()) return std::nullopt;
  return ast::print(*loaded->files.front().tree);
}

std::optional<std::string> Compilation::ir(std::span<const Pass> passes) {
  const ir::Module* checked = module();
  if (!checked) return std::nullopt;
  if (passes.empty()) return ir::print(*checked);
  ir::Module made = copy(*checked);
  if (!run(passes, made)) return std::nullopt;
  return ir::print(made);
}

std::optional<std::string> Compilation::ir(Target target) {
  const ir::Module* made = module_for(target);
  if (!made) return std::nullopt;
  return ir::print(*made);
}

std::optional<std::string> Compilation::guards(std::vector<Pass> passes) {
  const ir::Module* checked = module();
  if (!checked) return std::nullopt;
  // Behind them, a module that clamps has no guard left that is not proved.
  passes.erase(std::ranges::find(passes, Pass::Guards) + 1, passes.end());
  ir::Module made = copy(*checked);
  if (!run(passes, made)) return std::nullopt;
  return print_guards(made, sources_);
}

std::optional<std::string> Compilation::guards() {
  std::vector<Pass> passes = passes_before_targets();
  passes.push_back(Pass::Guards);
  return guards(std::move(passes));
}

std::optional<std::string> Compilation::guards(Target target) {
  std::vector<Pass> passes = passes_before_targets();
  for (Pass pass : passes_of(target, options_.loops)) passes.push_back(pass);
  return guards(std::move(passes));
}

std::optional<std::string> Compilation::emit(const TargetOptions& target, OutputKind kind) {
  const ir::Module* made = module_for(target.target);
  if (!made) return std::nullopt;
  EmitTimes times;
  std::optional<std::string> text = kern::emit(*made, sources_, target, kind, diagnostics_, &times);
  add_times(times);
  return diagnostics_.has_errors() ? std::nullopt : text;
}

// LLVM's state is in a context of each call, and what all of them read is not changed any more.
std::vector<std::string> Compilation::emit_ptx(std::span<const TargetOptions> ways) {
  const ir::Module* made = module_for(Target::Cuda);
  if (!made) return {};
  struct Emitted {
    std::optional<std::string> ptx;
    Diagnostics diagnostics;
    EmitTimes times;
  };
  auto emit_one = [&](const TargetOptions& way) {
    Emitted result{std::nullopt, Diagnostics(options_.warnings), {}};
    result.ptx = kern::emit(*made, sources_, way, OutputKind::Ptx, result.diagnostics, &result.times);
    return result;
  };
  std::vector<std::future<Emitted>> others;
  for (const TargetOptions& way : ways.subspan(1)) others.push_back(start([&] { return emit_one(way); }));
  std::vector<std::string> texts;
  auto take = [&](Emitted emitted) {
    add_times(emitted.times);
    diagnostics_.append(std::move(emitted.diagnostics));
    texts.push_back(std::move(emitted.ptx).value_or(""));
  };
  take(emit_one(ways.front()));
  for (std::future<Emitted>& other : others) take(other.get());
  return diagnostics_.has_errors() ? std::vector<std::string>{} : std::move(texts);
}

std::optional<std::string> Compilation::emit_object(std::span<const ObjectCode> code,
                                                    const ObjectData& data) {
  const ir::Module* made = module_for(Target::Cpu);
  if (!made) return std::nullopt;
  EmitTimes times;
  std::optional<std::string> object = kern::emit_object(*made, sources_, code, data, diagnostics_, &times);
  add_times(times);
  return object;
}

std::unique_ptr<CpuModule> Compilation::compile_for_cpu(const TargetOptions& target) {
  const ir::Module* made = module_for(Target::Cpu);
  if (!made) return nullptr;
  EmitTimes times;
  std::unique_ptr<CpuModule> module = kern::compile_for_cpu(*made, sources_, target, diagnostics_, &times);
  add_times(times);
  return module;
}

void Compilation::add_times(const EmitTimes& times) {
  add_time("lower", times.lower);
  add_time("optimize", times.optimize);
  add_time("generate", times.generate);
}

} // namespace kern
