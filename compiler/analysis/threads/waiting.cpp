// A loop waits where one of its exits follows from an element that it asks for again at the same place, and
// that others may change (waiting_region.h): it does not end before they do. One whose every round comes to a
// compare-and-swap of what it has just read does not wait: where that fails another thread has gone on.
#include "compiler/analysis/threads/waiting.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/analysis/threads/waiting_region.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

using namespace waiting;

namespace {

// Statements of a loop that may wait; longer ones do work.
constexpr std::size_t most_statements = 10'000;
constexpr std::int64_t few_rounds = 32;

// The conditions under which a loop is left.
class Exits {
public:
  static std::vector<ir::SlotId> of(const ir::While& loop) {
    Exits exits;
    if (loop.condition.slot) exits.found_.push_back(*loop.condition.slot);
    exits.visit(loop.head, false);
    exits.visit(loop.body, false);
    return exits.all();
  }
  static std::vector<ir::SlotId> of(const ir::For& loop) {
    Exits exits;
    exits.visit(loop.body, false);
    return exits.is_left_ ? exits.all() : std::vector<ir::SlotId>{};
  }

private:
  std::vector<ir::SlotId> all() {
    found_.insert(found_.end(), passes_by_.begin(), passes_by_.end());
    return std::move(found_);
  }

  void visit(const ir::Body& body, bool in_inner) {
    for (const ir::Stmt& stmt : body) {
      bool breaks = std::holds_alternative<ir::Break>(stmt.node);
      bool leaves = std::holds_alternative<ir::Return>(stmt.node) || (breaks && !in_inner);
      if (leaves) found_.insert(found_.end(), under_.begin(), under_.end());
      is_left_ = is_left_ || leaves;
      if ((breaks && in_inner) || std::holds_alternative<ir::Continue>(stmt.node))
        passes_by_.insert(passes_by_.end(), under_.begin(), under_.end());
      visit_inside(stmt, in_inner);
    }
  }

  void visit_inside(const ir::Stmt& stmt, bool in_inner) {
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    const auto* repeated = std::get_if<ir::While>(&stmt.node);
    const auto* counted = std::get_if<ir::For>(&stmt.node);
    bool is_loop = repeated || counted, was_left = std::exchange(is_left_, is_left_ && !is_loop);
    std::size_t passed_by = passes_by_.size(), outside = under_.size();
    auto put_under = [&](const ir::Operand& condition) {
      if (condition.slot) under_.push_back(*condition.slot);
    };
    if (branch) put_under(branch->condition);
    if (repeated) put_under(repeated->condition);
    if (counted) put_under(counted->count);
    ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner, in_inner || is_loop); });
    under_.resize(outside);
    // Conditions within an inner loop matter only if that loop may leave this one.
    if (is_loop && !is_left_) passes_by_.resize(passed_by);
    is_left_ = is_left_ || was_left;
  }

  std::vector<ir::SlotId> found_, under_;
  std::vector<ir::SlotId> passes_by_; // conditions under which a round goes by what would leave
  bool is_left_ = false;
};

class Finder {
public:
  Finder(const ir::Module& module, const ir::Function& function, const WrittenArrays& written, const Ask& ask)
      : module_(module), values_(function), around_{module, function, written, values_, ask} {}

  // Returns how many statements a body holds.
  std::size_t visit(const ir::Body& body) {
    std::size_t count = 0;
    for (const ir::Stmt& stmt : body) {
      std::size_t place = found_.size(), inside = 1;
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { inside += visit(inner); });
      count += inside;
      if (inside > most_statements) continue;
      std::optional<std::vector<const ir::Load*>> polled;
      if (const auto* loop = std::get_if<ir::While>(&stmt.node))
        polled = polled_by({&loop->head, &loop->body}, Exits::of(*loop), {});
      if (const auto* loop = std::get_if<ir::For>(&stmt.node); loop && !is_over_soon(*loop))
        polled = polled_by({&loop->body}, Exits::of(*loop), loop->variable);
      if (polled)
        found_.insert(found_.begin() + static_cast<std::ptrdiff_t>(place), {&stmt, std::move(*polled)});
    }
    return count;
  }
  std::vector<WaitingLoop> found() && { return std::move(found_); }

