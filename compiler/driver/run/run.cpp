// kernc run: parse, read the arguments, give their types to parameters that have none, check, decide the
// launch, compile with the facts that hold for it, run, report. A fault does not lose the arrays: what -o
// and --print ask for is written all the same.
#include <algorithm>

#include "compiler/analysis/access.h"
#include "compiler/analysis/launch_facts.h"
#include "compiler/analysis/shared_layout.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/driver/archs.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/host_cpu.h"
#include "compiler/driver/modules.h"
#include "compiler/driver/output.h"
#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/compare.h"
#include "compiler/driver/run/execute.h"
#include "compiler/driver/run/fill.h"
#include "compiler/driver/run/launch.h"
#include "compiler/driver/run/progress.h"
#include "compiler/driver/run/report.h"
#include "compiler/driver/run/runner.h"
#include "compiler/driver/run/select.h"
#include "compiler/driver/suggest.h"
#include "compiler/ir/param_block.h"
#include "compiler/support/limits.h"
#include "runtime/common/shape.h"

namespace kern {

namespace {

// One `kernc run`, from its words to its exit code.
struct Run {
  Session& session;
  std::unique_ptr<Compilation> compilation = {};
  const ast::FunctionDef* definition = nullptr;
  std::vector<Argument> arguments = {};
  const ir::Function* kernel = nullptr;
  RunLaunch job = {};
  std::vector<ParamAccess> access = {};
  Allowance allowance = {};                          // between two devices
  std::vector<std::unique_ptr<Runner>> runners = {}; // one for each device

