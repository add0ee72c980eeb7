// The statements that matter become nodes of a flow graph: barriers, writes, loads. The interval of a barrier
// is what is reached from it without passing another one. Threads of a block come to barriers alike, so all
// that run at the same time are in the interval of the same barrier: a load is quiet if no interval that it
// lies in has a write to its array, on whatever way.
//
// Nothing is known of what was before a function, nor of what is behind a device function.
#include "compiler/analysis/quiet_loads.h"

#include <algorithm>
#include <optional>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;
using NodeId = std::uint32_t;

// A bound on hostile input: past so many nodes looked at, nothing counts as quiet.
constexpr std::size_t most_steps = 4'000'000;

bool is_empty(const SharedSet& set) {
  return !set.any && std::find(set.bits.begin(), set.bits.end(), true) == set.bits.end();
}

// Says whether something was added.
bool add(SharedSet& set, const SharedSet& more) {
  const bool widens = more.any && !set.any;
  bool changed = widens;
  set.any = set.any || more.any;
  set.bits.resize(std::max(set.bits.size(), more.bits.size()));
  for (std::size_t i = 0; i < more.bits.size(); ++i)
    if (more.bits[i] && !set.bits[i]) set.bits[i] = changed = true;
  return changed;
}

void add(SharedSet& set, std::size_t bit) {
  if (set.bits.size() <= bit) set.bits.resize(bit + 1);
  set.bits[bit] = true;
}

bool is_shared(const Operand& array) {
  return array.slot && is_array(array.type) && array.type->space == AddressSpace::Shared;
}

} // namespace

// Finds the intervals of one function.
class IntervalFinder {
public:
  IntervalFinder(SharedIntervals& intervals, ir::FunctionId id)
      : intervals_(intervals), module_(intervals.module_), function_(module_.function(id)),
        arrays_(function_.slots.size()) {
    find_arrays();
    const NodeId entry = add_node(Node::Kind::Barrier);
    current_ = entry;
    visit(function_.body);
    if (current_) ends_.insert(*current_);
  }

  QuietLoads quiet_loads() {
    std::vector<bool> loud(nodes_.size(), false), seen(nodes_.size(), false);
    for_each_interval([&](NodeId barrier, const std::vector<NodeId>& interval) {
      SharedSet written;
      bool open = barrier == 0;
      for (NodeId node : interval) {
        if (nodes_[node].kind == Node::Kind::Write) add(written, nodes_[node].arrays);
        open = open || (!function_.is_kernel && ends_.contains(node));
      }
      for (NodeId node : interval) {
        seen[node] = true;
        if (open || meet(written, nodes_[node].arrays)) loud[node] = true;
      }
    });
    QuietLoads quiet;
    if (steps_ > most_steps) return quiet;
    for (NodeId node = 0; node < nodes_.size(); ++node) {
      if (!seen[node] || loud[node]) continue;
      if (nodes_[node].kind == Node::Kind::Load) quiet.loads.insert(nodes_[node].stmt);
      if (nodes_[node].kind == Node::Kind::Arg) quiet.args.emplace(nodes_[node].stmt, nodes_[node].arg);
    }
    return quiet;
  }

  SharedIntervals::Effect effect() {
    SharedIntervals::Effect effect;
    for_each_interval([&](NodeId barrier, const std::vector<NodeId>& interval) {
      const bool ends =
          std::any_of(interval.begin(), interval.end(), [&](NodeId node) { return ends_.contains(node); });
      effect.passes = effect.passes || (barrier == 0 && ends);
      effect.has_barrier = effect.has_barrier || barrier != 0;
      for (NodeId node : interval) {
        if (nodes_[node].kind != Node::Kind::Write) continue;
        if (barrier == 0) add(effect.head, nodes_[node].arrays);
        if (barrier != 0 && ends) add(effect.tail, nodes_[node].arrays);
      }
    });
    if (steps_ > most_steps) effect.head.any = effect.tail.any = effect.passes = true;
    return effect;
  }

private:
  struct Node {
    enum class Kind : std::uint8_t { Join, Barrier, Write, Load, Arg };
    Kind kind;
    const Stmt* stmt = nullptr;
    SharedSet arrays = {};
    std::size_t arg = 0;
    std::vector<NodeId> next = {};
  };
  struct Loop {
    NodeId head, exit;
  };

  // ---- Which arrays a slot may be a view of ----

