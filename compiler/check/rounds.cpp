// The rounds in which the types of a function's names are found, until one finds nothing new. Functions that call each
// other in a circle are inferred in the rounds of the first of them.
#include "compiler/check/rounds.h"

#include <algorithm>

#include "compiler/check/core/host.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/shared_literals.h"
#include "compiler/check/core/wide_bits.h"
#include "compiler/check/records/records.h"
#include "compiler/check/signatures.h"
#include "compiler/check/statements.h"
#include "compiler/check/versions.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// Gives a parameter its value: slots for what the running program passes, the thing itself for the rest.
static Value bind_leaves(Checker& checker, const std::string& name, const Value& value, Span span) {
  if (is_fixed(value)) return value;
  if (value.kind == ValueKind::Runtime) {
    Value param = runtime_value(
        checker.slot_operand(checker.new_slot(name, value.type, ir::Slot::Kind::Param, span)), span);
    mark_waiting(param);
    return param;
  }
  if (!is_tuple(value)) return value;
  Value result = tuple_like(value.type, span);
  for (std::size_t i = 0; i < value.elements.size(); ++i)
    result.elements.push_back(bind_leaves(checker, part_name(name, value.type, i), value.elements[i], span));
  return result;
}

static void bind_params(Checker& checker, Instance& instance) {
  std::span<const ast::Param> params = instance.function->def->params;
  std::vector<Value> values;
  for (std::size_t i = 0; i < params.size(); ++i)
    values.push_back(bind_leaves(checker, std::string(params[i].name), instance.args[i], params[i].span));
  checker.end_parameters();
  for (std::size_t i = 0; i < params.size(); ++i) {
    Local& local = instance.locals[params[i].name];
    if (local.sites <= 1) {
      note_assignment(checker, local, values[i], *instance.function->def, params[i].span);
      local.now.known = std::make_unique<Value>(values[i]);
      local.now.known->reading = takes_shared_type(values[i]);
      continue;
    }
    bool typed = params[i].annotation && instance.function->file->rules.reads_annotations;
    std::optional<Type> type = type_of(checker, values[i]);
    if (typed && type && *type != types::none) {
      local.type = *type;
      local.pinned = local.annotated = true;
      local.type_span = params[i].annotation->span;
    }
    assign_local(checker, local, values[i], *instance.function->def, params[i].span, false);
  }
}

static void start_round(Instance& instance) {
  auto start = [](Local& local) {
    if (!local.literal.is_decided) local.literal = {};
    local.now = {};
    local.now.joined = local.literal.type;
  };
  for (auto& [name, local] : instance.locals) start(local);
  start(instance.result);
}

// Widens a bound that grew since the round before to any number of 0 or more, then to any, so that the rounds
// settle soon.
static std::uint64_t widened(std::uint64_t before, std::uint64_t now) {
  if (now <= before) return before;
  if (before == 0) return now;
  std::uint64_t nonnegative = greatest_bits(types::i64);
  return now <= nonnegative ? nonnegative : any_bits;
}

// Takes over what a round found; says whether anything is new.
static bool finish_round(Instance& instance) {
  bool changed = false;
  auto finish = [&](Local& local) {
    Type type = local.pinned ? local.type : local.now.joined;
    std::size_t sites = std::min(local.sites, std::max<std::size_t>(local.now.sites.size(), 1));
    changed = changed || type != local.type || sites != local.sites || local.now.most > local.most;
    local.type = type;
    local.sites = sites;
    local.most = widened(local.most, local.now.most);
  };
  for (auto& [name, local] : instance.locals) finish(local);
  finish(instance.result);
  return changed;
}

// Says whether a statement belongs to the head of a kernel: an assignment over shapes, scalars and blockDim.
static bool is_head(const ir::Stmt& stmt) {
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  if (!assign)
    return std::holds_alternative<ir::Check>(stmt.node) || std::holds_alternative<ir::If>(stmt.node) ||
           std::holds_alternative<ir::Fit>(stmt.node);
  const auto* call = std::get_if<ir::CallPure>(&assign->value);
  if (call) return row(call->builtin).effects == Effects::Pure;
  return !std::holds_alternative<ir::SharedArray>(assign->value) &&
         !std::holds_alternative<ir::LocalArray>(assign->value);
}

