// A value is an answer if any of what it is computed from is, wherever it is assigned. Functions are summed up:
// what their results are, and what their shuffles need of their parameters.
#include "compiler/analysis/threads/shuffles.h"

#include <algorithm>
#include <set>

#include "compiler/ir/walk.h"

namespace kern {

using divergence::Missing;
using ir::Operand;
using ir::Stmt;

bool is_shuffle(Builtin builtin) {
  return builtin == Builtin::ShflSync || builtin == Builtin::ShflUpSync || builtin == Builtin::ShflDownSync ||
         builtin == Builtin::ShflXorSync;
}

static bool is_question(Builtin builtin) {
  return builtin == Builtin::BallotSync || builtin == Builtin::ActiveMask ||
         builtin == Builtin::MatchAnySync || builtin == Builtin::MatchAllMask;
}

class ShuffleFinder {
public:
  ShuffleFinder(Shuffles& shuffles, ir::FunctionId id, Shuffles::Function& found)
      : shuffles_(shuffles), function_(shuffles.module_.function(id)), found_(found) {}

  void run() {
    ir::walk(function_.body, [&](const Stmt& stmt) {
      ir::visit_results(stmt, [&](ir::SlotId slot) {
        found_.definitions[static_cast<std::uint32_t>(slot)].push_back(&stmt);
      });
    });
    found_.results.resize(function_.results.size());
    visit(function_.body);
  }

private:
  using Need = Shuffles::Need;
  using Origin = Shuffles::Origin;

  // ---- Where values come from ----

  static void add(Origin& origin, const Origin& more) {
    origin.is_answer = origin.is_answer || more.is_answer;
    for (std::uint32_t param : more.params)
      if (std::find(origin.params.begin(), origin.params.end(), param) == origin.params.end())
        origin.params.push_back(param);
  }

  Origin origin_of(const Operand& operand) { return origin_of(std::vector<Operand>{operand}); }

  // Returns where any of some values comes from.
  Origin origin_of(std::vector<Operand> pending) {
    Origin origin;
    std::set<std::uint32_t> seen;
    while (!pending.empty() && !origin.is_answer) {
      const Operand next = pending.back();
      pending.pop_back();
      if (!next.slot || is_array(next.type)) continue;
      const auto slot = static_cast<std::uint32_t>(*next.slot);
      if (!seen.insert(slot).second) continue;
      if (slot < function_.param_count) add(origin, {false, {slot}});
      if (auto found = found_.definitions.find(slot); found != found_.definitions.end())
        for (const Stmt* stmt : found->second) follow(*stmt, *next.slot, origin, pending);
    }
    return origin;
  }

  void follow(const Stmt& stmt, ir::SlotId slot, Origin& origin, std::vector<Operand>& pending) {
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node))
      ir::visit_operands(assign->value, [&](const Operand& operand) { pending.push_back(operand); });
    if (const auto* effect = std::get_if<ir::CallEffect>(&stmt.node))
      origin.is_answer = origin.is_answer || is_question(effect->builtin);
    const auto* call = std::get_if<ir::Call>(&stmt.node);
    if (!call) return;
    const Shuffles::Function& callee = shuffles_.function(call->function);
    for (std::size_t i = 0; i < call->results.size() && i < callee.results.size(); ++i) {
      if (call->results[i] != slot) continue;
      origin.is_answer = origin.is_answer || callee.results[i].is_answer;
      for (std::uint32_t param : callee.results[i].params) pending.push_back(call->args[param]);
    }
  }

  // ---- What shuffles need ----

  void visit(const ir::Body& body) {
    const std::size_t around_body = around_.size();
    for (const Stmt& stmt : body) {
      if (const auto* effect = std::get_if<ir::CallEffect>(&stmt.node); effect && is_shuffle(effect->builtin))
        keep(stmt, need_of(*effect));
      if (const auto* call = std::get_if<ir::Call>(&stmt.node))
        for (const Need& need : shuffles_.function(call->function).all) keep(stmt, in_caller(need, *call));
      if (const auto* last = std::get_if<ir::Return>(&stmt.node))
        for (std::size_t i = 0; i < last->values.size() && i < found_.results.size(); ++i)
          add(found_.results[i], origin_of(last->values[i]));
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      const std::size_t outer = around_.size();
      if (branch) around_.push_back(branch->condition);
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner); });
      // The statements behind `if c: return` are under c as well.
      if (!branch || !(ir::ends_in_jump(branch->then_body) || ir::ends_in_jump(branch->else_body)))
        around_.resize(outer);
    }
    around_.resize(around_body);
  }

  void keep(const Stmt& stmt, const Need& need) {
    for (std::vector<Need>* needs : {&found_.needs[&stmt], &found_.all})
      if (std::find(needs->begin(), needs->end(), need) == needs->end()) needs->push_back(need);
  }

  void take_answers(Need& need, const Origin& origin) {
    if (origin.is_answer) need.missing.by_returns = false;
    for (std::uint32_t param : origin.params)
      if (std::find(need.askers.begin(), need.askers.end(), param) == need.askers.end())
        need.askers.push_back(param);
  }

  void take_mask(Need& need, const Operand& mask) {
    if (!mask.slot) {
      need.missing.by_branches = static_cast<std::uint32_t>(ir::int_value(mask)) == 0xffffffff;
      return;
    }
    const Origin origin = origin_of(mask);
    if (origin.is_answer)
      need.missing = {false, false};
    else if (origin.params.empty())
      need.missing.by_branches = false;
    else
      need.mask = origin.params.front();
  }

  Need need_of(const ir::CallEffect& call) {
    Need need;
    take_mask(need, call.args[0]);
    if (call.builtin == Builtin::ShflSync) take_answers(need, origin_of(call.args[2]));
    take_answers(need, origin_of(around_));
    return need;
  }

  Need in_caller(const Need& inner, const ir::Call& call) {
    Need need{inner.missing, {}, {}};
    if (inner.mask) take_mask(need, call.args[*inner.mask]);
    for (std::uint32_t param : inner.askers) take_answers(need, origin_of(call.args[param]));
    take_answers(need, origin_of(around_));
    return need;
  }

  Shuffles& shuffles_;
  const ir::Function& function_;
  Shuffles::Function& found_;
  std::vector<Operand> around_; // the conditions around
};

const Shuffles::Function& Shuffles::function(ir::FunctionId id) {
  auto [found, is_new] = functions_.try_emplace(id);
  if (is_new) ShuffleFinder(*this, id, found->second).run();
  return found->second;
}

bool Shuffles::needs_all(ir::FunctionId id) {
  const std::vector<Need>& needs = function(id).all;
  return std::any_of(needs.begin(), needs.end(), [](const Need& need) { return need.missing.by_returns; });
}

Missing Shuffles::missing(ir::FunctionId id, const Stmt& stmt) {
  const Function& known = function(id);
  const auto found = known.needs.find(&stmt);
  if (found == known.needs.end()) return {false, false};
  Missing missing{false, false};
  for (const Need& need : found->second) {
    missing.by_branches = missing.by_branches || (need.missing.by_branches && !need.mask);
    missing.by_returns = missing.by_returns || need.missing.by_returns;
  }
  return missing;
}

} // namespace kern