  Diagnostics& diagnostics() { return session.diagnostics; }
  bool wrong() const { return session.diagnostics.has_errors(); }
};

} // namespace

// ---- NAME=PATH and NAME[A:B] ----

struct Place {
  Argument* argument;
  std::string rest; // the path, or what stands in the brackets
};

static std::optional<Place> find_place(Run& run, const std::string& option, std::string_view name,
                                       std::string rest) {
  std::vector<std::string_view> names;
  for (Argument& argument : run.arguments) {
    names.push_back(argument.param);
    if (argument.param != name) continue;
    if (argument.array()) return Place{&argument, std::move(rest)};
    run.diagnostics().report({}, diag::bad_array_place, option,
                             fmt::format("parameter `{}` is no array", name));
    return std::nullopt;
  }
  auto builder = run.diagnostics().report({}, diag::unknown_argument, run.definition->name, name);
  if (std::string_view similar = most_similar(name, names); !similar.empty())
    builder.note("did you mean `{}`?", similar);
  return std::nullopt;
}

// place = NAME "=" PATH
static std::optional<Place> path_place(Run& run, std::string_view option, const std::string& text) {
  std::size_t equal = text.find('=');
  std::string path = equal == std::string::npos ? "" : text.substr(equal + 1);
  std::string shown = fmt::format("{} {}", option, text);
  if (!path.ends_with(".npy") && !path.ends_with(".png")) {
    run.diagnostics().report({}, diag::bad_array_place, shown, "write NAME=PATH with a .npy or .png file");
    return std::nullopt;
  }
  return find_place(run, shown, std::string_view(text).substr(0, equal), path);
}

// place = NAME ["[" ranges "]"]
static std::optional<Place> range_place(Run& run, const std::string& text) {
  std::size_t open = text.find('[');
  std::string shown = "--print " + text;
  if (open == std::string::npos) return find_place(run, shown, text, "");
  if (text.ends_with(']'))
    return find_place(run, shown, std::string_view(text).substr(0, open),
                      text.substr(open + 1, text.size() - open - 2));
  run.diagnostics().report({}, diag::bad_array_place, shown, "write NAME or NAME[A:B]");
  return std::nullopt;
}

// Everything that names a parameter is checked before anything runs.
static void check_places(Run& run) {
  const Options& options = run.session.options;
  for (const std::string& text : options.outputs) path_place(run, "-o", text);
  for (const std::string& text : options.expects) path_place(run, "--expect", text);
  for (const std::string& text : options.prints)
    if (std::optional<Place> place = range_place(run, text)) {
      Result<std::string> elements = elements_text(place->rest, *place->argument->array());
      if (!elements) run.diagnostics().report({}, diag::bad_array_place, "--print " + text, elements.error());
    }
}

// ---- Types and contracts ----

static bool check_types(Run& run) {
  const ir::Function& kernel = *run.kernel;
  for (std::size_t i = 0; i < run.arguments.size(); ++i) {
    Argument& argument = run.arguments[i];
    Type type = kernel.slots[i].type;
    HostArray* array = argument.array();
    if (array && is_array(type)) read_as(*array, type->scalar);
    std::string is = array ? describe(*array) : argument.text;
    auto refuse = [&](const std::string& what) {
      run.diagnostics().report({}, diag::argument_type, argument.param, what, to_string(type));
    };
    if (array) {
      bool same = is_array(type) && type->scalar == array->element && type->rank == array->extents.size();
      if (!same)
        refuse("an array " + is);
      else if (type->layout == Layout::COrder && array->strides.back() != 1 && array->size() > 0)
        refuse("an array " + is + " in Fortran order");
      continue;
    }
    const Scalar& scalar = std::get<Scalar>(argument.value);
    std::uint64_t words[2];
    if (!is_scalar(type))
      refuse(fmt::format("the scalar {}", is));
    else if (scalar.kind && *scalar.kind != type->scalar)
      refuse(fmt::format("the scalar {}", is));
    else if (!store_written(type->scalar, words, scalar.number))
      refuse(fmt::format("{}, which does not fit", is));
  }
  return !run.wrong();
}

// Evaluates every contract; a broken one is shown with the values of both of its sides.
static bool check_contracts(Run& run, const ExpressionInput& input) {
  std::vector<std::string> names = ir::block_names(*run.kernel);
  const ir::Module& module = *run.compilation->transformed();
  for (const ir::Contract& contract : run.kernel->contracts) {
    const ir::Site& site = module.sites[static_cast<std::size_t>(contract.site)];
    std::string text = broken_contract_text(contract.condition, site.array, names, input);
    if (text.empty()) continue;
    run.compilation->diagnostics().report(site.span, diag::broken_contract, run.kernel->name, text);
  }
  return !run.compilation->diagnostics().has_errors();
}

static bool check_shared(Run& run, const ExpressionInput& input) {
  Diagnostics& diagnostics = run.compilation->diagnostics();
  const ir::Module& module = *run.compilation->transformed();
  for (ir::SharedId id : used_shared(module, *run.kernel)) {
    const ir::SharedDecl& decl = module.shared[static_cast<std::size_t>(id)];
    for (std::size_t axis = 0; axis < decl.dynamic.size(); ++axis) {
      std::optional<ExpressionValue> extent = evaluate(decl.dynamic[axis], input);
      if (extent && extent->integer >= 0) continue;
      diagnostics.report(decl.span, diag::bad_shared_extent, decl.name, value_text(extent),
                         static_cast<std::int64_t>(axis));
    }
  }
  return !diagnostics.has_errors();
}

// ---- Running ----

static std::uint64_t count_of(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }

// The machine said no; always false.
static bool fail(Run& run, const std::string& why) {
  run.diagnostics().report({}, diag::no_device, why);
  return false;
}

// A run that did not come about; returns its exit code.
static ExitCode fail(Run& run, const RunResult& result) {
  if (result.code == ExitCode::NoDevice)
    fail(run, result.failure);
  else
    run.diagnostics().report({}, diag::bad_command_line, result.failure);
  return result.code;
}

static std::optional<std::vector<Argument>> copy_arguments(Run& run) {
  std::vector<Argument> copies;
  for (const Argument& argument : run.arguments) {
    copies.push_back({argument.param, argument.text, Scalar{}});
    const HostArray* array = argument.array();
    if (!array) {
      copies.back().value = std::get<Scalar>(argument.value);
      continue;
    }
    Result<HostArray> copy = copy_array(*array);
    if (!copy) {
      run.diagnostics().report({}, diag::bad_argument, argument.param, copy.error());
      return std::nullopt;
    }
    copies.back().value = std::move(*copy);
  }
  return copies;
}

// --time: each repetition runs on fresh copies, so that all do the same work.
static ExitCode repeat(Run& run, Runner& runner) {
  constexpr int least = 5, most = 1000;
  constexpr double budget = 1000; // ms
  std::optional<std::vector<Argument>> copies = copy_arguments(run);
  if (!copies) return ExitCode::NoDevice;
  std::vector<double> times;
  double sum = 0;
  for (int i = 0; i < most && (i < least || sum < budget); ++i) {
    for (std::size_t k = 0; k < copies->size(); ++k)
      if (HostArray* copy = (*copies)[k].array())
        std::copy_n(run.arguments[k].array()->data(), copy->bytes(), copy->data());
    kern_launch_report report{};
    RunResult result = runner.run(run.job, *copies, report);
    if (!result.failure.empty()) return fail(run, result);
    times.push_back(result.milliseconds);
    sum += result.milliseconds;
  }
  std::sort(times.begin(), times.end());
  run.session.streams.out << fmt::format("time: {:.6f} ms median, {:.6f} to {:.6f} ms, {} runs on {}\n",
                                         times[times.size() / 2], times.front(), times.back(), times.size(),
                                         runner.place());
  return ExitCode::Done;
}

static bool write_outputs(Run& run) {
  OutputFiles files;
  for (const std::string& text : run.session.options.outputs) {
    std::optional<Place> place = path_place(run, "-o", text);
    if (!place) return false;
    Result<std::string> bytes = array_file_bytes(*place->argument->array(), place->rest);
    if (!bytes) {
      run.diagnostics().report({}, diag::bad_array_place, "-o " + text, bytes.error());
      return false;
    }
    std::string why = files.add(place->rest, *bytes);
    if (!why.empty()) run.diagnostics().report({}, diag::cannot_write_file, place->rest, why);
  }
  std::string failed, why;
  if (!run.wrong()) why = files.commit(failed);
  if (!why.empty()) run.diagnostics().report({}, diag::cannot_write_file, failed, why);
  return !run.wrong();
}

static void write_elements(Run& run) {
  for (const std::string& text : run.session.options.prints)
    if (std::optional<Place> place = range_place(run, text))
      if (Result<std::string> elements = elements_text(place->rest, *place->argument->array()))
        run.session.streams.out << text << " = " << *elements << "\n";
}

static bool is_written(const Run& run, std::size_t param) {
  return run.arguments[param].array() && param < run.access.size() &&
         (run.access[param].written || run.access[param].atomic);
}

// Where nothing is asked for, a line on each array that the kernel writes.
static void write_summaries(Run& run) {
  const Options& options = run.session.options;
  bool asked = !options.outputs.empty() || !options.prints.empty() || !options.expects.empty();
  for (std::size_t i = 0; i < run.arguments.size() && !asked; ++i) {
    const HostArray* array = run.arguments[i].array();
    if (is_written(run, i)) run.session.streams.out << summary(run.arguments[i].param, *array);
  }
}

// Compares with what --expect names; false where something differs.
static bool meets_expectations(Run& run, const Tolerance& tolerance) {
  bool same = true;
  for (const std::string& text : run.session.options.expects) {
    std::optional<Place> place = path_place(run, "--expect", text);
    if (!place) continue;
    Result<HostArray> expected = read_array_file(place->rest);
    if (!expected) {
      run.diagnostics().report({}, diag::bad_array_place, "--expect " + text, expected.error());
      continue;
    }
    const HostArray& array = *place->argument->array();
    read_as(*expected, array.element);
    std::string found = difference(array, *expected, tolerance);
    if (found.empty()) continue;
    same = false;
    run.session.streams.err << fmt::format("kernc: `{}` differs from `{}`: {}\n", place->argument->param,
                                           place->rest, found);
  }
  return same;
}

static std::optional<double> parse_tolerance(Run& run, const char* option, const std::string& text) {
  Result<Number> number = parse_number(text);
  if (number && number->kind != Number::Kind::Complex && as_real(*number) >= 0) return as_real(*number);
  run.diagnostics().report({}, diag::bad_command_line,
                           fmt::format("{} takes a number that is not negative, and not `{}`", option, text));
  return std::nullopt;
}

static std::optional<std::uint64_t> parse_bytes(Run& run, const std::string& text) {
  Result<Number> number = parse_number(text);
  constexpr std::int64_t most = 1 << 20;
  if (number && number->kind == Number::Kind::Signed && number->integer >= 0 && number->integer <= most)
    return static_cast<std::uint64_t>(number->integer);
  run.diagnostics().report(
      {}, diag::bad_command_line,
      fmt::format("--shared takes a number of bytes up to {}, and not `{}`", most, text));
  return std::nullopt;
}

// ---- The steps ----

// Splits off FILE and KERNEL, reads and parses; the words that are left are the arguments.
static std::optional<std::vector<std::string>> open_program(Run& run) {
  const std::vector<std::string>& words = run.session.options.words;
  if (words.empty()) {
    run.diagnostics().report({}, diag::bad_command_line, "give the file to run");
    return std::nullopt;
  }
  std::string name;
  std::size_t first = 1;
  static constexpr std::string_view values[] = {"True", "False", "true", "false", "inf", "nan"};
  auto is_word = [&](const std::string& word) {
    bool value = std::find(std::begin(values), std::end(values), word) != std::end(values);
    return !value && !word.empty() && !(word[0] >= '0' && word[0] <= '9') &&
           word.find_first_of("=:@.-+") == std::string::npos;
  };
  if (words.size() > 1 && is_word(words[1])) name = words[first++];
  run.compilation = open_source(run.session, words[0]);
  if (!run.compilation) return std::nullopt;
  const Program* program = run.compilation->program();
  if (!program) return std::nullopt;
  std::string file = words[0] == "-" ? run.session.options.stdin_name : words[0];
  run.definition = select_kernel(*program, file, name, run.diagnostics(), run.compilation->diagnostics());
  if (!run.definition) return std::nullopt;
  return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
}

// Returns the instance of the chosen function whose parameters have the arguments' types, or the only one.
static const ir::Function* find_instance(const Run& run, const ir::Module& module) {
  const ir::Function* found = nullptr;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel || function.name != run.definition->name ||
        function.param_count != run.arguments.size())
      continue;
    bool fits = true;
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
      Type type = function.slots[i].type;
      const HostArray* array = run.arguments[i].array();
      fits &= array ? is_array(type) && type->scalar == array->element && type->rank == array->extents.size()
                    : is_scalar(type);
    }
    if (fits || !found) found = &function;
    if (fits) return found;
  }
  return found;
}

