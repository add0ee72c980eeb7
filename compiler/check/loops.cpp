// for: over a range (the trip count is computed before), over the elements of arrays, and over tuples, which
// unrolls.
#include <algorithm>

#include "compiler/check/arrays/iteration.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/target_casts.h"
#include "compiler/check/expressions.h"
#include "compiler/check/statements.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/types.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"

namespace kern::checker {

static Value unknown_or_error(const Value& iterable) {
  bool wrong = is_error(iterable);
  for (const Value& part : iterable.elements) wrong = wrong || is_error(part);
  return wrong ? error_value(iterable.span) : unknown_value(iterable.span);
}

// Emits a loop. The operands that it reads at its start must not change in its body: one that the body
// assigns is copied first.
static void emit_for(Checker& checker, ir::SlotId slot, ir::Operand start, ir::Operand step,
                     ir::Operand count, ir::Body inner, Span span, std::optional<ir::Operand> stop = {},
                     std::uint32_t unroll = 0) {
  auto keep = [&](ir::Operand& operand) {
    if (operand.slot && (*operand.slot == slot || ir::assigns(inner, *operand.slot)))
      operand = checker.temp(operand.type, ir::Copy{operand}, span);
  };
  for (ir::Operand* operand : {&start, &step, &count}) keep(*operand);
  if (stop) keep(*stop);
  checker.emit(ir::For{slot, start, step, count, std::move(inner), stop, unroll}, span);
}

static void check_loop_body(Checker& checker, ast::Block block, ir::Body& inner,
                            const std::function<void()>& prologue) {
  checker.loops.inside(checker.loops.take_flag(), [&] {
    inner = conditional_body(checker, [&] {
      prologue();
      check_block(checker, block);
    });
  });
}

// Returns how many rounds of a loop stand one behind the other.
static std::size_t rounds_of(std::uint32_t unroll, const ir::Operand& count) {
  if (unroll != ir::unroll_all) return std::max<std::size_t>(unroll, 1);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(ir::int_value(count), 1, INT32_MAX));
}

// Returns the statements of a body once its loops are unrolled as `unroll` says.
static std::size_t unrolled_size(const ir::Body& body) {
  std::size_t size = body.size();
  for (const ir::Stmt& stmt : body) {
    const auto* loop = std::get_if<ir::For>(&stmt.node);
    const std::size_t rounds = loop ? rounds_of(loop->unroll, loop->count) : 1;
    ir::visit_bodies(stmt, [&](const ir::Body& inner) { size += rounds * unrolled_size(inner); });
  }
  return size;
}

// Returns what `unroll` asks for a loop; 0 where that cannot be, which is reported.
static std::uint32_t checked_unroll(Checker& checker, std::uint32_t unroll, const ir::Operand& count,
                                    const ir::Body& inner, Span span) {
  if (unroll <= 1) return unroll;
  if (unroll == ir::unroll_all && count.slot) {
    checker.report(span, diag::unroll_rounds);
    return 0;
  }
  const std::size_t rounds = rounds_of(unroll, count), size = rounds * unrolled_size(inner);
  if (size <= limits::unrolled_statements) return unroll;
  checker.report(span, diag::unroll_length, rounds, size, limits::unrolled_statements);
  return 0;
}

// Checks the first and the last number of a range whose variable is declared with a type that does not hold all of them.
static void check_range_ends(Checker& checker, const Local& local, const Range& range, Span span) {
  bool checks = local.annotated && is_scalar(local.type) && is_integer(local.type) &&
                !keeps_value(range.type, local.type);
  if (!checks) return;
  ir::Operand zero = number(0), one = number(1);
  ir::Body ends = conditional_body(checker, [&] {
    ir::Operand steps =
        cast(checker, checker.binary(ir::BinaryOp::Subtract, range.count, one, span), range.type, span);
    ir::Operand way = checker.binary(ir::BinaryOp::Multiply, steps, range.step, span);
    ir::Operand last = checker.binary(ir::BinaryOp::Add, range.start, way, span);
    for (ir::Operand end : {range.start, last})
      convert(checker, runtime_value(end, span), local.type, {Purpose::Assignment, local.span});
  });
  checker.emit(ir::If{checker.compare(ir::CompareOp::Greater, range.count, zero, span), std::move(ends), {}},
               span);
}

