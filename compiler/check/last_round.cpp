// The last round of an instance, whose IR is kept.
#include "compiler/check/rounds.h"

#include "compiler/check/core/checker.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/instances.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/ir/param_block.h"
#include "compiler/support/limits.h"

namespace kern::checker {

static void collect_results(Type type, std::vector<Type>& results) {
  if (type == types::none) return;
  if (!is_tuple(type)) return results.push_back(type);
  for (Type element : type->elements) collect_results(element, results);
}

static std::string docstring(const ast::FunctionDef& def) {
  const auto* first = def.body.empty() ? nullptr : ast::as<ast::ExprStmt>(def.body.front());
  const auto* text = first ? ast::as<ast::StringLiteral>(first->value) : nullptr;
  return text ? std::string(text->value) : "";
}

// Returns the type of what the running program passes for a parameter: constants and functions in a tuple are
// no part of it; nothing where nothing is passed.
static std::optional<Type> passed_type(Context& context, const Value& value) {
  if (is_fixed(value)) return std::nullopt;
  if (value.kind == ValueKind::Runtime) return value.type;
  std::vector<Type> elements;
  for (const Value& element : value.elements)
    if (std::optional<Type> type = passed_type(context, element)) elements.push_back(*type);
  if (!is_tuple(value) || elements.empty()) return std::nullopt;
  if (is_record(value.type)) return value.type;
  return context.module.types.tuple(elements);
}

static std::uint32_t count_leaves(Type type) {
  if (!is_tuple(type)) return 1;
  std::uint32_t count = 0;
  for (Type element : type->elements) count += count_leaves(element);
  return count;
}

static void describe_params(Context& context, const Instance& instance, std::size_t index) {
  std::uint32_t slot = 0;
  for (std::size_t i = 0; i < instance.args.size(); ++i) {
    std::optional<Type> type = passed_type(context, instance.args[i]);
    if (!type) continue;
    std::string name(instance.function->def->params[i].name);
    context.module.params[index].push_back({std::move(name), *type, slot});
    slot += count_leaves(*type);
  }
}

// The same limit on every device: a program that runs on one is not too large for another.
static void check_parameter_bytes(Context& context, const ir::Function& function) {
  std::int64_t slots = 1; // the launch record
  for (std::uint32_t slot = 0; slot < function.param_count; ++slot)
    slots += ir::block_slots(function.slots[slot].type);
  if (slots * 8 > limits::parameter_bytes)
    context.diagnostics.report(function.span, diag::parameters_too_large, function.name, slots * 8,
                               limits::parameter_bytes);
}

ir::FunctionId emit(Context& context, Instance& instance) {
  if (instance.id) return *instance.id;
  infer(context, instance);
  instance.state = Instance::State::Emitting;
  context.active.push_back(&instance);
  std::size_t index = context.module.functions.size();
  instance.id = static_cast<ir::FunctionId>(index);
  context.module.functions.emplace_back();
  context.module.params.emplace_back();
  const ast::FunctionDef& def = *instance.function->def;
  Checker checker(context, instance.function->file, &instance);
  checker.final = true;
  if (!instance.settled) checker.report(def.name_span, diag::types_do_not_settle, def.name);
  run_round(checker, instance);
  report_widening(checker);
  bool has_type = instance.is_kernel || instance.result.type != types::unknown;
  if (!has_type && !context.diagnostics.has_errors())
    checker.report(def.name_span, diag::recursion_without_type, def.name);
  ir::Function function = checker.finish();
  function.name = def.name;
  function.symbol = instance_symbol(instance);
  function.is_kernel = instance.is_kernel;
  if (instance.is_kernel) function.options = instance.function->options.kernel;
  function.options.fast_math = instance.fast_math;
  function.is_uniform = instance.function->options.is_uniform;
  collect_results(instance.is_kernel ? types::none : instance.result.type, function.results);
  function.doc = docstring(def);
  function.span = def.name_span;
  if (instance.is_kernel) check_parameter_bytes(context, function);
  context.statements += checker.statements();
  context.module.functions[index] = std::move(function);
  describe_params(context, instance, index);
  context.active.pop_back();
  instance.state = Instance::State::Emitted;
  return *instance.id;
}

} // namespace kern::checker
