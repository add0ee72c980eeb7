// A signature is that of the function for one call of it. The kernel takes arrays of what the calls take,
// with one axis more.
#include "compiler/check/generated_types.h"

#include <fmt/format.h>

#include "compiler/check/hooks.h"
#include "compiler/check/host_names.h"
#include "compiler/check/instances.h"
#include "compiler/check/scopes.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

using Kind = ast::Generated::Kind;

static FunctionSymbol* symbol_of(Context& context, const ast::FunctionDef& def) {
  const values::FunctionData* data = context.host ? context.host->modules.function_of(def) : nullptr;
  return data ? &function_symbol(context, *data) : nullptr;
}

// Returns what a function of elements returns for elements of these types. Where that is wrong the kernel's
// own check says so, and any type will do.
static Type result_of(Context& context, const ast::FunctionDef& kernel, std::span<const Type> elements) {
  const ReportingScope quiet(context.diagnostics, false);
  const FunctionSymbol* function = symbol_of(context, *kernel.generated->function);
  std::vector<Value> args;
  for (Type element : elements) args.push_back(runtime_value({element, std::nullopt, 0}, kernel.name_span));
  Instance* instance =
      function ? find_instance(context, *function, std::move(args), false, nullptr, kernel.name_span)
               : nullptr;
  if (!instance) return types::f64;
  infer(context, *instance);
  const Type result = default_type(instance->result.type);
  return is_scalar(result) ? result : types::f64;
}

// Returns the type of a parameter of the kernel, or of its result behind them, from what one call has there;
// nothing where no call can have it.
static std::optional<Type> kernel_type(Context& context, const ast::Generated& generated, std::size_t i,
                                       Type type) {
  const bool is_elementwise = generated.kind == Kind::Elementwise;
  const bool is_plain = is_array(type) && !is_point(type) && !is_record_array(type);
  const int rank = is_plain ? type->rank : 0;
  const int axes = is_elementwise ? 0 : static_cast<int>(generated.layout[i].size());
  // A call that takes an array where the layout names no axes gets one of one element.
  const bool is_one = !is_elementwise && axes == 0 && rank == 1;
  if ((!is_plain && !is_scalar(type)) || (rank != axes && !is_one)) return std::nullopt;
  return context.module.types.array(type->scalar, is_one && i >= generated.inputs ? 1 : rank + 1,
                                    AddressSpace::Global, is_plain ? type->layout : Layout::Any);
}

std::optional<std::vector<Type>> generated_types(Context& context, const ast::FunctionDef& kernel,
                                                 const DeclaredTypes& declared, Span place) {
  const ast::Generated& generated = *kernel.generated;
  const bool is_elementwise = generated.kind == Kind::Elementwise;
  auto refuse = [&](std::string_view why) {
    context.diagnostics
        .report(place, diag::generated_signature, is_elementwise ? "vectorize" : "guvectorize", why)
        .note(kernel.name_span, "`{}` is defined here", kernel.name);
    return std::nullopt;
  };
  if (const std::size_t count = generated.function->params.size(); declared.params.size() != count)
    return refuse(fmt::format("`{}` has {} parameters, and it names {} types", kernel.name, count,
                              declared.params.size()));
  if (!is_elementwise && declared.result.value_or(types::none) != types::none)
    return refuse("the function returns nothing; its results are parameters");
  std::vector<Type> types = declared.params;
  if (is_elementwise) types.push_back(declared.result.value_or(types::unknown));
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] == types::unknown) types[i] = result_of(context, kernel, declared.params);
    std::optional<Type> type = kernel_type(context, generated, i, types[i]);
    if (!type)
      return refuse(fmt::format(
          "{} stands where {} is wanted", to_string(types[i]),
          is_elementwise || generated.layout[i].empty()
              ? "a number"
              : fmt::format("an array with the axes ({})", fmt::join(generated.layout[i], ", "))));
    types[i] = *type;
  }
  return types;
}

} // namespace kern::checker

namespace kern {

std::optional<std::vector<std::vector<GeneratedParam>>>
generated_types(const Program& program, const CheckOptions& options, const ast::FunctionDef& kernel,
                std::span<const ScalarKind> inputs, Diagnostics& diagnostics) {
  using namespace checker;
  Context context{program, options, diagnostics, hooks};
  {
    const ReportingScope quiet(diagnostics, false);
    build_scopes(context);
  }
  std::vector<std::vector<GeneratedParam>> all;
  const FunctionSymbol* function = symbol_of(context, kernel);
  auto add = [&](const DeclaredTypes& declared, Span place) {
    std::optional<std::vector<Type>> types = checker::generated_types(context, kernel, declared, place);
    if (types) all.emplace_back();
    for (Type type : types.value_or(std::vector<Type>{})) all.back().push_back({type->scalar, type->rank});
    return types.has_value();
  };
  for (const WrittenSignature& signature :
       function ? function->options.signatures : std::vector<WrittenSignature>{}) {
    std::optional<DeclaredTypes> declared = read_signature(context, *function->file, signature);
    if (!declared || !add(*declared, signature.span)) return std::nullopt;
  }
  if (!all.empty()) return all;
  DeclaredTypes given;
  for (ScalarKind kind : inputs) given.params.push_back(types::scalar(kind));
  if (kernel.generated->kind == Kind::Elementwise) {
    add(given, kernel.name_span);
    return all;
  }
  all.emplace_back();
  for (ScalarKind kind : inputs) all.back().push_back({kind, 1});
  return all;
}

} // namespace kern