// for i in range(...): the variable of the IR's loop is the local, where their types agree.
static bool check_for_range(Checker& checker, const ast::For& stmt, Value range_value) {
  const auto unroll = static_cast<std::uint32_t>(std::exchange(range_value.integer, 0));
  const auto* name = ast::as<ast::Name>(stmt.target);
  Local* local = name ? find_local(checker, name->text) : nullptr;
  Span span = stmt.target->span;
  ir::Body inner;
  Type type = !local ? declared_type(checker, *stmt.target) : local->annotated ? local->type : types::unknown;
  bool takes_type =
      !checker.rules.casts_numbers && is_scalar(type) && is_integer(type) && range_fits(range_value, type);
  std::optional<Range> range =
      range_of(checker, range_value, takes_type ? std::optional(type) : std::nullopt);
  if (!range) {
    check_loop_body(checker, stmt.body, inner, [&] {
      assign_target(checker, *stmt.target, unknown_or_error(range_value), *stmt.target, false);
    });
    return true;
  }
  if (local && !checker.rules.casts_numbers) check_range_ends(checker, *local, *range, range_value.span);
  bool direct = checker.final && local && local->type == range->type;
  Value counter = direct ? slots_value(checker, *local, range->type, span)
                         : runtime_value(checker.variable(range->type, span), span);
  counter.most = range->most;
  check_loop_body(checker, stmt.body, inner, [&] {
    // The ends of the range were checked, so its numbers are of the type that is declared.
    bool is_checked = local && local->annotated && is_integer(local->type) && !checker.rules.casts_numbers;
    if (direct)
      note_assignment(checker, *local, counter, *stmt.target, span);
    else if (is_checked)
      assign_local(checker, *local, runtime_value(cast(checker, counter.operand, local->type, span), span),
                   *stmt.target, span, false);
    else
      assign_target(checker, *stmt.target, counter, *stmt.target, false);
  });
  const std::uint32_t rounds = checked_unroll(checker, unroll, range->count, inner, range_value.span);
  emit_for(checker, *counter.operand.slot, range->start, range->step, range->count, std::move(inner), span,
           range->stop, rounds);
  return true;
}

static bool has_jump(ast::Block block, ast::Kind kind) {
  for (const ast::Stmt* stmt : block) {
    if (stmt->kind == kind) return true;
    const auto* branch = ast::as<ast::If>(stmt);
    if (branch && (has_jump(branch->then_body, kind) || has_jump(branch->else_body, kind))) return true;
    // A jump in the `else` of an inner loop leaves this one.
    if (const auto* loop = ast::as<ast::While>(stmt); loop && has_jump(loop->else_body, kind)) return true;
    if (const auto* counted = ast::as<ast::For>(stmt); counted && has_jump(counted->else_body, kind))
      return true;
  }
  return false;
}

// Gives the target of one round its element: a name that only this loop assigns stands for it. Rounds that a
// jump may leave are bodies of their own, and the name is read behind them: there it stands for what no slot
// holds in every round.
static void bind_target(Checker& checker, const ast::Expr& target, const Value& element, bool jumps,
                        std::vector<Local*>& bound) {
  const auto* tuple = ast::as<ast::Tuple>(&target);
  if (tuple && is_tuple(element) && tuple->elements.size() == element.elements.size()) {
    for (std::size_t i = 0; i < element.elements.size(); ++i)
      bind_target(checker, *tuple->elements[i], element.elements[i], jumps, bound);
    return;
  }
  const auto* name = ast::as<ast::Name>(&target);
  Local* local = name ? find_local(checker, name->text) : nullptr;
  bool binds = local && local->sites <= 1 && (!jumps || !fits_slot(checker, *local, element));
  if (!binds) return assign_target(checker, target, element, target, false);
  bind(checker, *local, element, target);
  if (jumps) bound.push_back(local);
}

