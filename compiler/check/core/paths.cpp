#include "compiler/check/core/paths.h"

namespace kern::checker {

void Paths::keep(Local& local) {
  local.now.known_depth = depth_;
  known_.push_back(&local);
}

std::optional<Span> Paths::removed(const Local& local) const {
  const auto found = removed_.find(&local);
  return found == removed_.end() ? std::nullopt : std::optional(found->second);
}

void Paths::leave(const std::map<const Local*, Span>& before) {
  while (!known_.empty() && known_.back()->now.known_depth > depth_) {
    known_.back()->now.known.reset();
    known_.pop_back();
  }
  std::erase_if(removed_, [&](const auto& each) { return !before.contains(each.first); });
}

} // namespace kern::checker
