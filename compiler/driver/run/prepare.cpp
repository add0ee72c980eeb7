// Prepares a stage before anything runs: finds its kernel, the types of its arguments and over what it runs,
// and tests its contracts. Then makes its machine code, with the facts that hold for this launch.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/run/execute.h"
#include "compiler/driver/run/launch.h"
#include "compiler/driver/run/list.h"
#include "compiler/driver/run/records.h"
#include "compiler/driver/run/select.h"
#include "compiler/driver/run/stages.h"
#include "compiler/driver/session/archs.h"
#include "compiler/driver/session/host_cpu.h"
#include "compiler/ir/param_block.h"
#include "compiler/support/limits.h"
#include "compiler/types/signatures.h"
#include "runtime/common/shape.h"

namespace kern {

// ---- Types and contracts ----

// Some arrays take the parameter's type: the file of a bf16 array has none, and neither has a list of numbers.
// False where an error was reported.
static bool retype(Run& run, Argument& argument, ScalarKind wanted) {
  HostArray& array = *argument.array();
  read_as(array, wanted);
  // The first stage decides.
  array.may_be_bf16 = array.may_be_bf16 && !run.has_stages();
  if (!argument.text.starts_with('[') || argument.is_earlier() || array.element == wanted) return true;
  Result<HostArray> list = read_list(argument.text, wanted);
  if (list)
    array = std::move(*list);
  else
    run.diagnostics().report({}, diag::bad_argument, fmt::format("{}={}", argument.param, argument.text),
                             list.error());
  return bool(list);
}

// Returns where the decorator of a kernel writes its types, else the kernel's name.
static Span signature_span(const ast::FunctionDef& kernel) {
  for (const ast::Expr* decorator : kernel.decorators)
    if (const auto* call = ast::as<ast::Call>(decorator); call && !call->args.empty())
      return call->args.front()->span;
  return kernel.name_span;
}

// Says whether Numba passes a scalar of one type as one of another: an integer as any number that has room for it, a
// real number as any that has digits. No digits are dropped.
static bool passes_as(ScalarKind kind, ScalarKind wanted) {
  const ScalarClass from = scalar_class(kind), to = scalar_class(wanted);
  const bool to_real = to == ScalarClass::Float || to == ScalarClass::Complex;
  if (from == ScalarClass::Complex) return to == ScalarClass::Complex;
  return from == ScalarClass::Float ? to_real : true;
}

// Returns what keeps an argument from being passed as a type, in words: "an array f32 (3,)"; "" where it can be.
static std::string misfit(const Argument& argument, Type type, bool is_numba) {
  if (const HostArray* array = argument.array()) {
    const bool is_plain = array->records.descr.empty();
    std::string is = "an array " + (is_plain ? describe(*array) : "of records " + array->records.descr);
    bool same = is_array(type) && type->scalar == array->element && type->rank == array->extents.size();
    if (same && is_plain && !has_layout(*array, type))
      is += fmt::format(", whose records would have {} words", array->extents.back());
    if (!same || !has_layout(*array, type)) return is;
    const bool is_other_order =
        type->layout == Layout::COrder && array->strides.back() != 1 && array->size() > 0;
    return is_other_order ? is + " in Fortran order" : "";
  }
  const Scalar& scalar = std::get<Scalar>(argument.value);
  const bool is_other_kind = is_scalar(type) && scalar.kind && *scalar.kind != type->scalar &&
                             !(is_numba && passes_as(*scalar.kind, type->scalar));
  if (!is_scalar(type) || is_other_kind) return fmt::format("the scalar {}", argument.text);
  std::uint64_t words[2];
  return store_number(type->scalar, words, scalar.number)
             ? ""
             : fmt::format("{}, which does not fit", argument.text);
}

static std::string types_text(const ir::Function& kernel) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < kernel.param_count; ++i) list.push_back(to_string(kernel.slots[i].type));
  return fmt::format("({})", fmt::join(list, ", "));
}

// Says of the other signatures of a kernel why they do not take its arguments either.
static void note_others(const Stage& stage, const ir::Module& module, Diagnostics::Builder& error) {
  constexpr std::size_t most = 8;
  std::size_t count = 0;
  for (const ir::Function& other : module.functions) {
    const bool is_other = other.is_kernel && other.name == stage.kernel->name && &other != stage.kernel &&
                          other.param_count == stage.arguments.size();
    if (!is_other || ++count > most) continue;
    for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
      const Argument& argument = stage.arguments[i];
      std::string is = argument.element ? "" : misfit(argument, other.slots[i].type, true);
      if (is.empty()) continue;
      error.note("nor does {} take them: `{}` is {}", types_text(other), argument.param, is);
      break;
    }
  }
  if (count > most) error.note("nor do {} more", count - most);
}

