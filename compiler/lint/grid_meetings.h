// Finds stores of different threads of a launch, in its blocks or across them, that go to one element of
// global memory with nothing to order them, and loads that read what another thread stores so. Runs of small
// launches tell (block_run.h): what the run is not sure of is not told. Private to lint/.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Two threads that come to one element.
struct GridMeeting {
  const ir::Stmt* other; // the store, or the load, by which the other thread comes to it; mostly the same one
  std::string how; // "in blocks of 64 threads, thread 0 and thread 1 of a block come to the same element"
};

class GridMeetings {
public:
  explicit GridMeetings(const ir::Module& module);

  // Returns with which stores a store meets.
  std::span<const GridMeeting> of(const ir::Stmt& store) const;
  // Returns which loads read an element that a store of another thread goes to.
  std::span<const GridMeeting> loads_of(const ir::Stmt& store) const;
  // Says whether several threads surely come to a store at once, where the data that decide are such.
  bool is_for_many(const ir::Stmt& store) const;

private:
  std::unordered_map<const ir::Stmt*, std::vector<GridMeeting>> meetings_, loads_;
  std::unordered_map<const ir::Stmt*, bool> many_;
};

} // namespace kern
