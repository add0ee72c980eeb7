// Two threads of a block that touch one element of shared memory with no barrier between, one of them by a store; and
// elements that are loaded though the threads which would have stored them have left. Runs of a block tell who touches
// what (block_run.h); here it is compared, and said where the barrier goes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/reachable.h"
#include "compiler/lint/lints.h"
#include "compiler/lint/picked_threads.h"
#include "compiler/lint/shared_touches.h"

namespace kern {
namespace {

using ir::Stmt;

std::string_view done(TouchKind kind) {
  switch (kind) {
  case TouchKind::Load: return "loaded";
  case TouchKind::Store: return "stored";
  case TouchKind::Atomic: break;
  }
  return "changed by an atomic";
}

// The most sizes of which it is asked what becomes of a block that they cut short.
constexpr std::size_t most_parts = 4;

class RaceReporter {
public:
  RaceReporter(LintContext& context, const ir::Function& kernel)
      : context_(context), module_(context.module), kernel_(kernel) {}

  void run() {
    SharedTouches then(module_, kernel_, BlockRun::Policy::Then);
    then.run();
    report(then);
    std::optional<SharedTouches> other;
    if (then.block().has_choices()) {
      other.emplace(module_, kernel_, BlockRun::Policy::Else);
      other->run();
      report(*other);
    }
    if (!reported_.empty() || report_never_stored(then, other ? &*other : nullptr, context_)) return;
    if (!may_lack_stores(kernel_)) return;
    SharedTouches without(module_, kernel_, BlockRun::Policy::Without);
    without.run();
    if (report_unset_flag(without, then, context_) || has_whole_blocks()) return;
    for (std::size_t number = 0; number < most_parts; ++number) {
      SharedTouches part(module_, kernel_, BlockRun::Policy::Part, number);
      part.run();
      if (report_unstored(part, then, context_)) return;
      SharedTouches rest(module_, kernel_, BlockRun::Policy::Rest, number);
      rest.run();
      if (report_unstored(rest, then, context_) || part.block().parts() <= number + 1) return;
    }
  }

private:
  // Says whether a contract may say that no block is cut short: by a remainder, a number, or the launch.
  bool has_whole_blocks() const {
    const auto counts = [](const Expression& part, const auto& again) -> bool {
      const bool is_equal = part.op == ExpressionOp::Equal;
      return part.op == ExpressionOp::Modulo || part.op == ExpressionOp::FloorDivide ||
             part.op == ExpressionOp::BitAnd || part.op == ExpressionOp::BlockDim ||
             part.op == ExpressionOp::GridDim ||
             std::ranges::any_of(part.operands, [&](const Expression& inner) {
               return (is_equal && inner.op == ExpressionOp::Constant) || again(inner, again);
             });
    };
    return std::ranges::any_of(
        kernel_.contracts, [&](const ir::Contract& contract) { return counts(contract.condition, counts); });
  }

  struct Advice {
    Span span;
    std::string text;
  };

  void report(const SharedTouches& comparer) {
    for (const auto& [array, conflict] : comparer.conflicts()) {
      if (!reported_.insert(array).second || report_update(comparer.block(), conflict)) continue;
      const Advice advice = advise(comparer.block(), conflict);
      // Arrays that one barrier mends are told once.
      if (!advised_.insert({static_cast<std::uint32_t>(advice.span.file), advice.span.begin}).second)
        continue;
      const Touched &first = conflict.first, &second = conflict.second;
      Diagnostics::Builder builder = context_.diagnostics.report(
          second.touch.stmt->span, diag::shared_race, describe_touch(second.touch), done(second.touch.kind),
          done(first.touch.kind));
      const std::string how =
          conflict.is_by_data
              ? "another thread may come to the element here: which one it is, data decide"
              : fmt::format(
                    "in a block of {} threads, thread {} comes to the element here, and thread {} there",
                    comparer.block().threads(), first.thread, second.thread);
      builder.note(first.touch.stmt->span, "{}", how);
      builder.note(advice.span, "{}", advice.text);
    }
  }

  // Returns the way from the start to a touch.
  static std::vector<std::uint32_t> way(const BlockRun& run, std::uint32_t place) {
    std::vector<std::uint32_t> result{place};
    while (place != 0) result.push_back(place = run.places()[place].outer);
    std::ranges::reverse(result);
    return result;
  }