static bool check_types(Run& run, Stage& stage, const ir::Module& module) {
  const ir::Function& kernel = *stage.kernel;
  // The types of a .py kernel are those of its arguments, unless its signature has others.
  const bool is_numba = stage.compilation->program()->files.front().dialect == Dialect::Numba;
  bool is_wrong = false;
  for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
    Argument& argument = stage.arguments[i];
    Type type = kernel.slots[i].type;
    if (argument.array() && is_array(type) && !retype(run, argument, type->scalar)) continue;
    // Whether the number fits is seen when it is there.
    if (!argument.array() && is_scalar(type) && argument.element) {
      stage.is_computed = true;
      continue;
    }
    const std::string is = misfit(argument, type, is_numba);
    HostArray* array = is.empty() ? argument.array() : nullptr;
    if (array && !array->records.descr.empty()) array->records.type = record_type(type);
    if (is.empty()) continue;
    Diagnostics& diagnostics = is_numba ? stage.compilation->diagnostics() : run.diagnostics();
    std::optional<Span> span = is_numba ? std::optional(signature_span(*stage.definition)) : std::nullopt;
    Diagnostics::Builder error =
        diagnostics.report(span, diag::argument_type, argument.param, is, to_string(type));
    if (is_numba && !is_wrong) note_others(stage, module, error);
    is_wrong = true;
  }
  return !run.wrong() && !is_wrong;
}

// Evaluates every contract; a broken one is shown with the values of both of its sides.
static bool check_contracts(const Run& run, const Stage& stage, const ExpressionInput& input) {
  std::vector<std::string> names = ir::block_names(*stage.kernel);
  const ir::Module& module = *stage.compilation->transformed();
  for (const ir::Contract& contract : stage.kernel->contracts) {
    const ir::Site& site = module.sites[static_cast<std::size_t>(contract.site)];
    std::string text = broken_contract_text(contract.condition, site.array, names, input);
    if (text.empty()) continue;
    auto builder =
        stage.compilation->diagnostics().report(site.span, diag::broken_contract, stage.kernel->name, text);
    if (run.has_stages()) builder.note("this is {}", stage_text(run, stage));
  }
  return !stage.compilation->diagnostics().has_errors();
}

static bool check_shared(const Stage& stage, const ExpressionInput& input) {
  Diagnostics& diagnostics = stage.compilation->diagnostics();
  const ir::Module& module = *stage.compilation->transformed();
  for (ir::SharedId id : stage.facts->shared) {
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

// ---- Launch ----

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

// The distance of an argument that cannot be passed: more than that of any conversions that can.
constexpr int impossible = 1000000;

// How far an argument lies from the type of a parameter, 0 where it has it.
static int distance(const Argument& argument, Type type) {
  if (const HostArray* array = argument.array()) {
    bool fits = is_array(type) && type->scalar == array->element && type->rank == array->extents.size();
    return fits ? 0 : impossible;
  }
  if (!is_scalar(type)) return impossible;
  const Scalar& scalar = std::get<Scalar>(argument.value);
  const ScalarKind own = scalar.kind.value_or(scalar.standard);
  if (!passes_as(own, type->scalar)) return impossible;
  return conversion_cost(types::scalar(own), type).value_or(impossible);
}

// Returns the instance of the chosen function whose parameters lie nearest to the arguments.
static const ir::Function* find_instance(const Stage& stage, const ir::Module& module) {
  const ir::Function* nearest = nullptr;
  int least = 0;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel || function.name != stage.definition->name ||
        function.param_count != stage.arguments.size())
      continue;
    int sum = 0;
    for (std::size_t i = 0; i < stage.arguments.size(); ++i)
      sum += distance(stage.arguments[i], function.slots[i].type);
    if (nearest && sum >= least) continue;
    nearest = &function;
    least = sum;
  }
  return nearest;
}

static std::size_t leaf_count(Type type) {
  if (!is_tuple(type)) return 1;
  std::size_t count = 0;
  for (Type element : type->elements) count += leaf_count(element);
  return count;
}

