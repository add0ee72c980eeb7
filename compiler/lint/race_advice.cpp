// A thread that counts up an element and stores at what it counted needs the old element of an atomic: one atomic for
// both. Only where the load, the count and the store stand in one body it is known which number the load gives.
#include "compiler/lint/race_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/advice/advice.h"
#include "compiler/ir/walk.h"

namespace kern {

static constexpr int most_steps = 16;

static bool is_common(const ir::Operand& array) {
  return array.type->space == AddressSpace::Global || array.type->space == AddressSpace::Shared;
}

RaceAdvice::RaceAdvice(const FunctionAnalyses& analyses, std::string_view prefix)
    : function_(analyses.function), nesting_(analyses.nesting), describe_(analyses.describe),
      updates_(analyses.updates), prefix_(prefix) {
  ir::walk(function_.body, [&](const ir::Stmt& stmt) {
    const auto* atomic = std::get_if<ir::Atomic>(&stmt.node);
    if (atomic && is_common(atomic->array) && step(*atomic)) atomics_.push_back(&stmt);
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    if (store && is_common(store->array))
      (is_integer(store->value.type) && updates_.updates(*store) && step(*store) ? counts_ : stores_)
          .push_back(&stmt);
  });
  if (counts_.empty()) return;
  for (const ir::Stmt* stmt : stores_) find_placed(*stmt);
}

// Returns what a store adds to its element, where that is a constant.
std::optional<std::int64_t> RaceAdvice::step(const ir::Store& count) const {
  const std::optional<Origin> from = origin(count.value);
  if (!from || from->offset == 0) return std::nullopt;
  const bool is_own = updates_.is_element(std::get<ir::Load>(from->load->node), count);
  return is_own ? std::optional(from->offset) : std::nullopt;
}

std::optional<RaceAdvice::Origin> RaceAdvice::origin(ir::Operand operand) const {
  Origin result{nullptr, 0, ""};
  for (int step = 0; step < most_steps; ++step) {
    const ir::Stmt* made = operand.slot ? describe_.definitions().sole(*operand.slot) : nullptr;
    if (!made) return std::nullopt;
    const ir::Slot& slot = function_.slots[index_of(*operand.slot)];
    if (!slot.name.empty()) result.name = slot.name;
    if (std::holds_alternative<ir::Load>(made->node)) {
      result.load = made;
      return result;
    }
    const auto* assign = std::get_if<ir::Assign>(&made->node);
    if (!assign) return std::nullopt;
    const auto* copy = std::get_if<ir::Copy>(&assign->value);
    const auto* convert = std::get_if<ir::Convert>(&assign->value);
    const auto* binary = std::get_if<ir::Binary>(&assign->value);
    const auto* select = std::get_if<ir::Select>(&assign->value);
    const std::optional<ir::Operand> same = copy      ? copy->value
                                            : convert ? convert->value
                                            : select  ? describe_.written(*select)
                                                      : std::nullopt;
    if (same) {
      operand = *same;
      continue;
    }
    const bool adds = binary && binary->op == ir::BinaryOp::Add,
               subtracts = binary && binary->op == ir::BinaryOp::Subtract;
    if (!is_integer(operand.type) || (!adds && !subtracts)) return std::nullopt;
    const bool is_left = binary->left.slot.has_value();
    const ir::Operand& constant = is_left ? binary->right : binary->left;
    if (constant.slot || (subtracts && !is_left)) return std::nullopt;
    result.offset += subtracts ? -ir::int_value(constant) : ir::int_value(constant);
    // The variable of a sum does not hold what was loaded.
    result.name.clear();
    operand = is_left ? binary->left : binary->right;
  }
  return std::nullopt;
}

void RaceAdvice::find_placed(const ir::Stmt& stmt) {
  const auto& store = std::get<ir::Store>(stmt.node);
  for (std::size_t axis = 0; axis < store.indices.size(); ++axis) {
    const std::optional<Origin> from = origin(store.indices[axis]);
    if (!from) continue;
    const auto& load = std::get<ir::Load>(from->load->node);
    for (const ir::Stmt* count : counts_) {
      const auto& counter = std::get<ir::Store>(count->node);
      const Nesting::Where &loaded = nesting_.of(*from->load), &counts = nesting_.of(*count),
                           &stores = nesting_.of(stmt);
      if (!updates_.is_element(load, counter)) continue;
      if (loaded.body != counts.body || stores.body != counts.body) continue;
      Counted& counted = counted_[count];
      if (counted.name.empty()) {
        counted.name = from->name.empty() ? fresh_name() : from->name;
        if (!from->name.empty()) counted.loaded = describe_.element(load.array, load.indices);
      }
      const std::int64_t offset =
          from->offset + (loaded.order > counts.order ? step(counter).value_or(0) : 0);
      counted.stores.push_back({&stmt, describe_.element(store.array, store.indices),
                                element_at(store, axis, counted.name, offset)});
      placed_.emplace(&stmt, count);
      return;
    }
  }
}

// Returns an element in the words of the source, with a place and a distance for one of its indices.
std::string RaceAdvice::element_at(const ir::Store& store, std::size_t axis, std::string_view place,
                                   std::int64_t offset) const {
  std::vector<std::string> indices;
  for (const ir::Operand& each : store.indices) indices.push_back(describe_(each));
  const ast::BinaryOp op = offset > 0 ? ast::BinaryOp::Add : ast::BinaryOp::Subtract;
  indices[axis] =
      offset == 0 ? std::string(place) : advice::binary(place, op, std::to_string(std::abs(offset)));
  return advice::element(describe_(store.array), fmt::format("{}", fmt::join(indices, ", ")));
}

// Returns what an atomic adds, where that is a constant.
std::optional<std::int64_t> RaceAdvice::step(const ir::Atomic& count) {
  const bool subtracts = count.builtin == Builtin::AtomicSub;
  if (count.builtin != Builtin::AtomicAdd && !subtracts) return std::nullopt;
  if (count.args[0].slot || !is_integer(count.args[0].type)) return std::nullopt;
  const std::int64_t number = ir::int_value(count.args[0]);
  return number == 0 ? std::nullopt : std::optional(subtracts ? -number : number);
}

std::string RaceAdvice::text(const ir::Atomic& count) const {
  std::vector<std::string> indices;
  for (const ir::Operand& each : count.indices) indices.push_back(describe_(each));
  return advice::atomic(prefix_, count.builtin == Builtin::AtomicSub ? "sub" : "add", describe_(count.array),
                        advice::index(indices), describe_(count.args[0]));
}

// Says whether a statement stands in a body, or in one within it.
bool RaceAdvice::is_around(const ir::Body* body, const ir::Stmt& stmt) const {
  for (const ir::Stmt* at = &stmt; at; at = nesting_.of(*at).outer)
    if (nesting_.of(*at).body == body) return true;
  return false;
}

std::optional<std::string> RaceAdvice::atomic_advice(const ir::Stmt& stmt) const {
  const auto* store = std::get_if<ir::Store>(&stmt.node);
  for (std::size_t axis = 0; store && axis < store->indices.size(); ++axis) {
    const std::optional<Origin> from = origin(store->indices[axis]);
    if (!from) continue;
    const auto& load = std::get<ir::Load>(from->load->node);
    for (const ir::Stmt* each : atomics_) {
      const auto& count = std::get<ir::Atomic>(each->node);
      const ir::Store counted{count.array, count.indices, count.args[0]};
      const Nesting::Where &loaded = nesting_.of(*from->load), &counts = nesting_.of(*each);
      const bool is_before = counts.order < loaded.order;
      const bool is_sure = is_before ? is_around(counts.body, *from->load)
                                     : counts.body == loaded.body && counts.body == nesting_.of(stmt).body;
      if (!updates_.is_element(load, counted) || !is_sure) continue;
      std::string name = count.slot ? function_.slots[index_of(*count.slot)].name : "";
      const bool has_name = !name.empty();
      if (!has_name) name = fresh_name();
      const std::string element =
          element_at(*store, axis, name, from->offset + (is_before ? step(count).value_or(0) : 0));
      if (element.find("...") != std::string::npos) return std::nullopt;
      if (has_name && is_before)
        return fmt::format("others may have counted since; write `{}` here", element);
      const std::string atomic = text(count);
      return is_before ? fmt::format("others may have counted since; write `{} = {}` for `{}`, and `{}` here",
                                     name, atomic, atomic, element)
                       : fmt::format("write `{} = {}` before this instead of `{}` behind it, and `{}` here",
                                     name, atomic, atomic, element);
    }
  }
  return std::nullopt;
}

std::string RaceAdvice::fresh_name() const {
  for (const char* name : {"p", "place", "position"}) {
    const bool is_taken =
        std::ranges::any_of(function_.slots, [&](const ir::Slot& slot) { return slot.name == name; });
    if (!is_taken) return name;
  }
  return "place_of_thread";
}

std::span<const RaceAdvice::Placed> RaceAdvice::placed_by(const ir::Stmt& count) const {
  const auto found = counted_.find(&count);
  if (found == counted_.end()) return {};
  return found->second.stores;
}

bool RaceAdvice::is_placed(const ir::Stmt& store) const { return placed_.contains(&store); }

std::string RaceAdvice::place_advice(const ir::Stmt& count, std::string_view atomic) const {
  const Counted& counted = counted_.at(&count);
  const Placed& first = counted.stores.front();
  if (!counted.loaded.empty())
    return fmt::format("instead write `{0} = {1}` for `{0} = {2}`", counted.name, atomic, counted.loaded);
  return fmt::format("instead write `{} = {}` before the store to `{}`, and `{}` there", counted.name, atomic,
                     first.element, first.index);
}

std::string RaceAdvice::one_thread(const ir::Store& store) const {
  int axes = 1;
  bool of_block = store.array.type->space == AddressSpace::Shared;
  const auto builtin = [](const ir::Stmt& stmt) -> std::optional<Builtin> {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
    return call ? std::optional(call->builtin) : std::nullopt;
  };
  ir::walk(function_.body, [&](const ir::Stmt& stmt) {
    if (builtin(stmt) == Builtin::ThreadIndexY) axes = std::max(axes, 2);
    if (builtin(stmt) == Builtin::ThreadIndexZ) axes = 3;
  });
  if (const auto& block = function_.options.block)
    axes = std::max(axes, (*block)[2] > 1 ? 3 : (*block)[1] > 1 ? 2 : 1);
  // An element that each block has one of is stored by a thread of each.
  for (const ir::Operand& index : store.indices)
    of_block = of_block || updates_.is_made_by(index, [&](const ir::Stmt& stmt) {
      const std::optional<Builtin> is = builtin(stmt);
      return is == Builtin::BlockIndexX || is == Builtin::BlockIndexY || is == Builtin::BlockIndexZ;
    });
  if (!of_block)
    return fmt::format("if {}grid({}) == {}:", prefix_, axes,
                       axes == 1   ? "0"
                       : axes == 2 ? "(0, 0)"
                                   : "(0, 0, 0)");
  std::string text = fmt::format("if {}threadIdx.x == 0", prefix_);
  if (axes > 1) text += fmt::format(" and {}threadIdx.y == 0", prefix_);
  if (axes > 2) text += fmt::format(" and {}threadIdx.z == 0", prefix_);
  return text + ":";
}

} // namespace kern