private:
  // So few rounds that none of them would ask for a turn; one of a loop over a tuple has at most one.
  bool is_over_soon(const ir::For& loop) const {
    auto is_few = [](const ir::Operand& count) { return !count.slot && ir::int_value(count) <= few_rounds; };
    const ir::Expr* value = values_.find(loop.count);
    const auto* choice = value ? std::get_if<ir::Select>(value) : nullptr;
    return is_few(loop.count) || (choice && is_few(choice->then_value) && is_few(choice->else_value));
  }

  std::optional<std::vector<const ir::Load*>> polled_by(const std::vector<const ir::Body*>& round,
                                                        const std::vector<ir::SlotId>& exits,
                                                        std::optional<ir::SlotId> variable) {
    // At a barrier the whole block has its turn.
    if (exits.empty() || std::ranges::any_of(round, [&](const ir::Body* body) { return meets(*body); }))
      return std::nullopt;
    Region region(around_);
    for (const ir::Body* body : round) region.add(*body);
    if (variable) region.vary(*variable);
    region.find_sources();
    if (!region.has_source()) return std::nullopt;
    auto polled = region.decided_by_sources(exits);
    // A swap that fails has seen another thread go on.
    if (!polled || region.always_retries(round, exits)) return std::nullopt;
    return polled;
  }

  bool meets(const ir::Body& body) {
    return ir::any(body, [&](const ir::Stmt& stmt) {
      const auto* effect = std::get_if<ir::CallEffect>(&stmt.node);
      const auto* call = std::get_if<ir::Call>(&stmt.node);
      return (effect && is_barrier(row(effect->builtin).effects)) || (call && callee_meets(call->function));
    });
  }

  bool callee_meets(ir::FunctionId id) {
    auto [known, is_new] = meeting_.try_emplace(id, false);
    if (!is_new) return known->second;
    return meeting_[id] = meets(module_.function(id).body);
  }

  const ir::Module& module_;
  SingleValues values_;
  Surroundings around_;
  std::map<ir::FunctionId, bool> meeting_;
  std::vector<WaitingLoop> found_;
};

// Keeps the answers for calls, by the function and by which of its arguments vary.
class Callees {
public:
  Callees(const ir::Module& module, const WrittenArrays& written) : module_(module), written_(written) {}

  const Ask ask = [this](ir::FunctionId id, const std::vector<bool>& varying) { return find(id, varying); };

private:
  Asked find(ir::FunctionId id, const std::vector<bool>& varying) {
    auto [known, is_new] = found_.try_emplace({id, varying});
    if (!is_new) return known->second;
    const ir::Function& function = module_.function(id);
    SingleValues values(function);
    Surroundings around{module_, function, written_, values, ask};
    Region region(around);
    region.add(function.body);
    region.is_function();
    for (std::size_t i = 0; i < varying.size(); ++i)
      if (varying[i]) region.vary(ir::SlotId(i));
    region.find_sources();
    std::vector<ir::SlotId> results;
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      if (!std::holds_alternative<ir::Return>(stmt.node)) return;
      ir::visit_operands(stmt, [&](const ir::Operand& operand) {
        if (operand.slot) results.push_back(*operand.slot);
      });
    });
    return found_[{id, varying}] = {region.has_source(), region.always_retries({&function.body}, results),
                                    region.loads(), region.touches_memory()};
  }

  const ir::Module& module_;
  const WrittenArrays& written_;
  std::map<std::pair<ir::FunctionId, std::vector<bool>>, Asked> found_;
};

bool is_wait(const ir::Stmt& stmt) {
  const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
  return call && call->builtin == Builtin::TakeTurn;
}

} // namespace

std::vector<std::vector<WaitingLoop>> find_waiting_loops(const ir::Module& module) {
  WrittenArrays written(module);
  Callees callees(module, written);
  std::vector<std::vector<WaitingLoop>> found;
  for (const ir::Function& function : module.functions) {
    Finder finder(module, function, written, callees.ask);
    finder.visit(function.body);
    found.push_back(std::move(finder).found());
  }
  return found;
}

bool has_waits(const ir::Module& module, const ir::Body& body) {
  return ir::any_reachable(module, body, is_wait);
}

} // namespace kern