static ExpressionInput input_of(const Run& run, std::span<const std::uint64_t> params) {
  ExpressionInput input{params};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    input.block_dim[axis] = static_cast<std::uint32_t>(run.job.shape.block[axis]);
    input.grid_dim[axis] = static_cast<std::uint32_t>(run.job.shape.grid[axis]);
  }
  return input;
}

// Opens what --device names: cpu, cuda, or both.
static bool open_devices(Run& run) {
  std::string_view rest = run.session.options.device;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    std::string failure;
    run.runners.push_back(Runner::open(name, failure));
    if (!run.runners.back()) return fail(run, failure);
  }
  return true;
}

// What the kernel is compiled for: --arch, else what the device is.
static TargetOptions target_of(const Run& run, const Runner& runner) {
  const Options& options = run.session.options;
  TargetOptions target = target_options(options, runner.name() == "cuda" ? Target::Cuda : Target::Cpu);
  bool others = run.runners.size() > 1 && named_archs(options, target.target).empty();
  if (target.arch.empty() || others) target.arch = arch_of(runner.device());
  return target;
}

// Compiles the kernel for a device, with the facts that hold for this launch.
static ExitCode compile_for(Run& run, Runner& runner) {
  TargetOptions target = target_of(run, runner);
  const ir::Module& module = *run.compilation->transformed();
  if (target.target == Target::Cpu && host_cpu_lacks(target.arch)) {
    fail(run,
         fmt::format("the CPU here cannot run code for {}; `--arch=native` makes what it can", target.arch));
    return ExitCode::NoDevice;
  }
  if (target.target == Target::Cpu) {
    int asked_lanes = run.session.options.lanes.empty() ? 0 : target.lanes.lanes;
    target.lanes =
        lane_facts(module, *run.kernel, run.arguments, run.job.shape, asked_lanes, has_wide_vectors(target));
  }
  JitKernel wanted{run.kernel->symbol, {{target.target, run.kernel->symbol, target.lanes, {}}}};
  std::unique_ptr<JitObject> object = make_jit_object(*run.compilation, target, {&wanted, 1});
  if (!object) return run.compilation->exit_code();
  std::string failure;
  if (runner.load(std::move(object), *run.kernel, failure)) return ExitCode::Done;
  fail(run, failure);
  return ExitCode::NoDevice;
}