  std::size_t param_bit(std::size_t param) const { return module_.shared.size() + param; }

  // All dynamic arrays are one: those of Numba lie over the others.
  std::size_t shared_bit(ir::SharedId id) const {
    const auto is_dynamic = [](const ir::SharedDecl& decl) { return decl.aliased || decl.extents.empty(); };
    const auto index = static_cast<std::size_t>(id);
    if (!is_dynamic(module_.shared[index])) return index;
    const auto first = std::find_if(module_.shared.begin(), module_.shared.end(), is_dynamic);
    return static_cast<std::size_t>(first - module_.shared.begin());
  }

  void find_arrays() {
    for (std::size_t i = 0; i < function_.param_count; ++i) add(arrays_[i], param_bit(i));
    std::vector<std::pair<SlotId, SlotId>> flows;
    ir::walk(function_.body, [&](const Stmt& stmt) {
      if (const auto* call = std::get_if<ir::Call>(&stmt.node))
        for (SlotId result : call->results) arrays_[index_of(result)].any = true;
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (!assign || !is_array(function_.slots[index_of(assign->slot)].type)) return;
      if (const auto* shared = std::get_if<ir::SharedArray>(&assign->value))
        return add(arrays_[index_of(assign->slot)], shared_bit(shared->id));
      ir::visit_operands(assign->value, [&](const Operand& operand) {
        if (operand.slot && is_array(operand.type)) flows.emplace_back(*operand.slot, assign->slot);
      });
    });
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : flows)
        changed = add(arrays_[index_of(to)], SharedSet(arrays_[index_of(from)])) || changed;
    }
  }

  // Says whether a write to some of these arrays may change one of those: a parameter may be any array.
  bool meet(const SharedSet& written, const SharedSet& loaded) const {
    if (is_empty(written) || is_empty(loaded)) return false;
    const std::size_t own = module_.shared.size();
    const auto is_open = [&](const SharedSet& set) {
      return set.any ||
             std::find(set.bits.begin() + static_cast<std::ptrdiff_t>(std::min(own, set.bits.size())),
                       set.bits.end(), true) != set.bits.end();
    };
    if (is_open(written) || is_open(loaded)) return true;
    for (std::size_t i = 0; i < std::min(written.bits.size(), loaded.bits.size()); ++i)
      if (written.bits[i] && loaded.bits[i]) return true;
    return false;
  }

  // Returns what a callee's arrays are here.
  SharedSet in_caller(const SharedSet& set, const ir::Call& call) const {
    SharedSet result;
    result.any = set.any;
    for (std::size_t i = 0; i < set.bits.size(); ++i) {
      if (!set.bits[i]) continue;
      if (i < module_.shared.size()) {
        add(result, i);
      } else if (const Operand& arg = call.args[i - module_.shared.size()]; is_shared(arg)) {
        add(result, arrays_[index_of(*arg.slot)]);
      }
    }
    return result;
  }

  // ---- The flow graph ----

  NodeId add_node(Node::Kind kind) {
    nodes_.push_back({kind});
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  void edge(std::optional<NodeId> from, NodeId to) {
    if (from) nodes_[*from].next.push_back(to);
  }
  // Appends a node to the way at hand; null where nothing comes here.
  Node* append(Node::Kind kind) {
    if (!current_) return nullptr;
    const NodeId node = add_node(kind);
    edge(current_, node);
    current_ = node;
    return &nodes_[node];
  }

  void visit(const ir::Body& body) {
    for (const Stmt& stmt : body) visit(stmt);
  }

  void visit(const Stmt& stmt) {
    match(
        stmt.node, [&](const ir::Load& node) { touch(Node::Kind::Load, node.array, stmt); },
        [&](const ir::Store& node) { touch(Node::Kind::Write, node.array, stmt); },
        [&](const ir::Atomic& node) {
          if (node.builtin != Builtin::AtomicLoad) touch(Node::Kind::Write, node.array, stmt);
        },
        [&](const ir::CallEffect& node) {
          if (is_barrier(row(node.builtin).effects)) append(Node::Kind::Barrier);
        },
        [&](const ir::Call& node) { visit_call(node, stmt); }, [&](const ir::If& node) { visit_if(node); },
        [&](const ir::While& node) { visit_loop(&node.head, node.body); },
        [&](const ir::For& node) { visit_loop(nullptr, node.body); },
        [&](const ir::Break&) { jump(loops_.back().exit); },
        [&](const ir::Continue&) { jump(loops_.back().head); }, [&](const ir::Return&) { leave(); },
        [&](const ir::Segment& node) { visit(node.body); }, [](const auto&) {});
  }

  void touch(Node::Kind kind, const Operand& array, const Stmt& stmt) {
    if (!is_shared(array)) return;
    Node* node = append(kind);
    if (!node) return;
    node->stmt = &stmt;
    node->arrays = arrays_[index_of(*array.slot)];
  }

  void visit_call(const ir::Call& call, const Stmt& stmt) {
    const SharedIntervals::Effect& callee = intervals_.effect(call.function);
    if (Node* node = append(Node::Kind::Write)) node->arrays = in_caller(callee.head, call);
    if (!callee.has_barrier) return visit_args(call, stmt);
    const std::optional<NodeId> before = current_;
    append(Node::Kind::Barrier);
    if (Node* node = append(Node::Kind::Write)) node->arrays = in_caller(callee.tail, call);
    if (callee.passes && before) edge(before, *current_);
  }

  void visit_args(const ir::Call& call, const Stmt& stmt) {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      if (!is_shared(call.args[i])) continue;
      Node* node = append(Node::Kind::Arg);
      if (!node) return;
      node->stmt = &stmt;
      node->arg = i;
      node->arrays = arrays_[index_of(*call.args[i].slot)];
    }
  }

  void visit_if(const ir::If& branch) {
    const std::optional<NodeId> before = current_;
    const NodeId join = add_node(Node::Kind::Join);
    visit(branch.then_body);
    edge(current_, join);
    bool reached = current_.has_value();
    current_ = before;
    visit(branch.else_body);
    edge(current_, join);
    reached = reached || current_;
    current_ = reached ? std::optional(join) : std::nullopt;
  }

  void visit_loop(const ir::Body* head, const ir::Body& body) {
    const NodeId start = add_node(Node::Kind::Join), exit = add_node(Node::Kind::Join);
    edge(current_, start);
    const bool reached = current_.has_value();
    if (reached) current_ = start;
    loops_.push_back({start, exit});
    if (head) visit(*head);
    edge(current_, exit);
    visit(body);
    edge(current_, start);
    loops_.pop_back();
    current_ = reached ? std::optional(exit) : std::nullopt;
  }

  void jump(NodeId to) {
    edge(current_, to);
    current_.reset();
  }

  void leave() {
    if (current_) ends_.insert(*current_);
    current_.reset();
  }

  // ---- Intervals ----

  // Calls `visit` with each barrier, the entry first, and what is reached from it before the next one; the
  // barrier itself comes first.
  template <class Visit> void for_each_interval(const Visit& visit) {
    std::vector<NodeId> seen(nodes_.size(), 0); // by node: the barrier, plus 1, that last met it
    for (NodeId barrier = 0; barrier < nodes_.size() && steps_ <= most_steps; ++barrier) {
      if (nodes_[barrier].kind != Node::Kind::Barrier) continue;
      std::vector<NodeId> interval{barrier};
      for (std::size_t i = 0; i < interval.size(); ++i) {
        for (NodeId next : nodes_[interval[i]].next) {
          ++steps_;
          if (nodes_[next].kind == Node::Kind::Barrier) continue;
          if (std::exchange(seen[next], barrier + 1) != barrier + 1) interval.push_back(next);
        }
      }
      visit(barrier, interval);
    }
  }

  SharedIntervals& intervals_;
  const ir::Module& module_;
  const ir::Function& function_;
  std::vector<SharedSet> arrays_; // by slot
  std::vector<Node> nodes_;       // the first is the entry, which is like a barrier
  std::set<NodeId> ends_;         // behind which the function is left
  std::vector<Loop> loops_;
  std::optional<NodeId> current_; // none where no way leads
  std::size_t steps_ = 0;
};

QuietLoads SharedIntervals::quiet_loads(ir::FunctionId id) {
  if (module_.shared.empty()) return {};
  return IntervalFinder(*this, id).quiet_loads();
}

const SharedIntervals::Effect& SharedIntervals::effect(ir::FunctionId id) {
  auto [found, is_new] = effects_.try_emplace(id);
  if (is_new) found->second = IntervalFinder(*this, id).effect();
  return found->second;
}

} // namespace kern
