// Finds the overloads of a function, has python/ run the one that fits on the types of a call, and calls what it returns.
// Overloads are compared by the function that a name means, not by the name, since a file may import it as it likes.
#include "compiler/check/overloads.h"

#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/check/calls.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/expressions.h"
#include "compiler/check/foreign_values.h"
#include "compiler/check/host_names.h"
#include "compiler/check/inner_functions.h"
#include "compiler/check/instances.h"
#include "compiler/check/overload_names.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

namespace {

using values::as;

// ---- The overloads of a program ----

const values::Value* keyword_of(const values::TermData& call, std::string_view name) {
  const auto found = std::ranges::find(call.keywords, name, &values::NamedValue::name);
  return found == call.keywords.end() ? nullptr : &found->value;
}

// Adds what a decorator makes of a function.
void add_overload(Context& context, const values::FunctionData& function, const values::TermData& call,
                  std::vector<Overload>& found) {
  const values::Value* option = keyword_of(call, "target");
  const auto* text = option ? as<values::Text>(*option) : nullptr;
  const std::string_view target = text ? text->text : "";
  const bool is_cuda = target == "cuda" || target == "gpu";
  const bool is_ours = target.empty() || is_cuda || target == "generic";
  if (!is_ours || call.args.empty() || !function.statement) return;
  // types.Literal, IntegerLiteral, x.literal_value
  const ast::HostStatement& statement = *function.statement;
  const std::string_view code =
      context.source({statement.span.file, statement.name_span.end, statement.span.end});
  const bool asks = code.find("iteral") != code.npos;
  const values::Value* prefers = keyword_of(call, "prefer_literal");
  found.push_back(
      {&function, call.args[0], is_cuda, asks, asks && prefers && values::truth_of(*prefers) == true});
}

const std::vector<Overload>& overloads_of(Context& context) {
  if (context.overloads) return *context.overloads;
  std::vector<Overload> found;
  const std::vector<const values::FunctionData*> decorated =
      context.host ? context.host->modules.decorated_by(".overload")
                   : std::vector<const values::FunctionData*>{};
  for (const values::FunctionData* function : decorated)
    for (const values::Value& decorator : function->decorators)
      if (const auto* term = as<values::Term>(decorator))
        add_overload(context, *function, *term->data, found);
  std::ranges::stable_partition(found, &Overload::is_cuda);
  return context.overloads.emplace(std::move(found));
}

// ---- A call ----

// Says whether a function takes what its overload takes: the same names, with the same defaults.
bool has_same_params(const Overload& overload, const FunctionSymbol& made) {
  std::span<const ast::Param> wanted = overload.params(), params = made.def->params;
  const std::span<const values::Value> own = overload.function->defaults;
  const std::span<const values::Value> other = made.data ? made.data->defaults : own;
  if (wanted.size() != params.size() || own.size() != other.size()) return false;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (wanted[i].name != params[i].name || wanted[i].kind != params[i].kind ||
        !wanted[i].default_value != !params[i].default_value)
      return false;
  return std::ranges::equal(own, other, values::is_same);
}

// The function that an overload makes of the types of a call.
struct Made {
  const FunctionSymbol* function = nullptr; // null where it takes none of these types
  HostFound unknown{};                      // what it returns, where that is not known
  bool is_known() const { return unknown.modules == nullptr; }
};

Made made_of(Checker& checker, const Overload& overload, const Args& args) {
  const std::optional<HostFound> found = call_with_types(checker, *overload.function, args);
  if (!found || as<values::None>(found->found.value)) return {};
  if (const auto* function = as<values::Function>(found->found.value); function && function->data->def)
    return {&function_symbol(checker.context, *function->data), {}};
  const bool is_unknown = as<values::Unknown>(found->found.value) || as<values::Foreign>(found->found.value);
  return is_unknown ? Made{nullptr, *found} : Made{};
}

Made made_by(Checker& checker, const Overload& overload, const Args& args, Span span) {
  const std::size_t steps = args.positional.size() + args.keywords.size() + 1;
  return checker.count_steps(steps, span) ? made_of(checker, overload, args) : Made{};
}

// Reports an overload of which nobody knows what it returns. That of a parameter of a function around it is another error.
void report_unknown(Checker& checker, std::string_view name, const Overload& overload, const Made& made,
                    Span span) {
  Report error = checker.report(span, diag::overloaded_function, name);
  const auto* unknown = as<values::Unknown>(made.unknown.found.value);
  error.note(unknown ? unknown->where : made.unknown.found.where,
             "`{}` makes its code, and what it does here does not follow from the types of the call",
             overload.name());
}

bool is_captured(const Made& made) {
  const auto* unknown = made.is_known() ? nullptr : as<values::Unknown>(made.unknown.found.value);
  return unknown && unknown->why == values::Why::Captured;
}

// Says whether a name means something without any overload.
bool is_known_name(Checker& checker, const ast::Expr& callee) {
  const ReportingScope quiet(checker.context.diagnostics, false);
  Checker again(checker.context, checker.scope, nullptr);
  return !is_error(evaluate(again, callee));
}

bool is_unknown_argument(const Args& args) {
  return std::ranges::any_of(args.positional, has_unknown) ||
         std::ranges::any_of(args.keywords, [](const auto& keyword) { return has_unknown(keyword.second); });
}

bool has_literal(const Args& args) {
  auto is_one = [](const Value& value) {
    return is_literal(value) || value.kind == ValueKind::String || value.is_written;
  };
  return std::ranges::any_of(args.positional, is_one) ||
         std::ranges::any_of(args.keywords, [&](const auto& keyword) { return is_one(keyword.second); });
}

std::string described(Checker& checker, const Args& args) {
  std::string text;
  for (const Value& value : args.positional) text += (text.empty() ? "" : ", ") + describe(checker, value);
  for (const auto& [name, value] : args.keywords)
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", name, describe(checker, value));
  return text.empty() ? "no arguments" : text;
}

// Returns the overloads of what a callee means, in the order in which they are asked.
std::vector<const Overload*> candidates_of(Checker& checker, const ast::Expr& callee) {
  if (!checker.instance || !checker.scope->is_numba()) return {};
  Context& context = checker.context;
  const std::vector<Overload>& all = overloads_of(context);
  if (all.empty()) return {};
  const std::string name = ast::dotted_name(callee);
  const std::string_view first = std::string_view(name).substr(0, name.find('.'));
  if (name.empty() || find_local(checker, first) || inner_function(checker, first, callee.span)) return {};
  const std::optional<python::Found> meant =
      context.host->modules.evaluate(callee, checker.scope->reader, checker.scope->index);
  const auto* function = meant ? as<values::Function>(meant->value) : nullptr;
  const bool is_path = meant && as<values::Path>(meant->value);
  // Numba compiles one with a decorator of its own itself.
  if (!is_path && (!function || function->data->is_jit)) return {};
  std::vector<const Overload*> candidates;
  for (const Overload& overload : all)
    if (values::is_same(overload.target, meant->value)) candidates.push_back(&overload);
  if (!candidates.empty() && is_path && is_known_name(checker, callee)) return {};
  return candidates;
}

} // namespace

