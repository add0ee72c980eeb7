// The slots that decide are followed back through the region: to what they are computed from, to the
// conditions under which that is assigned, and to stores to what is loaded. A place repeats where its array
// and indices are settled: they follow from what is outside, never from themselves or from memory that may be
// written.
#include "compiler/analysis/threads/waiting_region.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern::waiting {

namespace {

template <class Visit> void for_each_operand(const ir::Stmt& stmt, const Visit& visit) {
  ir::visit_operands(stmt, [&](const ir::Operand& operand) {
    if (operand.slot) visit(*operand.slot);
  });
}

bool reads_memory(const ir::Stmt& stmt) {
  return std::holds_alternative<ir::Load>(stmt.node) || std::holds_alternative<ir::Atomic>(stmt.node) ||
         std::holds_alternative<ir::Call>(stmt.node) || std::holds_alternative<ir::CallEffect>(stmt.node);
}

// Whether an atomic counts: done again with the same operands it changes the element again.
bool counts(const ir::Atomic& atomic) {
  switch (atomic.builtin) {
  case Builtin::AtomicAdd:
  case Builtin::AtomicSub:
  case Builtin::AtomicXor: return atomic.args[0].slot || atomic.args[0].bits != 0;
  case Builtin::AtomicInc:
  case Builtin::AtomicDec: return true;
  default: return false;
  }
}

// Returns a number for what an expression does with its operands.
std::uint32_t label_of(const ir::Expr& expr) {
  return match(
      expr, [](const ir::Unary& e) { return static_cast<std::uint32_t>(e.op); },
      [](const ir::Binary& e) { return static_cast<std::uint32_t>(e.op); },
      [](const ir::Compare& e) { return static_cast<std::uint32_t>(e.op); },
      [](const ir::CallPure& e) { return static_cast<std::uint32_t>(e.builtin); },
      [](const ir::Extent& e) { return static_cast<std::uint32_t>(e.axis); },
      [](const ir::Stride& e) { return static_cast<std::uint32_t>(e.axis); },
      [](const ir::View& e) {
        std::uint32_t kinds = 1;
        for (const ir::ViewAxis& axis : e.axes) kinds = kinds * 2 + (axis.kind == ir::ViewAxis::Kind::Range);
        return kinds;
      },
      [](const ir::SharedArray& e) { return static_cast<std::uint32_t>(e.id); },
      [](const ir::ConstantArray& e) { return static_cast<std::uint32_t>(e.id); },
      [](const auto&) { return std::uint32_t{0}; });
}

bool is_local(const ir::Operand& array) { return array.type->space == AddressSpace::Local; }

} // namespace

// ---- Values ----

SingleValues::SingleValues(const ir::Function& function) : values_(function.slots.size(), nullptr) {
  const ir::Definitions definitions(function);
  // A parameter has a value before its assignment.
  for (std::size_t slot = function.param_count; slot < values_.size(); ++slot)
    if (const ir::Assign* assign = definitions.sole_assign(ir::SlotId(slot))) values_[slot] = &assign->value;
}

const ir::Expr* SingleValues::find(const ir::Operand& operand) const {
  return operand.slot ? values_[static_cast<std::size_t>(*operand.slot)] : nullptr;
}

bool SingleValues::is_same(const ir::Operand& left, const ir::Operand& right, int depth) const {
  if (left == right) return true;
  if (depth == 0) return false;
  const ir::Expr *first = find(left), *second = find(right);
  for (auto [expr, other] : {std::pair(first, &right), std::pair(second, &left)}) {
    const auto* copy = expr ? std::get_if<ir::Copy>(expr) : nullptr;
    if (copy) return is_same(copy->value, *other, depth - 1);
  }
  if (!first || !second || left.type != right.type || first->index() != second->index()) return false;
  if (label_of(*first) != label_of(*second) || std::holds_alternative<ir::LocalArray>(*first)) return false;
  std::vector<ir::Operand> operands;
  ir::visit_operands(*first, [&](const ir::Operand& operand) { operands.push_back(operand); });
  std::size_t next = 0;
  bool same = true;
  ir::visit_operands(*second, [&](const ir::Operand& operand) {
    same = same && next < operands.size() && is_same(operands[next], operand, depth - 1);
    ++next;
  });
  return same && next == operands.size();
}

// ---- What a region holds ----

void Region::add(const ir::Body& body) {
  for (const ir::Stmt& stmt : body) add(stmt);
}