// A GPU's code comes first, as in an object, so that sites have the same numbers.
static ExitCode compile(Run& run) {
  if (!open_devices(run)) return ExitCode::NoDevice;
  for (std::string_view name : {"cuda", "cpu"})
    for (const std::unique_ptr<Runner>& runner : run.runners) {
      if (runner->name() != name) continue;
      if (ExitCode code = compile_for(run, *runner); code != ExitCode::Done) return code;
    }
  return ExitCode::Done;
}

// From arguments to machine code: types, launch, contracts, variant.
static ExitCode prepare(Run& run) {
  const Program& program = *run.compilation->program();
  if (std::optional<Signature> signature = needed_signature(program, *run.definition, run.arguments))
    run.compilation->set_signatures({*signature});
  run.compilation->set_only(run.definition->name);
  const ir::Module* module = run.compilation->transformed();
  if (!module) return run.compilation->exit_code();
  run.kernel = find_instance(run, *module);
  if (!run.kernel) {
    run.diagnostics().report({}, diag::internal_error,
                             fmt::format("there is no instance of `{}`", run.definition->name));
    return ExitCode::Bug;
  }
  if (!check_types(run)) return ExitCode::WrongUse;
  check_places(run);
  std::optional<std::uint64_t> asked_shared = parse_bytes(run, run.session.options.shared_bytes);
  if (run.wrong()) return ExitCode::WrongUse;

  std::vector<std::uint64_t> params = make_params(*run.kernel, run.arguments);
  run.job.shape = choose_launch(*run.kernel, params, run.session.options, run.diagnostics());
  if (run.wrong()) return ExitCode::WrongUse;
  ExpressionInput input = input_of(run, params);
  if (!check_contracts(run, input) || !check_shared(run, input)) return ExitCode::WrongUse;
  std::optional<std::uint64_t> shared = dynamic_shared_bytes(*module, *run.kernel, input, *asked_shared);
  if (!shared || *shared > limits::shared_bytes) {
    run.diagnostics().report({}, diag::bad_command_line,
                             fmt::format("the dynamic shared arrays of a block need {} bytes; the most is {}",
                                         shared ? fmt::format("{}", *shared) : "too many",
                                         limits::shared_bytes));
    return ExitCode::WrongUse;
  }

  run.job.shared_bytes = *asked_shared;
  auto index = static_cast<std::size_t>(run.kernel - module->functions.data());
  run.access = analyze_access(*module, ir::FunctionId(index));
  run.allowance = device_allowance(*module, *run.kernel);
  return compile(run);
}

