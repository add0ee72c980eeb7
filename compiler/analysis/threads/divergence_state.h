// A divergence graph under construction, and the present value of each slot. For divergence.cpp alone.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/analysis/flow/slots.h"
#include "compiler/analysis/threads/divergence.h"

namespace kern::divergence {

class State {
protected:
  using Operand = ir::Operand;
  using SlotId = ir::SlotId;
  using Stmt = ir::Stmt;
  using Changes = flow::Changes<Value>;

  explicit State(const ir::Function& function)
      : function_(function), slots_(std::vector<Value>(function.slots.size())) {}

  // ---- Nodes ----

  NodeId add(Node::Kind kind, const Stmt* stmt, std::optional<SlotId> slot, Cause cause = Cause::None) {
    graph_.nodes.push_back({kind, cause, stmt, slot});
    return static_cast<NodeId>(graph_.nodes.size() - 1);
  }

  void edge(NodeId from, NodeId to) {
    if (from != uniform && from != to) graph_.edges.push_back({from, to});
  }
  void edges(const Value& from, const Value& to) {
    edge(from.base, to.base);
    edge(from.extents, to.extents);
    edge(from.contents, to.contents);
  }

  // Returns a node that depends on those in `deps_`, which it empties; none if they are all uniform. Where
  // nobody would miss it in an explanation, the only one of them stands for itself.
  NodeId derive(Node::Kind kind, const Stmt& stmt, std::optional<SlotId> slot) {
    std::vector<NodeId> deps = std::exchange(deps_, {});
    std::erase(deps, uniform);
    std::sort(deps.begin(), deps.end());
    deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
    if (deps.empty()) return uniform;
    const bool named = kind == Node::Kind::Control || kind == Node::Kind::Gone ||
                       std::holds_alternative<ir::Load>(stmt.node) ||
                       (slot && !function_.slots[index_of(*slot)].name.empty());
    if (deps.size() == 1 && !named) return deps.front();
    const NodeId node = add(kind, &stmt, slot);
    for (NodeId dep : deps) edge(dep, node);
    return node;
  }
  NodeId derive(Node::Kind kind, const Stmt& stmt, std::optional<SlotId> slot,
                std::initializer_list<NodeId> deps) {
    deps_.assign(deps);
    return derive(kind, stmt, slot);
  }

  // Returns a value of fresh nodes, for a place that several ways lead to.
  Value new_value(Type type, Node::Kind kind, const Stmt* stmt, std::optional<SlotId> slot) {
    Value value;
    value.base = add(kind, stmt, slot);
    if (!is_array(type)) return value;
    value.extents = add(kind, stmt, slot);
    value.contents = add(kind, stmt, slot);
    return value;
  }

  // ---- The state ----

  Value read(const Operand& operand) {
    if (!operand.slot) return {};
    const Value& value = slots_[*operand.slot];
    if (value.base != uniform) graph_.reads.push_back({*operand.slot, value.base});
    if (value.extents != uniform) graph_.reads.push_back({*operand.slot, value.extents});
    return value;
  }
  void depend_on(const Operand& operand) { deps_.push_back(read(operand).base); }
  void depend_on(const std::vector<Operand>& operands) {
    for (const Operand& operand : operands) depend_on(operand);
  }

  void assign(SlotId slot, const Value& value) { slots_.set(slot, value); }

  // Undoes the assignments since a mark; returns those that are not of Temps.
  Changes take_back(flow::Slots<Value>::Mark mark) {
    Changes changes = slots_.take_back(mark);
    std::erase_if(changes, [&](const auto& change) {
      return function_.slots[index_of(change.slot)].kind == ir::Slot::Kind::Temp;
    });
    return changes;
  }

  const ir::Function& function_;
  Graph graph_;
  flow::Slots<Value> slots_;
  std::vector<NodeId> deps_; // what the next derived node depends on
};

} // namespace kern::divergence
