// What the threads of one run of a block do to shared memory, compared: who touches an element that another thread touches
// with nothing to order them, who stores an element, and who loads one that nobody has stored. Private to analysis/.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/analysis/block_run.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"

namespace kern {

struct Touched {
  Touch touch;
  std::uint16_t thread;
};

// Two touches that nothing orders; the second one came later in the run.
struct Conflict {
  Touched first, second;
  bool is_by_data = false;
};

class SharedTouches {
public:
  SharedTouches(const ir::Module& module, const ir::Function& kernel, BlockRun::Policy policy,
                std::size_t part = 0);

  using Stored = std::map<std::pair<std::uint32_t, std::int64_t>, Touched>;

  void run() { run_.run(); }
  const BlockRun& block() const { return run_; }
  // Of each array the first one.
  const std::map<std::uint32_t, Conflict>& conflicts() const { return conflicts_; }
  // Elements with who stored them first.
  const Stored& stored() const { return stored_; }
  // Loads of elements that nobody had stored.
  const std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>>& unstored() const { return unstored_; }
  // Says whether a thread stored to an array, at an element of its own.
  bool has_stored(std::uint32_t array, std::uint16_t thread) const {
    return storers_.contains({array, thread});
  }
  // Says whether an array may have been stored to by who knows whom.
  bool may_be_stored(std::uint32_t array) const { return is_any_unsure_ || unsure_.contains(array); }

private:
  using Threads = std::vector<std::uint16_t>;
  // What was done to an element since the last barrier.
  struct Element {
    std::uint32_t epoch = 0;
    std::vector<Touched> loads, stores, atomics;
  };

  void known(const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
             const Threads& threads);
  void compare(std::uint32_t array, const Element& element, const Touched& now);
  static void keep(Element& element, const Touched& now);
  void by_data(const Touch& touch, std::uint32_t array, const Threads& threads);
  void compare_with_data(const Touch& touch, std::uint32_t array, const Threads& threads);
  static bool is_behind(const Touched& other, const Touched& now);
  bool check(std::uint32_t array, const Touched& first, const Touched& second, bool by_data = false);
  bool may_both_be(std::uint32_t a, std::uint32_t b) const;

  static constexpr std::size_t most_unstored = 1024;

  TouchListener listener_;
  BlockRun run_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::int64_t, Element>> elements_; // by array
  std::unordered_map<std::uint32_t, std::vector<Touched>> last_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::vector<Touched>>> by_data_;
  std::map<std::uint32_t, Conflict> conflicts_;
  Stored stored_;
  std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>> unstored_;
  std::set<std::pair<std::uint32_t, std::uint16_t>> storers_;
  std::set<std::uint32_t> unsure_;
  bool is_any_unsure_ = false;
};

// Returns the element of a touch in the words of the source, where they are short.
std::string describe_touch(const Touch& touch);
// Reports the first element that a thread loads in a part of a block though only threads beyond that part store it, as the
// whole block shows; says whether there is one.
bool report_unstored(const SharedTouches& part, const SharedTouches& whole, Diagnostics& diagnostics);

} // namespace kern