std::optional<Value> call_of_overload(Checker& checker, const ast::Call& call) {
  const std::vector<const Overload*> candidates = candidates_of(checker, *call.callee);
  if (candidates.empty()) return std::nullopt;
  const std::string name = ast::dotted_name(*call.callee);
  std::optional<Args> args = evaluate_args(checker, call);
  if (!args) return error_value(call.span);
  const bool waits = is_unknown_argument(*args);
  for (const Overload* overload : candidates) {
    if (overload->prefers_literals && has_literal(*args)) {
      checker.report(call.span, diag::overloaded_function, name)
          .note(overload->name_span(),
                "`{}` is given what a literal is, by `prefer_literal`, and here it would be given its type",
                overload->name());
      return error_value(call.span);
    }
    const Made made = made_by(checker, *overload, *args, call.span);
    if (!made.is_known()) {
      // If the types are not known yet, neither is what follows from them; captured values follow from none.
      if (waits && !is_captured(made)) return unknown_value(call.span);
      if (is_captured(made))
        report_unknown(checker, made.unknown, name, call.span);
      else
        report_unknown(checker, name, *overload, made, call.span);
      return error_value(call.span);
    }
    if (!made.function) continue;
    if (!has_same_params(*overload, *made.function)) {
      checker.report(call.span, diag::overload_parameters, name)
          .note(overload->name_span(), "`{}` is given the types of the call", overload->name())
          .note(made.function->def->name_span,
                "it returns this function, which must take the same parameters");
      return error_value(call.span);
    }
    return waits ? unknown_value(call.span) : call_function(checker, *made.function, *args, call.span);
  }
  if (waits) return unknown_value(call.span);
  Report error = checker.report(call.span, diag::no_overload, name, described(checker, *args));
  for (const Overload* overload : candidates)
    error.note(overload->name_span(), "`{}` returns no function for them{}", overload->name(),
               overload->asks_for_literals && has_literal(*args)
                   ? "; what a literal is, for which Numba asks then, is not told here"
                   : "");
  return error_value(call.span);
}

bool has_overload(Context& context, const values::FunctionData& function) {
  return std::ranges::any_of(overloads_of(context), [&](const Overload& overload) {
    const auto* of = as<values::Function>(overload.target);
    return of && of->data == &function && !function.is_jit;
  });
}

void note_overloaded_attribute(Checker& checker, Report& error, std::string_view name) {
  if (!checker.context.host) return;
  for (const std::string_view kind : {"overload_method", "overload_attribute"})
    for (const values::FunctionData* function : checker.context.host->modules.decorated_by(kind))
      for (const values::Value& decorator : function->decorators) {
        const auto* term = as<values::Term>(decorator);
        const auto* text =
            term && term->data->args.size() > 1 ? as<values::Text>(term->data->args[1]) : nullptr;
        if (!text || text->text != name || !function->statement) continue;
        error.note(function->statement->name_span,
                   "`@{}` makes it of types of Numba, which is not here; write a device function, `{}(x)`",
                   kind, name);
      }
}

std::optional<const FunctionSymbol*> overload_without_types(Checker& checker, const ast::Expr& callee) {
  const std::vector<const Overload*> candidates = candidates_of(checker, callee);
  if (candidates.empty()) return std::nullopt;
  Context& context = checker.context;
  const Overload& overload = *candidates.front();
  Args unknown;
  for (const ast::Param& param : overload.params())
    if (param.kind == ast::ParamKind::Normal) unknown.positional.push_back(unknown_value(callee.span));
  const Made made = made_of(checker, overload, unknown);
  if (!made.function) {
    if (is_captured(made)) report_unknown(checker, made.unknown, context.source(callee.span), callee.span);
    return nullptr;
  }
  // An overload may lead back to itself, so the names are looked over in a new instance only.
  const std::size_t before = context.instances.size();
  std::vector<Value> args(made.function->def->params.size(), unknown_value(callee.span));
  find_instance(context, *made.function, std::move(args), false, nullptr, callee.span);
  return context.instances.size() > before ? made.function : nullptr;
}

} // namespace kern::checker
