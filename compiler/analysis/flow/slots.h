// The value of each slot at the place at hand. What a way assigns is logged and can be taken back, so joining two ways costs
// what they assigned, not what there is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern::flow {

// What a way assigned to a slot since some place.
template <class Value> struct Change {
  ir::SlotId slot;
  Value before, now;
};

// Ascending by slot, each once.
template <class Value> using Changes = std::vector<Change<Value>>;

// Returns the changes of two ways from one place, by join(slot, value, value) of what they leave a slot with.
template <class Value, class Join>
Changes<Value> joined(const Changes<Value>& first, const Changes<Value>& second, const Join& join) {
  Changes<Value> result;
  auto left = first.begin(), right = second.begin();
  while (left != first.end() || right != second.end()) {
    const bool is_left = right == second.end() || (left != first.end() && left->slot <= right->slot);
    const bool is_right = left == first.end() || (right != second.end() && right->slot <= left->slot);
    const Change<Value>& change = is_left ? *left : *right;
    const Value &one = is_left ? left->now : change.before, &other = is_right ? right->now : change.before;
    result.push_back({change.slot, change.before, join(change.slot, one, other)});
    left += is_left ? 1 : 0;
    right += is_right ? 1 : 0;
  }
  return result;
}

template <class Value> class Slots {
public:
  using Mark = std::size_t;

  explicit Slots(std::vector<Value> first) : values_(std::move(first)), seen_(values_.size()) {}

  const Value& operator[](ir::SlotId slot) const { return values_[index_of(slot)]; }
  void set(ir::SlotId slot, Value value) {
    log_.emplace_back(slot, std::exchange(values_[index_of(slot)], std::move(value)));
  }
  void apply(const Changes<Value>& changes) {
    for (const Change<Value>& change : changes) set(change.slot, change.now);
  }

  Mark mark() const { return log_.size(); }

  // Returns what was assigned since a mark.
  Changes<Value> since(Mark mark) {
    Changes<Value> changes;
    ++epoch_;
    for (; mark < log_.size(); ++mark) {
      const auto& [slot, before] = log_[mark];
      if (std::exchange(seen_[index_of(slot)], epoch_) != epoch_)
        changes.push_back({slot, before, (*this)[slot]});
    }
    std::ranges::sort(changes, {}, &Change<Value>::slot);
    return changes;
  }

  // Undoes what was assigned since a mark.
  void rollback(Mark mark) {
    for (; log_.size() > mark; log_.pop_back())
      values_[index_of(log_.back().first)] = std::move(log_.back().second);
  }

  Changes<Value> take_back(Mark mark) {
    Changes<Value> changes = since(mark);
    rollback(mark);
    return changes;
  }

private:
  std::vector<Value> values_;
  std::vector<std::pair<ir::SlotId, Value>> log_; // what was overwritten
  std::vector<std::uint32_t> seen_;               // by slot: the last epoch that met it
  std::uint32_t epoch_ = 0;
};

} // namespace kern::flow