static RunResult run_on(Run& run, Runner& runner, std::span<Argument> arguments) {
  kern_launch_report report{};
  Progress progress(run.session.streams, count_of(run.job.shape.grid), report.blocks_done);
  return runner.run(run.job, arguments, report);
}

// What one device did, beside what the other one did.
struct Second {
  Runner* runner;
  RunResult result;
  std::vector<Argument> arguments;
};

// Compares what two devices did: faults, prints and every written array; says what agrees, and how far.
static bool devices_agree(Run& run, const RunResult& first, const Second& second,
                          const Tolerance& tolerance) {
  std::vector<std::string> differences, agreements;
  std::string both = run.runners[0]->name() + " and " + second.runner->name();
  std::string found = fault_difference(run.compilation->sites(), first.fault, second.result.fault);
  if (!found.empty()) differences.push_back(fmt::format("the faults of {} differ: {}", both, found));
  if (sorted_lines(first.printed) != sorted_lines(second.result.printed))
    differences.push_back(fmt::format("{} print different lines", both));
  bool own = tolerance.relative > 0 || tolerance.absolute > 0;
  for (std::size_t i = 0; i < run.arguments.size(); ++i) {
    if (!is_written(run, i)) continue;
    const HostArray &left = *run.arguments[i].array(), &right = *second.arguments[i].array();
    found = own ? difference(left, right, tolerance) : device_difference(left, right, run.allowance);
    std::string how = own ? "within --rtol and --atol" : describe(run.allowance, left.element);
    if (found.empty())
      agreements.push_back(fmt::format("`{}` {}", run.arguments[i].param, how));
    else
      differences.push_back(
          fmt::format("`{}` differs between {}: {} (equal is {})", run.arguments[i].param, both, found, how));
  }
  for (const std::string& text : differences) run.session.streams.err << "kernc: " << text << "\n";
  if (differences.empty())
    run.session.streams.out << fmt::format("{} agree{}{}\n", both, agreements.empty() ? "" : ": ",
                                           fmt::join(agreements, ", "));
  return differences.empty();
}