  // Returns where the ways to both touches part: the call, or the round of a loop, that only the one or the other is in.
  static std::pair<const RunPlace*, const RunPlace*> parting(const BlockRun& run, const Conflict& conflict) {
    const std::vector<std::uint32_t> first = way(run, conflict.first.touch.place),
                                     second = way(run, conflict.second.touch.place);
    std::size_t common = 0;
    while (common < std::min(first.size(), second.size()) && first[common] == second[common]) ++common;
    const auto next = [&](const std::vector<std::uint32_t>& steps) -> const RunPlace* {
      for (std::size_t i = common; i < steps.size(); ++i)
        if (const RunPlace& step = run.places()[steps[i]]; step.kind != RunPlace::Kind::Condition)
          return &step;
      return nullptr;
    };
    return {next(first), next(second)};
  }

  const FunctionAnalyses& analyses(const ir::Function& function) {
    return context_.analyses(static_cast<ir::FunctionId>(&function - module_.functions.data()));
  }

  // Reports two touches that are parts of one change of an element, which no barrier mends, and says whether
  // they are.
  bool report_update(const BlockRun& run, const Conflict& conflict) {
    const Touch &first = conflict.first.touch, &second = conflict.second.touch;
    const auto [a, b] = parting(run, conflict);
    if (a || b || first.function != second.function) return false;
    const bool is_first = std::holds_alternative<ir::Store>(first.stmt->node);
    const Stmt& stmt = is_first ? *first.stmt : *second.stmt;
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    const auto* load = std::get_if<ir::Load>(&(is_first ? second : first).stmt->node);
    const Updates& updates = analyses(*first.function).updates;
    if (!store || !load || !updates.is_element(*load, *store)) return false;
    const std::optional<std::string> atomic =
        updates.atomic(*store, stmt.span, analyses(*first.function).tests_around(stmt));
    if (!atomic && !updates.updates(*store)) return false;
    if (std::ranges::find(context_.told, stmt.span) != context_.told.end()) return true;
    Diagnostics::Builder builder = context_.diagnostics.report(
        stmt.span, diag::lost_update, describe_touch(is_first ? first : second),
        atomic ? fmt::format("write `{}`", *atomic) : "use an atomic, or an element for each thread");
    builder.note(stmt.span, "in a block of {} threads, thread {} and thread {} come to the same element",
                 run.threads(), std::min(conflict.first.thread, conflict.second.thread),
                 std::max(conflict.first.thread, conflict.second.thread));
    return true;
  }

  // Says where the barrier goes: the ways of both part in a function, or in the rounds of a loop.
  Advice advise(const BlockRun& run, const Conflict& conflict) {
    const auto [a, b] = parting(run, conflict);
    const std::string barrier = fmt::format("`{}syncthreads()`", context_.prefix);
    const bool is_carried = a && b && a->kind == RunPlace::Kind::Round && b->kind == RunPlace::Kind::Round &&
                            a->stmt == b->stmt && a->number != b->number;
    if (is_carried)
      return {a->stmt->span, fmt::format("write {} as the last statement of this loop", barrier)};
    const ir::Function& function = a ? *a->function : *conflict.first.touch.function;
    const Stmt* earlier = a ? a->stmt : conflict.first.touch.stmt;
    const Stmt* later = b ? b->stmt : conflict.second.touch.stmt;
    const Nesting& where = analyses(function).nesting;
    // Up to the body that holds both.
    std::map<const ir::Body*, const Stmt*> bodies;
    for (const Stmt* stmt = earlier; stmt; stmt = where.of(*stmt).outer)
      bodies.emplace(where.of(*stmt).body, stmt);
    const Stmt* child = later;
    while (child && !bodies.contains(where.of(*child).body)) child = where.of(*child).outer;
    if (!child || bodies.at(where.of(*child).body) == child)
      return {later->span,
              fmt::format("let {} stand between them, where all threads of the block come to it", barrier)};
    // No barrier stands within a statement.
    const bool is_one =
        earlier->span.file == child->span.file &&
        context_.sources.locate(earlier->span).line == context_.sources.locate(child->span).line;
    if (is_one)
      return {
          child->span,
          fmt::format("load into a local in a line of its own, write {} behind it, and store then", barrier)};
    return {child->span, fmt::format("write {} before this", barrier)};
  }

  LintContext& context_;
  const ir::Module& module_;
  const ir::Function& kernel_;
  std::set<std::uint32_t> reported_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> advised_;
};

} // namespace

void report_shared_races(LintContext& context) {
  const ir::Module& module = context.module;
  if (module.shared.empty()) return;
  for (const ir::Function& kernel : module.functions) {
    if (!kernel.is_kernel) continue;
    const bool touches = ir::any_reachable(module, kernel.body, [](const Stmt& stmt) {
      const std::optional<ir::Element> element = ir::element_of(stmt);
      return element && element->array.type->space == AddressSpace::Shared;
    });
    if (touches && !waits_for_others(module, kernel)) RaceReporter(context, kernel).run();
  }
}

} // namespace kern
