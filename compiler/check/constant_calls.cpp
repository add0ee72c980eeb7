// Runs the statements of a function one after the other over values that are known: names get values, conditions choose, loops go
// round. What the checker would write code for is not constant. Each statement counts as work, so that no loop goes on for ever.
#include "compiler/check/constant_calls.h"
#include "compiler/check/arrays/iteration.h"
#include "compiler/check/calls.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/expressions.h"
#include "compiler/check/signatures.h"

#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

constexpr std::size_t steps_of_statement = 10;

enum class Flow : std::uint8_t { Next, Break, Continue, Return, Failed };

class ConstantCall {
public:
  ConstantCall(Context& context, const FunctionSymbol& callee)
      : checker_(context, callee.file, nullptr), frame_{callee, {}} {
    checker_.final = true;
    checker_.frame = &frame_;
  }

  // Returns nothing where it failed.
  std::optional<Value> run(std::span<const Value> args) {
    const ast::FunctionDef& def = *frame_.function.def;
    for (std::size_t i = 0; i < args.size(); ++i)
      if (!set(def.params[i].name, def.params[i].annotation, args[i], Purpose::Argument)) return std::nullopt;
    const Flow flow = run(def.body);
    if (flow == Flow::Failed) return std::nullopt;
    if (flow != Flow::Return) result_ = plain_value(ValueKind::None, def.name_span);
    return def.returns ? converted(*def.returns, result_, Purpose::Return) : result_;
  }

  // Where it came to what is not known, for a note; nothing where an error says what is wrong.
  std::optional<Span> place() const { return checker_.errors() > 0 ? std::nullopt : place_; }

private:
  // ---- Values ----

  // Evaluates an expression; nothing where it is not known.
  std::optional<Value> evaluate(const ast::Expr& expr) {
    std::optional<Value> value = known(checker::evaluate(checker_, expr));
    if (!value) place_ = expr.span;
    return value;
  }

  std::optional<Value> known(Value value) const {
    const bool is_known = !is_error(value) && is_constant(value) && checker_.body().empty();
    return is_known ? std::optional(std::move(value)) : std::nullopt;
  }

  std::optional<bool> truth(const ast::Expr& condition) {
    const std::optional<Value> value = evaluate(condition);
    const std::optional<bool> truth = value ? constant_truth(*value) : std::nullopt;
    if (!truth) place_ = condition.span;
    return truth;
  }

  std::optional<Value> converted(const ast::Expr& annotation, const Value& value, Purpose purpose) {
    const std::optional<Type> type = type_of_expr(checker_.context, *checker_.scope, annotation);
    if (!type) return std::nullopt;
    Value result = convert_value(checker_, value, *type, purpose);
    place_ = value.span;
    return is_error(result) || checker_.errors() > 0 ? std::nullopt : std::optional(result);
  }

  bool set(std::string_view name, const ast::Expr* annotation, Value value, Purpose purpose) {
    std::optional<Value> kept = annotation ? converted(*annotation, value, purpose) : std::move(value);
    if (kept) frame_.names.insert_or_assign(name, std::move(*kept));
    return kept.has_value();
  }

  bool assign(const ast::Expr& target, const Value& value) {
    if (const auto* name = ast::as<ast::Name>(&target))
      return set(name->text, nullptr, value, Purpose::Assignment);
    const auto* tuple = ast::as<ast::Tuple>(&target);
    if (!tuple || !is_tuple(value) || tuple->elements.size() != value.elements.size()) {
      place_ = target.span;
      return false;
    }
    for (std::size_t i = 0; i < value.elements.size(); ++i)
      if (!assign(*tuple->elements[i], value.elements[i])) return false;
    return true;
  }

  // ---- Statements ----

  Flow run(ast::Block body) {
    for (const ast::Stmt* stmt : body)
      if (Flow flow = run(*stmt); flow != Flow::Next) return flow;
    return Flow::Next;
  }

  static Flow next_if(bool good) { return good ? Flow::Next : Flow::Failed; }

  Flow run(const ast::Stmt& stmt) {
    place_ = stmt.span;
    if (!checker_.count_steps(steps_of_statement, stmt.span)) return Flow::Failed;
    if (const auto* node = ast::as<ast::Assign>(&stmt)) return run_assign(*node);
    if (const auto* node = ast::as<ast::AnnAssign>(&stmt)) return run_annotated(*node);
    if (const auto* node = ast::as<ast::AugAssign>(&stmt)) return run_augmented(*node);
    if (const auto* node = ast::as<ast::If>(&stmt)) {
      const std::optional<bool> holds = truth(*node->condition);
      return holds ? run(*holds ? node->then_body : node->else_body) : Flow::Failed;
    }
    if (const auto* node = ast::as<ast::While>(&stmt)) return run_while(*node);
    if (const auto* node = ast::as<ast::For>(&stmt)) return run_for(*node);
    if (const auto* node = ast::as<ast::Return>(&stmt)) return run_return(*node);
    if (const auto* node = ast::as<ast::Assert>(&stmt)) return next_if(truth(*node->condition) == true);
    if (ast::as<ast::Break>(&stmt)) return Flow::Break;
    if (ast::as<ast::Continue>(&stmt)) return Flow::Continue;
    const auto* expr = ast::as<ast::ExprStmt>(&stmt);
    const bool is_docstring = expr && ast::as<ast::StringLiteral>(expr->value);
    return next_if(is_docstring || ast::as<ast::Pass>(&stmt));
  }

