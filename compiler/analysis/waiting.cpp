// What ends a loop is followed back through the loop: through the conditions of its jumps, what these are
// computed from, and the conditions under which that was assigned. The loop waits where the way ends at
// elements that it asks for again and again (an atomic with the same operands, such as a compare-and-swap of
// 0 and 1, or a plain load), and never comes back to itself, as it does where the loop counts or computes.
#include "compiler/analysis/waiting.h"

#include <functional>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

namespace {

// Statements of a loop that may wait; longer ones do work.
constexpr std::size_t most_statements = 1'000;

// Whether an atomic that is done again with the same operands changes nothing more.
bool is_idempotent(const ir::Atomic& atomic) {
  switch (atomic.builtin) {
  case Builtin::AtomicCas:
  case Builtin::AtomicExch:
  case Builtin::AtomicAnd:
  case Builtin::AtomicOr:
  case Builtin::AtomicMax:
  case Builtin::AtomicMin:
  case Builtin::AtomicNanMax:
  case Builtin::AtomicNanMin: return true;
  case Builtin::AtomicAdd:
  case Builtin::AtomicSub:
  case Builtin::AtomicXor: return !atomic.args[0].slot && atomic.args[0].bits == 0;
  default: return false;
  }
}

bool reads_memory(const ir::Stmt& stmt) {
  return std::holds_alternative<ir::Load>(stmt.node) || std::holds_alternative<ir::Atomic>(stmt.node) ||
         std::holds_alternative<ir::Call>(stmt.node) || std::holds_alternative<ir::CallEffect>(stmt.node);
}

template <class Visit> void for_each_operand(const ir::Stmt& stmt, const Visit& visit) {
  ir::visit_operands(stmt, [&](const ir::Operand& operand) {
    if (operand.slot) visit(*operand.slot);
  });
}

// Says of a called function whether it asks for an element that its arguments name.
using Asks = std::function<bool(ir::FunctionId)>;

// The statements of a loop, or of a function that one calls, as far as they decide on slots.
class Region {
public:
  explicit Region(const Asks& asks) : asks_(asks) {}

  void add(const ir::Body& body) {
    for (const ir::Stmt& stmt : body) add(stmt);
  }

  // To be called once all is added. Finds what is the same each time the region runs, and from that who asks
  // for an element again and again.
  void find_sources() {
    for (auto& [slot, node] : nodes_) node.is_open = true;
    settle([](const ir::Stmt& stmt) { return !reads_memory(stmt); });
    for (auto& [slot, node] : nodes_) node.repeats = node.is_settled;
    bool goes_on = false; // by itself: it stores, or counts
    for (const ir::Stmt* stmt : memory_) {
      const auto* atomic = std::get_if<ir::Atomic>(&stmt->node);
      const auto* call = std::get_if<ir::Call>(&stmt->node);
      bool repeats =
          operands_repeat(*stmt) && (atomic ? is_idempotent(*atomic) : call && asks_(call->function));
      if (repeats) sources_.insert(stmt);
      goes_on = goes_on || std::holds_alternative<ir::Store>(stmt->node) || (atomic && !repeats);
    }
    for (const ir::Stmt* stmt : memory_) {
      const auto* load = std::get_if<ir::Load>(&stmt->node);
      bool is_shared = load && load->array.type->space != AddressSpace::Local;
      if (is_shared && !goes_on && operands_repeat(*stmt)) sources_.insert(stmt);
    }
  }
  bool has_source() const { return !sources_.empty(); }

  // Where these slots follow from sources, and never from themselves, returns the loads among those.
  std::optional<std::vector<const ir::Load*>> decided_by_sources(std::vector<ir::SlotId> slots) {
    for (auto& [slot, node] : nodes_) node.is_open = false;
    std::vector<const ir::Load*> polled;
    bool any = false;
    while (!slots.empty()) {
      auto found = nodes_.find(slots.back());
      slots.pop_back();
      if (found == nodes_.end() || std::exchange(found->second.is_open, true)) continue;
      for (const Definition& definition : found->second.definitions) {
        slots.insert(slots.end(), definition.under.begin(), definition.under.end());
        const auto* load = std::get_if<ir::Load>(&definition.stmt->node);
        bool is_source = sources_.contains(definition.stmt);
        any = any || is_source;
        if (is_source && load) polled.push_back(load);
        if (!is_source) for_each_operand(*definition.stmt, [&](ir::SlotId slot) { slots.push_back(slot); });
      }
    }
    settle([](const ir::Stmt&) { return true; });
    for (auto& [slot, node] : nodes_) any = any && (!node.is_open || node.is_settled);
    if (!any) return std::nullopt;
    return polled;
  }

private:
  // An assignment in the region, and the conditions that it is under there.
  struct Definition {
    const ir::Stmt* stmt;
    std::vector<ir::SlotId> under;
  };
  // A slot that the region assigns.
  struct Node {
    std::vector<Definition> definitions{};
    bool is_open = false, is_settled = false, repeats = false;
    std::size_t missing = 0;
    std::vector<Node*> readers{};
  };