// Conditions under which what follows in a loop, or what is in it, is not reached.
static void find_jumps(const ir::Body& body, std::vector<ir::SlotId> under, std::vector<ir::SlotId>& found) {
  for (const ir::Stmt& stmt : body) {
    bool jumps =
        std::holds_alternative<ir::Break>(stmt.node) || std::holds_alternative<ir::Continue>(stmt.node);
    if (jumps) found.insert(found.end(), under.begin(), under.end());
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    if (!branch) continue;
    std::vector<ir::SlotId> inner = under;
    if (branch->condition.slot) inner.push_back(*branch->condition.slot);
    find_jumps(branch->then_body, inner, found);
    find_jumps(branch->else_body, inner, found);
  }
}

void Region::add(const ir::Stmt& stmt) {
  ir::visit_results(stmt, [&](ir::SlotId slot) { nodes_[slot].definitions.push_back({&stmt, under_}); });
  if (reads_memory(stmt) || std::holds_alternative<ir::Store>(stmt.node)) memory_.push_back(&stmt);
  std::size_t outside = under_.size();
  auto put_under = [&](const ir::Operand& operand) {
    if (operand.slot) under_.push_back(*operand.slot);
  };
  if (const auto* branch = std::get_if<ir::If>(&stmt.node)) put_under(branch->condition);
  if (const auto* loop = std::get_if<ir::While>(&stmt.node)) {
    put_under(loop->condition);
    find_jumps(loop->head, {}, under_);
    find_jumps(loop->body, {}, under_);
  }
  if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
    put_under(loop->count);
    find_jumps(loop->body, {}, under_);
  }
  ir::visit_bodies(stmt, [&](const ir::Body& body) { add(body); });
  under_.resize(outside);
}

bool Region::repeats(const ir::Operand& operand) const {
  if (!operand.slot) return true;
  auto found = nodes_.find(*operand.slot);
  return found == nodes_.end() || found->second.repeats;
}

bool Region::operands_repeat(const ir::Stmt& stmt) const {
  bool all = true;
  ir::visit_operands(stmt, [&](const ir::Operand& operand) { all = all && repeats(operand); });
  return all;
}

bool Region::place_repeats(const ir::Operand& array, const std::vector<ir::Operand>& indices) const {
  return repeats(array) &&
         std::ranges::all_of(indices, [&](const ir::Operand& index) { return repeats(index); });
}

bool Region::is_same_place(const ir::Stmt& left, const ir::Stmt& right) const {
  const std::optional<ir::Element> first = ir::element_of(left), second = ir::element_of(right);
  if (!first || !second || first->indices.size() != second->indices.size()) return false;
  if (!around_.values.is_same(first->array, second->array)) return false;
  for (std::size_t i = 0; i < first->indices.size(); ++i)
    if (!around_.values.is_same(first->indices[i], second->indices[i])) return false;
  return true;
}

// ---- Sources ----