// Asserts at the head of a kernel become contracts where the host can compute their conditions. Says whether control can
// reach the end of the body.
static bool check_body(Checker& checker, const Instance& instance) {
  const ast::Block statements = instance.function->def->body;
  std::size_t count = 0;
  bool is_head_still = instance.is_kernel;
  while (is_head_still && count < statements.size()) {
    const ast::Stmt& stmt = *statements[count];
    bool may_belong = stmt.kind == ast::Kind::ExprStmt || stmt.kind == ast::Kind::Assert ||
                      stmt.kind == ast::Kind::Assign || stmt.kind == ast::Kind::AnnAssign;
    if (!may_belong) break;
    const ir::Body& body = checker.body();
    std::size_t before = body.size();
    check_statement(checker, stmt);
    ++count;
    const auto* check = body.size() > before ? std::get_if<ir::Check>(&body.back().node) : nullptr;
    if (stmt.kind == ast::Kind::Assert && check) {
      std::optional<kern::Expression> condition = host_expression(checker, check->condition);
      if (condition) checker.make_contract(std::move(*condition));
      continue;
    }
    for (std::size_t i = before; i < body.size(); ++i) is_head_still = is_head_still && is_head(body[i]);
  }
  return check_block(checker, statements.subspan(count));
}

void run_round(Checker& checker, Instance& instance) {
  start_round(instance);
  bind_params(checker, instance);
  // Where a call collects the names of a function, nothing is reported.
  const ast::Expr* returns = instance.function->def->returns;
  bool is_typed = checker.rules.reads_annotations;
  if (checker.final && returns && is_typed && !instance.result.annotated)
    type_of_expr(checker.context, *checker.scope, *returns);
  bool reaches_end = check_body(checker, instance);
  if (checker.final) warn_wide_hashes(checker, instance.function->def->body);
  bool has_result = !instance.is_kernel &&
                    (instance.result.annotated ? instance.result.type != types::none : checker.returns_value);
  if (!has_result && !instance.result.pinned) instance.result.now.joined = types::none;
  if (has_result && checker.bare_return)
    checker.report(*checker.bare_return, diag::missing_value, instance.function->def->name);
  else if (has_result && reaches_end && !checker.overflowed())
    checker.report(instance.function->def->name_span, diag::missing_return, instance.function->def->name);
}

// Sites, shared and constant arrays of a round that is thrown away go with it.
struct Mark {
  Context& context;
  std::size_t sites = context.module.sites.size(), shared = context.module.shared.size(),
              constants = context.module.constants.size();
  void reset() const {
    ir::Module& module = context.module;
    module.sites.erase(module.sites.begin() + static_cast<std::ptrdiff_t>(sites), module.sites.end());
    module.shared.erase(module.shared.begin() + static_cast<std::ptrdiff_t>(shared), module.shared.end());
    module.constants.erase(module.constants.begin() + static_cast<std::ptrdiff_t>(constants),
                           module.constants.end());
  }
};

// Returns the instance whose rounds infer a circle of calls.
static Instance& head_of(Instance& instance) {
  Instance* head = &instance;
  while (head->head && head->state == Instance::State::Provisional) head = head->head;
  return *head;
}

// A call of what is being inferred closes a circle: what was asked for since then has no type of its own before the
// first of the circle has.
static void close_circle(Context& context, Instance& head) {
  auto& active = context.active;
  auto place_of = [&](const Instance* instance) {
    return std::ranges::find(active, instance) - active.begin();
  };
  for (std::ptrdiff_t i = place_of(&head) + 1; i < std::ptrdiff_t(active.size()); ++i) {
    Instance& member = *active[static_cast<std::size_t>(i)];
    if (!member.head || place_of(member.head) > place_of(&head)) member.head = &head;
  }
}

// Says whether an instance is to be inferred now.
static bool begin_inference(Context& context, Instance& instance) {
  if (instance.state == Instance::State::Inferring) close_circle(context, instance);
  if (instance.state == Instance::State::New) return true;
  if (instance.state != Instance::State::Provisional) return false;
  Instance& head = head_of(instance);
  if (head.state == Instance::State::Inferring && instance.rounds_of_head != head.rounds) return true;
  // The instance is asked for again inside of the circle, so it belongs to it as well.
  if (head.state == Instance::State::Inferring) close_circle(context, head);
  if (head.state != Instance::State::Inferring) instance.state = Instance::State::Inferred;
  return false;
}

void infer(Context& context, Instance& instance) {
  if (!begin_inference(context, instance)) return;
  instance.state = Instance::State::Inferring;
  instance.head = nullptr;
  context.active.push_back(&instance);
  bool settled = false;
  for (std::size_t round = 0; round < limits::inference_rounds && !settled; ++round) {
    Mark mark{context};
    ++instance.rounds;
    const std::size_t changes = context.circle_changes;
    Checker checker(context, instance.function->file, &instance);
    run_round(checker, instance);
    find_literal_types(checker, instance);
    mark.reset();
    if (!instance.head && split_mixed(context, instance)) {
      round = 0;
      continue;
    }
    settled = !finish_round(instance) && !decide_literals(context, instance);
    if (instance.head && !settled) ++context.circle_changes;
    settled = instance.head || (settled && context.circle_changes == changes);
  }
  context.active.pop_back();
  instance.settled = settled;
  instance.state = instance.head ? Instance::State::Provisional : Instance::State::Inferred;
  if (instance.head) instance.rounds_of_head = head_of(instance).rounds;
}

} // namespace kern::checker
