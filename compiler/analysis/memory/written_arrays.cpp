// Writes go up from callees until nothing changes, then down from callers. A call's array results may be
// views of any of its array arguments.
#include "compiler/analysis/memory/written_arrays.h"

#include "compiler/ir/walk.h"

namespace kern {

WrittenArrays::WrittenArrays(const ir::Module& module)
    : module_(module), functions_(module.functions.size()), shared_(module.shared.size(), false) {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    group(module.functions[i], functions_[i]);
    find_own_writes(module.functions[i], functions_[i]);
  }
  auto settle = [&](bool (WrittenArrays::*pass)(Arrays&)) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Arrays& arrays : functions_) changed = (this->*pass)(arrays) || changed;
    }
  };
  settle(&WrittenArrays::pass_up);
  for (Arrays& arrays : functions_) arrays.written = arrays.writes;
  settle(&WrittenArrays::pass_down);
}

WrittenArrays::Node WrittenArrays::Arrays::root(ir::SlotId slot) const {
  auto node = static_cast<Node>(slot);
  while (parent[node] != node) node = parent[node];
  return node;
}

void WrittenArrays::Arrays::join(ir::SlotId left, ir::SlotId right) {
  Node kept = root(right);
  for (auto node = static_cast<Node>(left); parent[node] != kept;) {
    Node next = parent[node];
    parent[node] = kept;
    if (next == node) break;
    node = next;
  }
}

void WrittenArrays::group(const ir::Function& function, Arrays& arrays) {
  for (Node node = 0; node < function.slots.size(); ++node) arrays.parent.push_back(node);
  std::vector<std::optional<ir::SlotId>> shared(shared_.size());
  std::optional<ir::SlotId> dynamic;
  auto is_array_slot = [&](ir::SlotId slot) {
    return is_array(function.slots[static_cast<std::size_t>(slot)].type);
  };
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node); assign && is_array_slot(assign->slot)) {
      ir::visit_operands(assign->value, [&](const ir::Operand& operand) {
        if (operand.slot && is_array(operand.type)) arrays.join(assign->slot, *operand.slot);
      });
      if (const auto* node = std::get_if<ir::SharedArray>(&assign->value)) {
        auto index = static_cast<std::size_t>(node->id);
        std::optional<ir::SlotId>& same = module_.shared[index].aliased ? dynamic : shared[index];
        if (same) arrays.join(assign->slot, *same);
        same = assign->slot;
      }
    }
    const auto* call = std::get_if<ir::Call>(&stmt.node);
    if (!call) return;
    arrays.calls.push_back(call);
    for (ir::SlotId result : call->results)
      for (const ir::Operand& arg : call->args)
        if (arg.slot && is_array(arg.type) && is_array_slot(result)) arrays.join(result, *arg.slot);
  });
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* node = assign ? std::get_if<ir::SharedArray>(&assign->value) : nullptr;
    if (node) arrays.shared.emplace_back(arrays.root(assign->slot), node->id);
  });
  arrays.writes.assign(function.slots.size(), false);
}

// Adding 0 is how an atomic reads.
static bool only_reads(const ir::Atomic& atomic) {
  if (atomic.builtin == Builtin::AtomicLoad) return true;
  bool adds = atomic.builtin == Builtin::AtomicAdd || atomic.builtin == Builtin::AtomicSub ||
              atomic.builtin == Builtin::AtomicOr || atomic.builtin == Builtin::AtomicXor;
  return adds && !atomic.args[0].slot && atomic.args[0].bits == 0;
}

void WrittenArrays::find_own_writes(const ir::Function& function, Arrays& arrays) {
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    if (const auto* store = std::get_if<ir::Store>(&stmt.node))
      arrays.writes[arrays.root(*store->array.slot)] = true;
    if (const auto* atomic = std::get_if<ir::Atomic>(&stmt.node); atomic && !only_reads(*atomic))
      arrays.writes[arrays.root(*atomic->array.slot)] = true;
  });
}

bool WrittenArrays::pass_up(Arrays& arrays) {
  bool changed = false;
  auto write = [&](Node root) {
    changed = changed || !arrays.writes[root];
    arrays.writes[root] = true;
  };
  for (const ir::Call* call : arrays.calls) {
    const Arrays& callee = functions_[static_cast<std::size_t>(call->function)];
    for (std::size_t i = 0; i < call->args.size(); ++i)
      if (call->args[i].slot && is_array(call->args[i].type) && callee.writes[callee.root(ir::SlotId(i))])
        write(arrays.root(*call->args[i].slot));
  }
  for (const auto& [root, id] : arrays.shared) {
    auto index = static_cast<std::size_t>(id);
    if (shared_[index]) write(root);
    changed = changed || (arrays.writes[root] && !shared_[index]);
    if (arrays.writes[root]) shared_[index] = true;
  }
  return changed;
}

bool WrittenArrays::pass_down(Arrays& arrays) {
  bool changed = false;
  for (const ir::Call* call : arrays.calls) {
    Arrays& callee = functions_[static_cast<std::size_t>(call->function)];
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      if (!call->args[i].slot || !is_array(call->args[i].type)) continue;
      Node root = callee.root(ir::SlotId(i));
      if (!arrays.written[arrays.root(*call->args[i].slot)] || callee.written[root]) continue;
      callee.written[root] = changed = true;
    }
  }
  return changed;
}

const WrittenArrays::Arrays& WrittenArrays::arrays_of(const ir::Function& function) const {
  return functions_[static_cast<std::size_t>(&function - module_.functions.data())];
}

bool WrittenArrays::may_write(const ir::Function& function, const ir::Operand& array) const {
  const Arrays& arrays = arrays_of(function);
  return arrays.written[arrays.root(*array.slot)];
}

bool WrittenArrays::may_be_same(const ir::Function& function, const ir::Operand& left,
                                const ir::Operand& right) const {
  const Arrays& arrays = arrays_of(function);
  return arrays.root(*left.slot) == arrays.root(*right.slot);
}

} // namespace kern