// A tuple's elements may be of different types: the body is written once for each.
static bool check_for_tuple(Checker& checker, const ast::For& stmt, const Iteration& iteration,
                            std::size_t count) {
  bool breaks = has_jump(stmt.body, ast::Kind::Break),
       jumps = breaks || iteration.bound || has_jump(stmt.body, ast::Kind::Continue);
  Span span = stmt.target->span;
  std::vector<Local*> bound;
  std::size_t errors_before = checker.errors();
  // An error in one round would come again in the others, so the first is the last.
  auto ends = [&] { return checker.errors() > errors_before || !checker.count_statement(span); };
  auto round = [&](std::size_t k) {
    bind_target(checker, *stmt.target, iteration.element(int_value(WideInt(k), span)), jumps, bound);
    bool reaches_end = check_block(checker, stmt.body);
    return reaches_end;
  };
  if (!jumps) {
    for (std::size_t k = 0; k < count && !ends(); ++k)
      if (!round(k)) return false;
    return true;
  }
  std::optional<ir::Operand> flag;
  if (std::optional<ir::SlotId> outer = checker.loops.take_flag()) {
    flag = checker.slot_operand(*outer);
  } else if (breaks) {
    flag = checker.variable(types::boolean, span);
    checker.assign(*flag->slot, ir::constant_bool(false), span);
  }
  for (std::size_t k = 0; k < count && !ends(); ++k) {
    ir::Body inner;
    checker.loops.inside(flag ? flag->slot : std::nullopt,
                         [&] { inner = conditional_body(checker, [&] { round(k); }); });
    ir::Operand times = number(1);
    if (iteration.bound) {
      ir::Operand reached =
          checker.compare(ir::CompareOp::Less, number(static_cast<std::int64_t>(k)), *iteration.bound, span);
      times = checker.select(reached, number(1), number(0), span);
    }
    ir::For once{*checker.variable(types::i64, span).slot, number(0), number(1), times, std::move(inner)};
    if (!flag || k == 0) {
      checker.emit(std::move(once), span);
      continue;
    }
    ir::Operand go = checker.temp(types::boolean, ir::Unary{ir::UnaryOp::Not, *flag}, span);
    ir::Body then_body = checker.body_of([&] { checker.emit(std::move(once), span); });
    checker.emit(ir::If{go, std::move(then_body), {}}, span);
  }
  // Behind the loop there is no type for what was an element of this type or of that.
  for (Local* local : bound) local->now.joined = types::unknown;
  return true;
}

// Python runs the `else` of a loop that no `break` has left.
bool check_loop(Checker& checker, ast::Block block, ast::Block else_body, Span span,
                const std::function<bool()>& check_rounds) {
  if (else_body.empty()) return check_rounds();
  if (!has_jump(block, ast::Kind::Break)) return check_rounds() && check_block(checker, else_body);
  ir::Operand broken = checker.variable(types::boolean, span);
  checker.assign(*broken.slot, ir::constant_bool(false), span);
  checker.loops.flag_next(*broken.slot);
  if (!check_rounds()) return false;
  ir::Body ended = conditional_body(checker, [&] { check_block(checker, else_body); });
  checker.emit(ir::If{broken, {}, std::move(ended)}, span);
  return true;
}

static bool check_for_rounds(Checker& checker, const ast::For& stmt) {
  Value iterable = evaluate(checker, *stmt.iterable);
  bool is_one = stmt.target->kind != ast::Kind::Tuple && stmt.target->kind != ast::Kind::List;
  if (iterable.kind == ValueKind::Range && is_one) return check_for_range(checker, stmt, iterable);
  std::optional<Iteration> iteration = iterate(checker, iterable);
  ir::Body inner;
  Span span = stmt.target->span;
  if (!iteration) {
    check_loop_body(checker, stmt.body, inner, [&] {
      assign_target(checker, *stmt.target, unknown_or_error(iterable), *stmt.target, false);
    });
    return true;
  }
  if (iteration->fixed_count) return check_for_tuple(checker, stmt, *iteration, *iteration->fixed_count);
  ir::Operand counter = checker.variable(types::i64, span);
  Value index = runtime_value(counter, span);
  index.most = greatest_bits(types::i64) - 1;
  check_loop_body(checker, stmt.body, inner, [&] {
    assign_target(checker, *stmt.target, iteration->element(index), *stmt.target, false);
  });
  emit_for(checker, *counter.slot, number(0), number(1), iteration->count, std::move(inner), span);
  return true;
}

bool check_for(Checker& checker, const ast::For& stmt) {
  return check_loop(checker, stmt.body, stmt.else_body, stmt.target->span,
                    [&] { return check_for_rounds(checker, stmt); });
}

} // namespace kern::checker