  void add(const ir::Stmt& stmt) {
    ir::visit_results(stmt, [&](ir::SlotId slot) { nodes_[slot].definitions.push_back({&stmt, under_}); });
    if (reads_memory(stmt) || std::holds_alternative<ir::Store>(stmt.node)) memory_.push_back(&stmt);
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    bool is_under = branch && branch->condition.slot;
    if (is_under) under_.push_back(*branch->condition.slot);
    ir::visit_bodies(stmt, [&](const ir::Body& body) { add(body); });
    if (is_under) under_.pop_back();
  }

  bool operands_repeat(const ir::Stmt& stmt) const {
    bool all = true;
    for_each_operand(stmt, [&](ir::SlotId slot) {
      auto found = nodes_.find(slot);
      all = all && (found == nodes_.end() || found->second.repeats);
    });
    return all;
  }

  // Settles the open slots that follow from others alone, never from themselves. Sources follow from nothing;
  // of other statements only those that `counts` do.
  template <class Counts> void settle(const Counts& counts) {
    std::vector<Node*> ready;
    for (auto& [slot, node] : nodes_) {
      node.is_settled = false;
      node.missing = 0;
      node.readers.clear();
    }
    for (auto& [slot, node] : nodes_) {
      if (!node.is_open) continue;
      auto needs = [&, reader = &node](ir::SlotId other) {
        auto found = nodes_.find(other);
        if (found == nodes_.end()) return;
        ++reader->missing;
        found->second.readers.push_back(reader);
      };
      for (const Definition& definition : node.definitions) {
        for (ir::SlotId condition : definition.under) needs(condition);
        if (sources_.contains(definition.stmt)) continue;
        if (!counts(*definition.stmt)) ++node.missing;
        for_each_operand(*definition.stmt, needs);
      }
      if (node.missing == 0) ready.push_back(&node);
    }
    while (!ready.empty()) {
      Node* node = ready.back();
      ready.pop_back();
      node->is_settled = true;
      for (Node* reader : node->readers)
        if (--reader->missing == 0) ready.push_back(reader);
    }
  }

  const Asks& asks_;
  std::map<ir::SlotId, Node> nodes_;
  std::vector<const ir::Stmt*> memory_;
  std::vector<ir::SlotId> under_; // conditions around the statement at hand
  std::unordered_set<const ir::Stmt*> sources_;
};

// The conditions under which a loop is left.
class Exits {
public:
  static std::vector<ir::SlotId> of(const ir::While& loop) {
    Exits exits;
    if (loop.condition.slot) exits.found_.push_back(*loop.condition.slot);
    exits.visit(loop.head, false);
    exits.visit(loop.body, false);
    return std::move(exits.found_);
  }

private:
  void visit(const ir::Body& body, bool in_inner) {
    for (const ir::Stmt& stmt : body) {
      bool leaves = std::holds_alternative<ir::Return>(stmt.node) ||
                    (std::holds_alternative<ir::Break>(stmt.node) && !in_inner);
      if (leaves) found_.insert(found_.end(), under_.begin(), under_.end());
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      bool is_under = branch && branch->condition.slot;
      bool is_loop = ir::is_loop(stmt);
      if (is_under) under_.push_back(*branch->condition.slot);
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner, in_inner || is_loop); });
      if (is_under) under_.pop_back();
    }
  }

  std::vector<ir::SlotId> found_, under_;
};

class Finder {
public:
  explicit Finder(const ir::Module& module) : module_(module) {}

  // Returns how many statements a body holds.
  std::size_t visit(const ir::Body& body) {
    std::size_t count = 0;
    for (const ir::Stmt& stmt : body) {
      std::size_t place = found_.size(), inside = 1;
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { inside += visit(inner); });
      if (const auto* loop = std::get_if<ir::While>(&stmt.node); loop && inside <= most_statements)
        if (auto polled = polled_by(*loop))
          found_.insert(found_.begin() + static_cast<std::ptrdiff_t>(place), {&stmt, std::move(*polled)});
      count += inside;
    }
    return count;
  }
  std::vector<WaitingLoop> found() && { return std::move(found_); }

private:
  std::optional<std::vector<const ir::Load*>> polled_by(const ir::While& loop) {
    // At a barrier the whole block has its turn.
    if (meets(loop.head) || meets(loop.body)) return std::nullopt;
    Region region(asks_);
    region.add(loop.head);
    region.add(loop.body);
    region.find_sources();
    if (!region.has_source()) return std::nullopt;
    return region.decided_by_sources(Exits::of(loop));
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

  bool asks(ir::FunctionId id) {
    auto [known, is_new] = asking_.try_emplace(id, false);
    if (!is_new) return known->second;
    Region region(asks_);
    region.add(module_.function(id).body);
    region.find_sources();
    return asking_[id] = region.has_source();
  }

  const ir::Module& module_;
  std::map<ir::FunctionId, bool> asking_, meeting_; // what is known of functions
  Asks asks_ = [this](ir::FunctionId id) { return asks(id); };
  std::vector<WaitingLoop> found_;
};

bool is_wait(const ir::Stmt& stmt) {
  const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
  return call && call->builtin == Builtin::TakeTurn;
}

} // namespace

std::vector<WaitingLoop> find_waiting_loops(const ir::Module& module, const ir::Function& function) {
  Finder finder(module);
  finder.visit(function.body);
  return std::move(finder).found();
}

bool has_waits(const ir::Module& module, const ir::Body& body) {
  return ir::any_reachable(module, body, is_wait);
}

} // namespace kern