// Reports the first argument that has not the elements of its parameter; false where there is none.
static bool report_elements(Run& run, const Stage& stage, const ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    const ir::Function& function = module.functions[id];
    if (!function.is_kernel || function.name != stage.definition->name) continue;
    for (const ir::KernelParam& param : module.params[id]) {
      std::vector<std::string> given;
      for (const Argument& argument : stage.arguments)
        if (stage.definition->params[argument.owner].name == param.name)
          given.push_back(argument.brackets.before + type_text(argument) + argument.brackets.after);
      if (given.size() == leaf_count(param.type)) continue;
      run.diagnostics().report({}, diag::argument_type, param.name,
                               given.empty() ? "None" : fmt::format("{}", fmt::join(given, ", ")),
                               to_string(param.type));
      return true;
    }
  }
  return false;
}

static ExpressionInput input_of(const Stage& stage, std::span<const std::uint64_t> params) {
  ExpressionInput input{params};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    input.block_dim[axis] = static_cast<std::uint32_t>(stage.job.shape.block[axis]);
    input.grid_dim[axis] = static_cast<std::uint32_t>(stage.job.shape.grid[axis]);
  }
  return input;
}

// Says over what the kernel runs, and that it may.
static ExitCode plan_launch(Run& run, Stage& stage, std::span<const Argument> arguments,
                            const std::optional<Extents>& suited = std::nullopt) {
  std::optional<std::uint64_t> asked_shared = parse_bytes(run, stage.options.shared_bytes);
  if (run.wrong()) return ExitCode::WrongUse;
  std::vector<std::uint64_t> params = make_params(*stage.kernel, arguments);
  stage.job.shape =
      choose_launch(*stage.kernel, stage.facts->indices, params, stage.options, suited, run.diagnostics());
  if (run.wrong()) return ExitCode::WrongUse;
  ExpressionInput input = input_of(stage, params);
  if (!check_contracts(run, stage, input) || !check_shared(stage, input)) return ExitCode::WrongUse;
  const ir::Module& module = *stage.compilation->transformed();
  std::optional<std::uint64_t> shared = dynamic_shared_bytes(module, *stage.facts, input, *asked_shared);
  if (!shared || *shared > limits::shared_bytes) {
    run.diagnostics().report({}, diag::bad_command_line,
                             fmt::format("the dynamic shared arrays of a block need {} bytes; the most is {}",
                                         shared ? fmt::format("{}", *shared) : "too many",
                                         limits::shared_bytes));
    return ExitCode::WrongUse;
  }
  stage.job.shared_bytes = *asked_shared;
  return ExitCode::Done;
}

ExitCode prepare(Run& run, Stage& stage) {
  const ir::Module* module = stage.compilation->transformed();
  if (!module) return stage.compilation->exit_code();
  if (!settle_records(run, stage, *module)) return ExitCode::WrongUse;
  stage.kernel = find_instance(stage, *module);
  if (!stage.kernel && report_elements(run, stage, *module)) return ExitCode::WrongUse;
  if (!stage.kernel) {
    run.diagnostics().report({}, diag::internal_error,
                             fmt::format("there is no instance of `{}`", stage.definition->name));
    return ExitCode::Bug;
  }
  stage.facts = &stage.compilation->facts(ir::FunctionId(stage.kernel - module->functions.data()));
  if (!check_types(run, stage, *module)) return ExitCode::WrongUse;
  check_places(run, stage);
  if (run.wrong()) return ExitCode::WrongUse;
  if (!stage.is_computed)
    if (ExitCode code = plan_launch(run, stage, stage.arguments); code != ExitCode::Done) return code;
  stage.allowance = device_allowance(*module, *stage.kernel);
  return ExitCode::Done;
}

// ---- Machine code ----

// The machine said no; always false.
static bool fail(Run& run, const std::string& why) {
  run.diagnostics().report({}, diag::no_device, why);
  return false;
}

// Opens what --device names: cpu, cuda, or both.
static bool open_devices(Run& run) {
  std::string_view rest = run.session.options.device;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    std::string failure;
    run.runners.push_back(Runner::open(name, run.runners.size(), failure));
    if (!run.runners.back()) return fail(run, failure);
  }
  return true;
}

// Returns the target that the kernel is compiled for: --arch, else what the device is.
static TargetOptions target_of(const Run& run, const Runner& runner) {
  const Options& options = run.session.options;
  TargetOptions target = target_options(options, runner.name() == "cuda" ? Target::Cuda : Target::Cpu);
  bool others = run.runners.size() > 1 && named_archs(options, target.target).empty();
  if (target.arch.empty() || others) target.arch = arch_of(runner.device());
  return target;
}

