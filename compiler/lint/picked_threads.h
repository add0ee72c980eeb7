// How many threads come to a place: conditions that pick one, and loops that let in one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/threads/shape.h"
#include "compiler/lint/updates.h"

namespace kern {

// The threads that a condition, or a loop, lets through.
enum class Picked : std::uint8_t {
  Many,
  ByData, // those whose data are equal to something: any number of them, though one may be meant
  ByElement, // those to whom an atomic of an element that data pick returned something: one thread for each of many
  One,
  Nobody,
};

// Returns for each function whether it, or what it calls, has a loop that an atomic ends: a lock, or a turn.
std::vector<bool> find_waiting_functions(const ir::Module& module);
// Says whether an atomic may decide how long a loop runs: threads come out of it one at a time, or in an order that
// they agreed on.
bool ends_by_atomic(const ir::Stmt& loop);
// Says whether a kernel, or what it calls, has a loop that waits for other threads: what it waits for orders them.
bool waits_for_others(const ir::Module& module, const ir::Function& kernel);

class PickedThreads {
public:
  PickedThreads(const Describer& describe, const Shapes& shapes, const Updates& updates)
      : describe_(describe), shapes_(shapes), updates_(updates) {}

  // Returns whom a condition lets through where it holds, or where it does not; never Nobody. A test of a range, like
  // `i < n`, picks no thread; of what is not understood it is assumed. `params` says what the parameters are made of.
  Picked by(const ir::Operand& condition, bool holds, const std::vector<Updates::Sources>& params) const;

private:
  struct Question {
    const std::vector<Updates::Sources>& params;
    int steps = 0;
    std::vector<ir::SlotId> open = {}; // the flags that are being looked at
  };
  Picked by(const ir::Operand& condition, bool holds, Question& question) const;
  Picked by(const ir::Expr& condition, bool holds, Question& question) const;
  Picked by_test(const ir::Compare& test, bool holds, const Question& question) const;
  Picked by_join(const ir::If& join, bool holds, Question& question) const;
  Picked by_arm(const ir::If& join, bool is_then, bool holds, Question& question) const;
  Picked by_flag(ir::SlotId flag, bool holds, Question& question) const;
  Picked by_assignment(ir::SlotId flag, const ir::Stmt& stmt, bool holds, Question& question) const;
  Picked by_sources(const ir::Operand& condition, const Question& question) const;

  const Describer& describe_;
  const Shapes& shapes_;
  const Updates& updates_;
};

} // namespace kern