// Runs on the second device, where there is one, before the first one changes the arguments.
static std::optional<Second> run_second(Run& run) {
  std::optional<std::vector<Argument>> copies = copy_arguments(run);
  if (!copies) return std::nullopt;
  Runner& runner = *run.runners[1];
  RunResult result = run_on(run, runner, *copies);
  return Second{&runner, std::move(result), std::move(*copies)};
}

static ExitCode launch(Run& run, const Tolerance& tolerance) {
  // Before the run whose outputs count, while the arguments are as they were given.
  if (run.session.options.time)
    for (const std::unique_ptr<Runner>& runner : run.runners)
      if (ExitCode code = repeat(run, *runner); code != ExitCode::Done) return code;
  std::optional<Second> second;
  if (run.runners.size() > 1) {
    second = run_second(run);
    if (!second) return ExitCode::NoDevice;
    if (!second->result.failure.empty()) return fail(run, second->result);
  }
  RunResult result = run_on(run, *run.runners[0], run.arguments);
  if (!result.failure.empty()) return fail(run, result);
  run.session.streams.out << result.printed << std::flush;
  bool faulted = result.fault.state != 0;
  if (faulted) {
    Diagnostic fault = fault_diagnostic(run.compilation->sites(), result.fault, run.job.shape, run.arguments);
    run.session.write(fault, run.compilation->sources());
  }
  bool agree = !second || devices_agree(run, result, *second, tolerance);
  if (!write_outputs(run)) return ExitCode::WrongUse;
  write_elements(run);
  if (!agree) return ExitCode::Differs;
  if (faulted) return ExitCode::Faulted;
  write_summaries(run);
  bool same = meets_expectations(run, tolerance);
  if (run.wrong()) return ExitCode::WrongUse;
  return same ? ExitCode::Done : ExitCode::Differs;
}

static void read_run_arguments(Run& run, std::span<const std::string> words) {
  const Program& program = *run.compilation->program();
  auto default_text = [&](const ast::Expr& expr) {
    return constant_text(program, run.compilation->options().check, expr);
  };
  run.arguments =
      read_arguments(*run.definition, default_text, program.files.front().dialect, words, run.diagnostics());
}

ExitCode run_command(Session& session) {
  Run run{session};
  std::optional<double> relative = parse_tolerance(run, "--rtol", session.options.rtol),
                        absolute = parse_tolerance(run, "--atol", session.options.atol);
  if (run.wrong()) return ExitCode::WrongUse;
  std::optional<std::vector<std::string>> words = open_program(run);
  if (words) read_run_arguments(run, *words);
  ExitCode code = ExitCode::WrongUse;
  if (words && !run.wrong()) code = prepare(run);
  if (run.compilation) {
    if (!words && run.compilation->diagnostics().has_errors()) code = run.compilation->exit_code();
    session.write(*run.compilation);
  }
  if (code == ExitCode::Done) code = launch(run, {*relative, *absolute});
  if (run.compilation) session.write_times(*run.compilation);
  return code;
}

} // namespace kern