// Settles the open slots that follow from others alone, never from themselves. Sources follow from nothing;
// of other statements only those that `counts` do.
template <class Counts> void Region::settle(Settled what, const Counts& counts, const Sources& sources) {
  std::vector<Node*> ready;
  for (auto& [slot, node] : nodes_) {
    node.is_settled = false;
    node.missing = node.varies ? 1 : 0;
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
    // A slot with one assignment gets the same value whenever that is made, so its conditions do not count.
    bool is_chosen = what == Settled::Ends || node.definitions.size() > 1;
    for (const Definition& definition : node.definitions) {
      if (is_chosen)
        for (ir::SlotId condition : definition.under) needs(condition);
      if (sources.contains(definition.stmt)) continue;
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

// Reads only what nobody writes.
bool Region::reads_fixed(const ir::Stmt& stmt) const {
  const auto* load = std::get_if<ir::Load>(&stmt.node);
  return load && !is_local(load->array) && !around_.written.may_write(around_.function, load->array);
}

// Calls a function that only computes.
bool Region::calls_what_computes(const ir::Stmt& stmt) const {
  const auto* call = std::get_if<ir::Call>(&stmt.node);
  return call && !around_.ask(call->function, std::vector<bool>(call->args.size(), false)).touches_memory;
}

bool Region::touches_memory() const {
  return std::ranges::any_of(memory_, [&](const ir::Stmt* stmt) { return !calls_what_computes(*stmt); });
}

// Whether the region itself changes the element at the place of a statement, so that it goes on with that
// alone. Two that count there may take back what the other did: up and down again.
bool Region::goes_on_at(const ir::Stmt& place) const {
  const ir::Atomic* counter = nullptr;
  bool goes_on = false;
  for (const ir::Stmt* stmt : memory_) {
    const auto* store = std::get_if<ir::Store>(&stmt->node);
    const auto* atomic = std::get_if<ir::Atomic>(&stmt->node);
    bool changes =
        (store && !repeats(store->value)) ||
        (atomic && (counts(*atomic) ||
                    (atomic->builtin != Builtin::AtomicLoad && atomic->builtin != Builtin::AtomicCas &&
                     atomic->builtin != Builtin::AtomicExch && !operands_repeat(*stmt))));
    if (!changes || !is_same_place(*stmt, place)) continue;
    if (atomic && counter && (counter->builtin != atomic->builtin || !(counter->args == atomic->args)))
      return false;
    if (atomic) counter = atomic;
    goes_on = true;
  }
  return goes_on;
}

// Whether an atomic at a repeated place asks what others did: a compare-and-swap for the same value, say.
bool Region::is_source(const ir::Atomic& atomic) const {
  if (!place_repeats(atomic.array, atomic.indices)) return false;
  if (atomic.builtin == Builtin::AtomicExch) return true;
  if (atomic.builtin == Builtin::AtomicCas) return repeats(atomic.args[0]);
  return std::ranges::all_of(atomic.args, [&](const ir::Operand& arg) { return repeats(arg); });
}

Asked Region::asked_by(const ir::Call& call) const {
  std::vector<bool> varying;
  for (const ir::Operand& arg : call.args) varying.push_back(!repeats(arg));
  return around_.ask(call.function, varying);
}

void Region::find_sources() {
  for (auto& [slot, node] : nodes_) node.is_open = true;
  settle(Settled::Repeats,
         [&](const ir::Stmt& stmt) {
           return !reads_memory(stmt) || reads_fixed(stmt) || calls_what_computes(stmt);
         },
         {});
  for (auto& [slot, node] : nodes_) node.repeats = node.is_settled;
  bool goes_on = false; // by itself: it stores, or counts
  for (const ir::Stmt* stmt : memory_) {
    const auto* atomic = std::get_if<ir::Atomic>(&stmt->node);
    goes_on =
        goes_on || std::holds_alternative<ir::Store>(stmt->node) ||
        (atomic && atomic->builtin != Builtin::AtomicLoad && (counts(*atomic) || !operands_repeat(*stmt)));
  }
  for (const ir::Stmt* stmt : memory_) {
    if (const auto* call = std::get_if<ir::Call>(&stmt->node)) {
      Asked asked = asked_by(*call);
      if (asked.any) sources_.emplace(stmt, std::move(asked.loads));
    } else if (const auto* atomic = std::get_if<ir::Atomic>(&stmt->node)) {
      bool is_written = around_.written.may_write(around_.function, atomic->array);
      if (is_source(*atomic) && !goes_on_at(*stmt))
        (is_written ? sources_ : quiet_sources_).emplace(stmt, Sources::mapped_type{});
    } else if (const auto* load = std::get_if<ir::Load>(&stmt->node)) {
      if (is_local(load->array) || !place_repeats(load->array, load->indices)) continue;
      bool is_written = around_.written.may_write(around_.function, load->array);
      if (is_written && !goes_on_at(*stmt)) sources_.emplace(stmt, std::vector{load});
      if (!is_written && !goes_on) quiet_sources_.emplace(stmt, std::vector{load});
    }
  }
}

std::vector<const ir::Load*> Region::loads() const {
  std::vector<const ir::Load*> all;
  for (const Sources* sources : {&sources_, &quiet_sources_})
    for (const auto& [stmt, loads] : *sources) all.insert(all.end(), loads.begin(), loads.end());
  return all;
}

// ---- What follows from them ----

// Opens the slots that decide on some: what those are computed from, the conditions under which they are
// assigned, and what was stored to the arrays that they are loaded from.
void Region::open_what_decides(std::vector<ir::SlotId> slots, const Sources& sources, bool& any,
                               std::vector<const ir::Load*>& polled) {
  for (auto& [slot, node] : nodes_) node.is_open = false;
  std::vector<ir::Operand> loaded;
  auto follow_stores = [&](const ir::Operand& array) {
    if (std::ranges::find(loaded, array) != loaded.end()) return;
    loaded.push_back(array);
    for (const ir::Stmt* stmt : memory_) {
      const auto* store = std::get_if<ir::Store>(&stmt->node);
      if (store && around_.written.may_be_same(around_.function, store->array, array))
        for_each_operand(*stmt, [&](ir::SlotId slot) { slots.push_back(slot); });
    }
  };
  while (!slots.empty()) {
    auto found = nodes_.find(slots.back());
    slots.pop_back();
    if (found == nodes_.end() || std::exchange(found->second.is_open, true)) continue;
    for (const Definition& definition : found->second.definitions) {
      slots.insert(slots.end(), definition.under.begin(), definition.under.end());
      auto source = sources.find(definition.stmt);
      if (source != sources.end()) {
        any = true;
        polled.insert(polled.end(), source->second.begin(), source->second.end());
        continue;
      }
      for_each_operand(*definition.stmt, [&](ir::SlotId slot) { slots.push_back(slot); });
      if (const auto* load = std::get_if<ir::Load>(&definition.stmt->node)) follow_stores(load->array);
    }
  }
}

std::optional<std::vector<const ir::Load*>> Region::decided_by_sources(const std::vector<ir::SlotId>& slots) {
  std::vector<const ir::Load*> polled;
  bool any = false;
  open_what_decides(slots, sources_, any, polled);
  if (any) return polled;
  // Nobody here writes such an element. The loop waits if nothing else would end it.
  polled.clear();
  open_what_decides(slots, quiet_sources_, any, polled);
  settle(Settled::Ends, [](const ir::Stmt&) { return true; }, quiet_sources_);
  for (auto& [slot, node] : nodes_) any = any && (!node.is_open || node.is_settled);
  if (!any) return std::nullopt;
  return polled;
}

// ---- Retries ----

bool Region::reads_what_it_swaps(const ir::Atomic& swap) {
  if (!swap.args[0].slot) return false;
  std::vector<ir::SlotId> slots{*swap.args[0].slot};
  std::unordered_set<ir::SlotId> seen;
  while (!slots.empty()) {
    ir::SlotId slot = slots.back();
    slots.pop_back();
    auto found = nodes_.find(slot);
    if (found == nodes_.end() || !seen.insert(slot).second) continue;
    for (const Definition& definition : found->second.definitions) {
      if (std::holds_alternative<ir::Call>(definition.stmt->node)) return true;
      const std::optional<ir::Element> place = ir::element_of(*definition.stmt);
      if (place && around_.written.may_be_same(around_.function, place->array, swap.array)) {
        bool is_elsewhere =
            place_repeats(place->array, place->indices) && place_repeats(swap.array, swap.indices);
        for (std::size_t i = 0; is_elsewhere && i < place->indices.size() && i < swap.indices.size(); ++i)
          is_elsewhere = is_elsewhere && !around_.values.is_same(place->indices[i], swap.indices[i]);
        if (!is_elsewhere) return true;
      }
      for_each_operand(*definition.stmt, [&](ir::SlotId operand) { slots.push_back(operand); });
    }
  }
  return false;
}

bool Region::is_retry(const ir::Stmt& stmt) {
  bool decides = false;
  ir::visit_results(stmt, [&](ir::SlotId slot) { decides = decides || nodes_[slot].is_open; });
  if (!decides) return false;
  if (const auto* call = std::get_if<ir::Call>(&stmt.node)) return asked_by(*call).retries;
  const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
  return atomic && atomic->builtin == Builtin::AtomicCas && !repeats(atomic->args[0]) &&
         reads_what_it_swaps(*atomic);
}

Region::Way Region::way_through(const ir::Body& body, bool& goes_round_without) {
  for (const ir::Stmt& stmt : body) {
    bool returns = std::holds_alternative<ir::Return>(stmt.node);
    if (std::holds_alternative<ir::Break>(stmt.node) || (returns && !returns_go_round_)) return Way::Left;
    if (returns || std::holds_alternative<ir::Continue>(stmt.node)) {
      goes_round_without = true;
      return Way::Left;
    }
    if (is_retry(stmt)) return Way::Retried;
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    if (!branch) continue;
    Way yes = way_through(branch->then_body, goes_round_without),
        no = way_through(branch->else_body, goes_round_without);
    if (yes == Way::Left && no == Way::Left) return Way::Left;
    if (yes != Way::On && no != Way::On) return Way::Retried;
  }
  return Way::On;
}

bool Region::always_retries(const std::vector<const ir::Body*>& round, const std::vector<ir::SlotId>& slots) {
  bool any = false, goes_round_without = false;
  std::vector<const ir::Load*> unused;
  open_what_decides(slots, {}, any, unused);
  for (const ir::Body* body : round) {
    Way way = way_through(*body, goes_round_without);
    if (way != Way::On) return !goes_round_without;
  }
  return false;
}

} // namespace kern::waiting
