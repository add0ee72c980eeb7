// What is known at a place because every path to it has gone by.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/check/core/instance.h"

namespace kern::checker {

// What locals are known to be, and which `del` has taken, on all paths to this place: what is found out in a conditional body ends
// with it.
class Paths {
public:
  bool is_conditional() const { return depth_ > 0; }
  // Keeps `local.now.known` until the body ends.
  void keep(Local& local);
  void remove(const Local& local, Span span) { removed_.insert_or_assign(&local, span); }
  void restore(const Local& local) { removed_.erase(&local); }
  // Returns where a local was deleted; nothing where a path has it.
  std::optional<Span> removed(const Local& local) const;
  // Runs what writes a body that may be passed by.
  template <class Write> void branch(const Write& write) {
    ++depth_;
    const std::map<const Local*, Span> before = removed_;
    write();
    --depth_;
    leave(before);
  }

private:
  void leave(const std::map<const Local*, Span>& before);

  int depth_ = 0;             // conditional bodies around this place
  std::vector<Local*> known_; // in the order of assignment
  std::map<const Local*, Span> removed_;
};

// A loop around a statement.
struct OpenLoop {
  bool has_break = false;
  std::optional<ir::SlotId> stop_flag; // set by a break: of an unrolled loop, and of one with an `else`
};

// The loops around a place.
class Loops {
public:
  bool empty() const { return open_.empty(); }
  OpenLoop& innermost() { return open_.back(); }
  // Gives the loop that is opened next a flag, and takes it.
  void flag_next(ir::SlotId flag) { next_flag_ = flag; }
  std::optional<ir::SlotId> take_flag() { return std::exchange(next_flag_, {}); }
  // Runs what writes the body of a loop; says whether it has a `break`.
  template <class Write> bool inside(std::optional<ir::SlotId> stop_flag, const Write& write) {
    open_.push_back({false, stop_flag});
    write();
    const bool has_break = open_.back().has_break;
    open_.pop_back();
    return has_break;
  }

private:
  std::vector<OpenLoop> open_;
  std::optional<ir::SlotId> next_flag_;
};

} // namespace kern::checker
