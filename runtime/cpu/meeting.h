// A barrier that the threads of a block come to each by its own way: it is complete when all that have not
// left wait at the same place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kern/abi.h"

namespace kern::cpu {

// The result that threads ask of a barrier.
enum class Asked : std::uint8_t { Nothing, Sum, Least, Greatest, First };

// A thread at a barrier.
struct Arrival {
  enum class State : std::uint8_t { Waits, Met, Lost };

  const kern_where& where;
  std::uint32_t site; // of the barrier
  Asked asked;
  std::uint64_t value; // what it brings; when they have met, what it gets
  std::uint32_t thread[3];
  State state = State::Waits;

  bool waits() const { return state == State::Waits; }
};

// The threads of a block that wait at barriers.
class Meeting {
public:
  // Takes note of a thread, which stays where it is until it waits no more.
  void come(Arrival& arrival) { waiting_.push_back(&arrival); }
  std::size_t count() const { return waiting_.size(); }
  // All have come: lets them go on, or reports that they are at different places.
  void complete(kern_launch_record& record);
  // Reports that there is no memory for the threads of the block, and lets all go that wait, to leave.
  void lose(kern_launch_record& record, Arrival& arrival);

private:
  void end(Arrival::State state);

  std::vector<Arrival*> waiting_;
};

} // namespace kern::cpu