// Takes the block that suits a GPU, where nobody says one. Several devices take the same block, so that what they do
// compares.
static ExitCode suit_device(Run& run, Stage& stage, const Runner& runner,
                            std::span<const Argument> arguments) {
  if (run.runners.size() > 1 || !stage.job.shape.is_free) return ExitCode::Done;
  std::string failure;
  const std::optional<Extents> suited = runner.block_of(*stage.loaded[runner.number()], failure);
  if (!suited) {
    fail(run, failure);
    return ExitCode::NoDevice;
  }
  return *suited == stage.job.shape.block ? ExitCode::Done : plan_launch(run, stage, arguments, suited);
}

static ExitCode compile_for(Run& run, Stage& stage, Runner& runner, std::span<const Argument> arguments) {
  TargetOptions target = target_of(run, runner);
  const ir::Module& module = *stage.compilation->transformed();
  if (target.target == Target::Cpu && host_cpu_lacks(target.arch)) {
    fail(run,
         fmt::format("the CPU here cannot run code for {}; `--arch=native` makes what it can", target.arch));
    return ExitCode::NoDevice;
  }
  if (target.target == Target::Cpu) {
    int asked_lanes = run.session.options.lanes.empty() ? 0 : target.lanes.lanes;
    target.lanes = lane_facts(module, *stage.kernel, stage.arguments, stage.job.shape, asked_lanes,
                              has_wide_vectors(target));
  }
  KernelCode wanted{stage.kernel->symbol, {{target.target, stage.kernel->symbol, target.lanes, {}}}};
  if (target.target == Target::Cuda) {
    const ir::Module* cuda = stage.compilation->module_for(Target::Cuda);
    if (!cuda) return stage.compilation->exit_code();
    wanted.variants = kernel_variants(*cuda, *stage.kernel, Target::Cuda);
  }
  std::unique_ptr<JitObject> object = make_jit_object(*stage.compilation, target, {&wanted, 1});
  if (!object) return stage.compilation->exit_code();
  std::string failure;
  std::unique_ptr<LoadedKernel> loaded = runner.load(std::move(object), *stage.kernel, failure);
  if (!loaded) {
    fail(run, failure);
    return ExitCode::NoDevice;
  }
  stage.loaded[runner.number()] = std::move(loaded);
  return suit_device(run, stage, runner, arguments);
}

// A GPU's code comes first, as in an object, so that sites have the same numbers.
ExitCode compile(Run& run) {
  if (!open_devices(run)) return ExitCode::NoDevice;
  for (const std::unique_ptr<Stage>& stage : run.stages) {
    stage->loaded.resize(run.runners.size());
    for (std::string_view name : {"cuda", "cpu"})
      for (const std::unique_ptr<Runner>& runner : run.runners) {
        if (runner->name() != name || stage->is_computed) continue;
        if (ExitCode code = compile_for(run, *stage, *runner, stage->arguments); code != ExitCode::Done)
          return code;
      }
  }
  return ExitCode::Done;
}

// ---- Scalars that an earlier stage computes ----

// Takes the numbers that are there now; each must fit its parameter.
static bool take_numbers(Run& run, const Stage& stage, std::span<Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Argument& argument = arguments[i];
    if (!argument.element) continue;
    const HostArray& array = *argument.element->array;
    Number& number = std::get<Scalar>(argument.value).number;
    number = load_number(array.element, array.at(argument.element->index));
    Type type = stage.kernel->slots[i].type;
    std::uint64_t words[2];
    if (store_number(type->scalar, words, number)) continue;
    std::string is =
        fmt::format("{} = {}, which does not fit", argument.text, to_string(number, array.element));
    run.diagnostics()
        .report({}, diag::argument_type, argument.param, is, to_string(type))
        .note("this is {}", stage_text(run, stage));
  }
  return !run.wrong();
}

ExitCode plan_computed(Run& run, Stage& stage, Runner& runner, std::span<Argument> arguments) {
  if (!take_numbers(run, stage, arguments)) return ExitCode::WrongUse;
  if (ExitCode code = plan_launch(run, stage, arguments); code != ExitCode::Done) return code;
  return compile_for(run, stage, runner, arguments);
}

} // namespace kern
