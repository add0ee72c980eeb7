// The stages one after the other. A fault does not lose the arrays: what -o and --print ask for is written all the
// same, and only the stages behind it do not run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/run/generated.h"
#include "compiler/driver/run/progress.h"
#include "compiler/driver/run/stages.h"
#include "runtime/common/fault.h"

namespace kern {

namespace {

// The arguments of all stages once more, with arrays of their own.
struct Copies {
  std::vector<std::vector<Argument>> arguments;   // by stage
  std::map<const HostArray*, HostArray*> copy_of; // by the original
  std::deque<HostArray> kept;                     // those that no stage begins
};

// The results of one device, to be compared with those of the other one.
struct Second {
  Runner* runner;
  std::vector<RunResult> results; // by stage, as far as it came
  Copies copies;
};

} // namespace

std::string stage_text(const Run& run, const Stage& stage) {
  if (!run.has_stages()) return "";
  return fmt::format("stage {} of {}{}", stage.number, run.session.options.stages.size(),
                     stage.definition ? fmt::format(", `{}`", stage.definition->name) : "");
}

static std::uint64_t count_of(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }

static RunResult failed(std::string why) {
  RunResult result;
  result.code = ExitCode::NoDevice;
  result.failure = std::move(why);
  return result;
}

static bool has_failed(const RunResult& result) { return result.is_refused || !result.failure.empty(); }

// A run that did not come about; returns its exit code.
static ExitCode fail(Run& run, const Stage& stage, const RunResult& result) {
  if (result.is_refused) {
    // Warnings of the source have been written before; only its errors are new.
    run.session.flush();
    for (const Diagnostic& diagnostic : stage.compilation->diagnostics().all())
      if (diagnostic.severity == Severity::Error) run.session.write(diagnostic, stage.compilation->sources());
    return result.code;
  }
  if (result.code == ExitCode::NoDevice)
    run.diagnostics().report({}, diag::no_device, result.failure);
  else
    run.diagnostics().report({}, diag::bad_command_line, result.failure);
  return result.code;
}

// ---- Copies ----

static std::optional<Copies> copy_arguments(Run& run) {
  Copies copies;
  const auto keep = [&](const HostArray& array, std::string_view name) {
    Result<HostArray> copy = copy_array(array);
    if (!copy)
      run.diagnostics().report({}, diag::bad_argument, std::string(name), copy.error());
    else
      copies.copy_of[&array] = &copies.kept.emplace_back(std::move(*copy));
    return bool(copy);
  };
  for (const NamedArray& each : run.arrays)
    if ((each.is_made || !run.given.empty()) && !keep(*each.array, each.name)) return std::nullopt;
  for (const std::unique_ptr<Stage>& stage : run.stages) {
    std::vector<Argument>& own = copies.arguments.emplace_back();
    own.reserve(stage->arguments.size()); // pointers to their arrays are kept
    for (const Argument& argument : stage->arguments) {
      own.push_back({argument.param, argument.text, Scalar{}});
      const HostArray* array = argument.array();
      if (argument.copied_from) own.back().copied_from = copies.copy_of.at(argument.copied_from);
      if (argument.element)
        own.back().element = ElementOf{copies.copy_of.at(argument.element->array), argument.element->index};
      if (!array) {
        own.back().value = std::get<Scalar>(argument.value);
        continue;
      }
      if (argument.is_earlier()) {
        own.back().value = copies.copy_of.at(array);
        continue;
      }
      Result<HostArray> copy = copy_array(*array);
      if (!copy) {
        run.diagnostics().report({}, diag::bad_argument, argument.param, copy.error());
        return std::nullopt;
      }
      own.back().value = std::move(*copy);
      copies.copy_of[array] = own.back().array();
    }
  }
  return copies;
}

// Lets copies begin as the originals do.
static void renew(Copies& copies) {
  for (auto& [original, copy] : copies.copy_of) std::copy_n(original->data(), copy->bytes(), copy->data());
}

// ---- One stage ----

// An index that leaves `shared.array(0, T)` may be right, and the memory too little that the launch gives a block.
static Diagnostic stage_fault(const Stage& stage, const kern_fault_record& fault) {
  std::span<const ir::Site> sites = stage.compilation->sites();
  Diagnostic diagnostic = fault_diagnostic(sites, fault, stage.job.shape, stage.arguments);
  const ir::Module* module = stage.compilation->transformed();
  if (!module || fault.site >= sites.size()) return diagnostic;
  for (const ir::SharedDecl& decl : module->shared) {
    if (!decl.aliased || decl.name != sites[fault.site].array) continue;
    diagnostic.notes.push_back(
        {decl.span,
         fmt::format("`{}` lies in the dynamic shared memory of the launch, {} bytes a block; `--shared "
                     "BYTES` gives another size",
                     decl.name, stage.job.shared_bytes)});
    break;
  }
  return diagnostic;
}

// Returns the error of a launch that has taken too long; the fault tells where it was, if it came back.
static Diagnostic timed_out(const Run& run, const Stage& stage, const RunResult* result) {
  Diagnostic diagnostic{&diag::timed_out, Severity::Error, std::nullopt, "", {}};
  diagnostic.message =
      fmt::format(fmt::runtime(diag::timed_out.text), stage.definition->name, run.timeout.text);
  if (result && result->fault.state != 0) {
    Diagnostic fault = stage_fault(stage, result->fault);
    diagnostic.span = fault.span;
    diagnostic.message += ": " + fault.message;
    diagnostic.notes = std::move(fault.notes);
  }
  return diagnostic;
}

// Writes what ended a stage, and which it was.
static void write_end(const Run& run, const Stage& stage, Diagnostic diagnostic) {
  if (run.has_stages()) {
    bool is_last = stage.number == run.stages.size();
    diagnostic.notes.push_back({std::nullopt, fmt::format("this is {}{}", stage_text(run, stage),
                                                          is_last ? "" : "; no stage behind it has run")});
  }
  run.session.write(diagnostic, stage.compilation->sources());
}

// Warns of threads that went on at an index out of range.
static void write_note(const Run& run, const Stage& stage, const RunResult& result) {
  if (result.note.state == 0) return;
  Diagnostic diagnostic = stage_fault(stage, result.note);
  diagnostic.severity = Severity::Warning;
  diagnostic.message =
      fmt::format("{}; the first: {}", bad_threads_text(result.bad_threads), diagnostic.message);
  run.session.write(diagnostic, stage.compilation->sources());
}

// The launch will not come back: whoever waits for it would wait for ever.
[[noreturn]] static void give_up(const Run& run, const Stage& stage) {
  Diagnostic diagnostic = timed_out(run, stage, nullptr);
  diagnostic.notes.push_back(
      {std::nullopt, "it does not come to an end, so kernc ends, and writes no array"});
  run.session.streams.out << std::flush;
  write_end(run, stage, diagnostic);
  run.session.streams.err << std::flush;
  std::_Exit(static_cast<int>(ExitCode::TimedOut));
}

static RunResult run_stage(Run& run, Stage& stage, Runner& runner, std::span<Argument> arguments,
                           DeviceArrays& arrays) {
  for (Argument& argument : arguments) {
    if (!argument.copied_from) continue;
    if (std::string why = runner.fetch(arrays); !why.empty()) return failed(why);
    std::copy_n(argument.copied_from->data(), argument.array()->bytes(), argument.array()->data());
  }
  if (stage.is_computed) {
    if (std::string why = runner.fetch(arrays); !why.empty()) return failed(why);
    RunResult result;
    result.code = plan_computed(run, stage, runner, arguments);
    result.is_refused = result.code != ExitCode::Done;
    if (result.is_refused) return result;
  }
  kern_launch_report report{};
  Progress progress(run.session.streams, count_of(stage.job.shape.grid), report.blocks_done);
  TimeLimit limit(run.timeout, [&] { give_up(run, stage); });
  return runner.run(*stage.loaded[runner.number()], stage.job, arguments, arrays, report,
                    run.timeout.limit.value_or(Duration()).count());
}

// ---- --time ----

static void write_time(Run& run, const std::string& where, std::string_view what, std::vector<double> times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  run.session.streams.out << fmt::format("time{}: {:.6f} ms median, {:.6f} to {:.6f} ms, {} runs on {}\n",
                                         what, times[times.size() / 2], times.front(), times.back(),
                                         times.size(), where);
}

// Says where a stage runs, and by how many blocks of which shape.
static std::string where(const Stage& stage, const Runner& runner) {
  const LaunchShape& shape = stage.job.shape;
  return fmt::format("{}, {} blocks of {}", runner.place(), count_of(shape.grid), to_string(shape.block));
}

// Each repetition runs on fresh copies, so that all do the same work.
static ExitCode repeat(Run& run, Runner& runner) {
  constexpr int least = 5, most = 1000;
  constexpr double budget = 1000; // ms
  std::optional<Copies> copies = copy_arguments(run);
  if (!copies) return ExitCode::NoDevice;
  std::vector<std::vector<double>> times(run.stages.size());
  std::vector<double> together;
  double sum = 0;
  for (int i = 0; i < most && (i < least || sum < budget); ++i) {
    renew(*copies);
    DeviceArrays arrays;
    double all = 0;
    for (std::size_t k = 0; k < run.stages.size(); ++k) {
      Stage& stage = *run.stages[k];
      RunResult result = run_stage(run, stage, runner, copies->arguments[k], arrays);
      if (result.timed_out) {
        write_end(run, stage, timed_out(run, stage, &result));
        return ExitCode::TimedOut;
      }
      if (has_failed(result)) return fail(run, stage, result);
      times[k].push_back(result.milliseconds);
      all += result.milliseconds;
      if (result.fault.state != 0) break;
    }
    together.push_back(all);
    sum += all;
  }
  for (std::size_t k = 0; k < run.stages.size() && run.has_stages(); ++k)
    write_time(run, where(*run.stages[k], runner), " of " + stage_text(run, *run.stages[k]), times[k]);
  if (run.has_stages())
    write_time(run, runner.place(), " together", together);
  else
    write_time(run, where(*run.stages[0], runner), "", together);
  return ExitCode::Done;
}

// ---- Two devices ----

// How far two devices may lie apart behind all stages: differences of one go into the next.
static Allowance allowance_of(const Run& run) {
  Allowance sum;
  double greatest = 0;
  for (const std::unique_ptr<Stage>& stage : run.stages) {
    sum.relative += stage->allowance.relative;
    if (stage->allowance.relative <= greatest) continue;
    greatest = stage->allowance.relative;
    sum.why = stage->allowance.why;
  }
  return sum;
}

static bool is_written(const Run& run, const HostArray* array) {
  for (const std::unique_ptr<Stage>& stage : run.stages)
    for (std::size_t i = 0; i < stage->arguments.size(); ++i)
      if (stage->arguments[i].array() == array && stage->writes(i)) return true;
  return false;
}

// Compares what two devices did: faults, prints and every written array; says what agrees, and how far.
static bool devices_agree(Run& run, std::span<const RunResult> first, const Second& second) {
  std::vector<std::string> differences, agreements;
  std::string both = run.runners[0]->name() + " and " + second.runner->name();
  for (std::size_t k = 0; k < std::min(first.size(), second.results.size()); ++k) {
    const RunResult &left = first[k], &right = second.results[k];
    std::string in = run.has_stages() ? " in " + stage_text(run, *run.stages[k]) : "";
    std::string found = fault_difference(run.stages[k]->compilation->sites(), left.fault, right.fault);
    if (!found.empty()) differences.push_back(fmt::format("the faults of {} differ{}: {}", both, in, found));
    if (sorted_lines(left.printed) != sorted_lines(right.printed))
      differences.push_back(fmt::format("{} print different lines{}", both, in));
  }
  bool own = run.tolerance.relative > 0 || run.tolerance.absolute > 0;
  Allowance allowance = allowance_of(run);
  for (const NamedArray& each : run.arrays) {
    if (each.is_made || !is_written(run, each.array)) continue;
    const HostArray &left = *each.array, &right = *second.copies.copy_of.at(each.array);
    std::string found =
        own ? difference(left, right, run.tolerance) : device_difference(left, right, allowance);
    std::string how = own ? "within --rtol and --atol" : describe(allowance, left.element);
    if (found.empty())
      agreements.push_back(fmt::format("`{}` {}", each.name, how));
    else
      differences.push_back(
          fmt::format("`{}` differs between {}: {} (equal is {})", each.name, both, found, how));
  }
  for (const std::string& text : differences) run.session.streams.err << "kernc: " << text << "\n";
  if (differences.empty())
    run.session.streams.out << fmt::format("{} agree{}{}\n", both, agreements.empty() ? "" : ": ",
                                           fmt::join(agreements, ", "));
  return differences.empty();
}

// Runs on the second device before the first one changes the arguments. Returns the exit code of what kept it
// from that.
static ExitCode run_second(Run& run, std::optional<Second>& second) {
  std::optional<Copies> copies = copy_arguments(run);
  if (!copies) return ExitCode::NoDevice;
  second.emplace(Second{run.runners[1].get(), {}, std::move(*copies)});
  DeviceArrays arrays;
  for (std::size_t k = 0; k < run.stages.size(); ++k) {
    Stage& stage = *run.stages[k];
    const RunResult& result = second->results.emplace_back(
        run_stage(run, stage, *second->runner, second->copies.arguments[k], arrays));
    if (result.timed_out) write_end(run, stage, timed_out(run, stage, &result));
    if (result.timed_out) return ExitCode::TimedOut;
    if (has_failed(result)) return fail(run, stage, result);
    if (result.fault.state != 0) break;
  }
  std::string why = second->runner->fetch(arrays);
  return why.empty() ? ExitCode::Done : fail(run, *run.stages.back(), failed(why));
}

// ---- All of them ----

// The arguments are as they were given until the run whose outputs count.
static ExitCode perform_first(Run& run, const std::optional<Second>& second) {
  Runner& runner = *run.runners[0];
  DeviceArrays arrays;
  OutputFiles files;
  std::vector<RunResult> results;
  bool same = true, asked = false, agree = true, ended = false;
  for (std::unique_ptr<Stage>& each : run.stages) {
    Stage& stage = *each;
    const RunResult& result = results.emplace_back(run_stage(run, stage, runner, stage.arguments, arrays));
    if (has_failed(result)) return fail(run, stage, result);
    run.session.streams.out << result.printed << std::flush;
    write_note(run, stage, result);
    if (result.timed_out)
      write_end(run, stage, timed_out(run, stage, &result));
    else if (result.fault.state != 0)
      write_end(run, stage, stage_fault(stage, result.fault));
    ended = result.timed_out || result.fault.state != 0;
    asked |= asks_for_arrays(stage);
    bool last = ended || stage.number == run.stages.size();
    if (last || asks_for_arrays(stage)) {
      if (std::string why = runner.fetch(arrays); !why.empty()) return fail(run, stage, failed(why));
    }
    if (last && second) agree = devices_agree(run, results, *second);
    restore_shapes(stage);
    if (last) swap_shapes(run);
    if (!add_outputs(run, stage, files) || (last && !commit_outputs(run, files))) return ExitCode::WrongUse;
    write_elements(run, stage);
    if (ended) break;
    if (agree) same = meets_expectations(run, stage) && same;
  }
  if (!agree) return ExitCode::Differs;
  if (ended) return results.back().timed_out ? ExitCode::TimedOut : ExitCode::Faulted;
  if (!asked) write_summaries(run);
  if (run.wrong()) return ExitCode::WrongUse;
  return same ? ExitCode::Done : ExitCode::Differs;
}

ExitCode perform(Run& run) {
  if (run.session.options.time)
    for (const std::unique_ptr<Runner>& runner : run.runners)
      if (ExitCode code = repeat(run, *runner); code != ExitCode::Done) return code;
  std::optional<Second> second;
  if (run.runners.size() > 1)
    if (ExitCode code = run_second(run, second); code != ExitCode::Done) return code;
  return perform_first(run, second);
}

} // namespace kern
