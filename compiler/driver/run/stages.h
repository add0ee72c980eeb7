// One `kernc run`: stages that run one after the other over arrays which keep their names. What is shared by
// the files that take it from words to an exit code.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "compiler/analysis/launch/kernel_facts.h"
#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/compare.h"
#include "compiler/driver/run/report.h"
#include "compiler/driver/run/runner.h"
#include "compiler/driver/run/time_limit.h"
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/output.h"

namespace kern {

struct Stage {
  const Options& options; // what is written in its part
  std::size_t number;     // from 1
  Compilation* compilation = nullptr;
  const ast::FunctionDef* definition = nullptr;
  std::string name = {}; // or path, by which it was selected
  std::vector<Argument> arguments = {};
  const ir::Function* kernel = nullptr;
  RunLaunch job = {};
  const KernelFacts* facts = nullptr;                     // of the kernel
  Allowance allowance = {};                               // between two devices
  std::vector<std::unique_ptr<LoadedKernel>> loaded = {}; // by device

  // The shapes that arrays have again when a generated kernel has run, by parameter.
  std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> shapes = {};

  // Some scalar is an element of an array of an earlier stage: over what it runs is known only when that has run.
  bool is_computed = false;

  bool writes(std::size_t param) const {
    return arguments[param].array() && facts && param < facts->access.size() &&
           (facts->access[param].written || facts->access[param].atomic);
  }
};

// An array, by the name of the parameter that it was first given for. A later one of that name hides it.
struct NamedArray {
  std::string name;
  HostArray* array;
  std::size_t stage;    // in which it begins
  bool is_made = false; // of an algorithm, for itself: nobody sees it
};

// The shape that an array has for the user, while kernels take it by another one.
struct ShownShape {
  HostArray* array;
  std::vector<std::int64_t> extents, strides;
};

struct Run {
  Session& session;
  CompileOptions compile_options = {};
  std::vector<std::unique_ptr<Compilation>> compilations = {}; // of the file, one for each kernel
  std::vector<std::unique_ptr<Stage>> stages = {};
  std::vector<NamedArray> arrays = {};
  std::vector<Argument> given = {};    // of an algorithm, whose stages take them by their names,
  std::deque<HostArray> kept = {};     // and the arrays that these make
  std::vector<ShownShape> shapes = {}; // of these arrays, for when the last stage has run
  std::vector<Define> defines = {};    // what -D says that became a function
  std::vector<std::unique_ptr<Runner>> runners = {}; // one for each device
  Tolerance tolerance = {};
  Timeout timeout = {};

  Diagnostics& diagnostics() { return session.diagnostics; }
  bool wrong() const { return session.diagnostics.has_errors(); }
  bool has_stages() const { return session.options.stages.size() > 1; }
};

// Gives arrays the shapes that they have for the user, or those that kernels take them by again.
void swap_shapes(Run& run);

// Says whether a word is the name of a kernel, and not a value.
bool names_kernel(const std::string& word);

// Says where something happened, for a note; "" in a run of one stage.
std::string stage_text(const Run& run, const Stage& stage);

// ---- places.cpp: NAME=PATH and NAME[A:B] ----
// Checks everything that names an array, before anything runs.
void check_places(Run& run, const Stage& stage);
bool asks_for_arrays(const Stage& stage);
// Adds what -o asks for to the files; false where an error was reported.
bool add_outputs(Run& run, const Stage& stage, OutputFiles& files);
bool commit_outputs(Run& run, OutputFiles& files);
// --print.
void write_elements(Run& run, const Stage& stage);
// Compares with what --expect names; false where something differs.
bool meets_expectations(Run& run, const Stage& stage);
// A line on each array that a stage wrote.
void write_summaries(Run& run);

// ---- prepare.cpp ----
// From arguments to what is known before anything runs: types, launch, contracts.
ExitCode prepare(Run& run, Stage& stage);
// Compiles every stage for every device.
ExitCode compile(Run& run);

// The same of a stage that has to wait for scalars, when these are there.
ExitCode plan_computed(Run& run, Stage& stage, Runner& runner, std::span<Argument> arguments);

// ---- perform.cpp ----
// Runs all stages, and says what there is to say.
ExitCode perform(Run& run);

} // namespace kern