  Flow run_assign(const ast::Assign& stmt) {
    const std::optional<Value> value = evaluate(*stmt.value);
    if (!value) return Flow::Failed;
    for (const ast::Expr* target : stmt.targets)
      if (!assign(*target, *value)) return Flow::Failed;
    return Flow::Next;
  }

  Flow run_annotated(const ast::AnnAssign& stmt) {
    const auto* name = ast::as<ast::Name>(stmt.target);
    if (!name) return Flow::Failed;
    if (!stmt.value) return Flow::Next;
    const std::optional<Value> value = evaluate(*stmt.value);
    return next_if(value && set(name->text, stmt.annotation, *value, Purpose::Assignment));
  }

  Flow run_augmented(const ast::AugAssign& stmt) {
    const auto* name = ast::as<ast::Name>(stmt.target);
    if (!name) return Flow::Failed;
    const std::optional<Value> before = evaluate(*name), operand = evaluate(*stmt.value);
    if (!before || !operand) return Flow::Failed;
    const std::optional<Value> value = known(binary(checker_, stmt.op, *before, *operand, stmt.span));
    return next_if(value && set(name->text, nullptr, *value, Purpose::Assignment));
  }

  Flow run_return(const ast::Return& stmt) {
    result_ = plain_value(ValueKind::None, stmt.span);
    if (!stmt.value) return Flow::Return;
    std::optional<Value> value = evaluate(*stmt.value);
    if (!value) return Flow::Failed;
    result_ = std::move(*value);
    return Flow::Return;
  }

  // What a round of a loop comes to: whether there is another one, or how the loop ends.
  static bool goes_on(Flow& flow) {
    if (flow == Flow::Continue) flow = Flow::Next;
    return flow == Flow::Next;
  }

  Flow run_while(const ast::While& stmt) {
    for (;;) {
      if (!checker_.count_steps(steps_of_statement, stmt.span)) return Flow::Failed;
      const std::optional<bool> holds = truth(*stmt.condition);
      if (!holds) return Flow::Failed;
      if (!*holds) return run(stmt.else_body);
      Flow flow = run(stmt.body);
      if (!goes_on(flow)) return flow == Flow::Break ? Flow::Next : flow;
    }
  }

  Flow run_for(const ast::For& stmt) {
    const std::optional<Value> over = evaluate(*stmt.iterable);
    if (!over) return Flow::Failed;
    if (over->kind == ValueKind::Range) return run_range(stmt, *over);
    const std::optional<Iteration> rounds = iterate(checker_, *over);
    if (!rounds || !rounds->fixed_count) return Flow::Failed;
    for (std::size_t k = 0; k < *rounds->fixed_count; ++k) {
      const Value element = rounds->element(int_value(static_cast<WideInt>(k), stmt.target->span));
      Flow flow = assign(*stmt.target, element) ? run(stmt.body) : Flow::Failed;
      if (!goes_on(flow)) return flow == Flow::Break ? Flow::Next : flow;
    }
    return run(stmt.else_body);
  }

  Flow run_range(const ast::For& stmt, const Value& range) {
    const std::optional<WideInt> start = constant_integer(range.elements[0]),
                                 stop = constant_integer(range.elements[1]),
                                 step = constant_integer(range.elements[2]);
    if (!start || !stop || !step || *step == 0) return Flow::Failed;
    for (WideInt i = *start; *step > 0 ? i < *stop : i > *stop; i += *step) {
      if (!checker_.count_steps(steps_of_statement, stmt.span)) return Flow::Failed;
      Flow flow = assign(*stmt.target, int_value(i, stmt.target->span)) ? run(stmt.body) : Flow::Failed;
      if (!goes_on(flow)) return flow == Flow::Break ? Flow::Next : flow;
    }
    return run(stmt.else_body);
  }

  Checker checker_;
  ConstantFrame frame_;
  Value result_;
  std::optional<Span> place_;
};

} // namespace

std::optional<Value> constant_call(Checker& checker, const FunctionSymbol& callee, const Args& args,
                                   Span span) {
  Context& context = checker.context;
  if (callee.file->is_numba() || callee.options.is_kernel || context.open_constants >= limits::host_calls)
    return std::nullopt;
  const std::optional<std::vector<Value>> values = bind_params(checker, callee, args, span);
  if (!values) return error_value(span);
  for (const Value& value : *values)
    if (is_error(value)) return value;
  ++context.open_constants;
  ConstantCall call(context, callee);
  std::optional<Value> result = call.run(*values);
  --context.open_constants;
  if (result) return read_at(*result, span);
  if (std::optional<Span> place = call.place())
    checker.report(span, diag::not_constant, context.source(span))
        .note(*place, "`{}` comes here to what is not known before the program runs", callee.def->name);
  else
    checker.count_error();
  return error_value(span);
}

} // namespace kern::checker
