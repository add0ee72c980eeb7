// What the threads of one run of a block do to shared memory, compared: who touches an element that another thread touches
// with nothing to order them, who stores an element, and who loads one that nobody has stored. Private to analysis/.
#pragma once

#include <map>
#include <optional>
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

  void run() { run_.run(); }
  const BlockRun& block() const { return run_; }
  // Of each array the first one.
  const std::map<std::uint32_t, Conflict>& conflicts() const { return conflicts_; }
  // Returns who stored an element first, or null.
  const Touched* first_store(std::uint32_t array, std::int64_t element) const;
  // Loads of elements that nobody had stored.
  const std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>>& unstored() const { return unstored_; }
  // Says whether a thread stored to an array, at an element of its own.
  bool has_stored(std::uint32_t array, std::uint16_t thread) const;
  // Says whether an array may have been stored to by who knows whom.
  bool may_be_stored(std::uint32_t array) const { return is_any_unsure_ || unsure_.contains(array); }

private:
  using Threads = std::vector<std::uint16_t>;
  // What was done to an element since the last barrier, and who stored it first of all.
  struct Element {
    std::uint32_t epoch = 0;
    std::vector<Touched> loads, stores, atomics;
    std::optional<Touched> first_store;
  };

  void known(const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
             const Threads& threads);
  void compare(std::uint32_t array, const Element& element, const Touched& now);
  static void keep(Element& element, const Touched& now);
  void by_data(const Touch& touch, std::uint32_t array, const Threads& threads);
  void compare_with_data(const Touch& touch, std::uint32_t array, const Threads& threads);
  static bool is_behind(const Touched& other, const Touched& now);
  bool check(std::uint32_t array, const Touched& first, const Touched& second, bool by_data = false);

  static constexpr std::size_t most_unstored = 1024;

  TouchListener listener_;
  BlockRun run_;
  bool compares_; // of a block that is cut short only what nobody stored is asked for
  std::unordered_map<std::uint32_t, std::unordered_map<std::int64_t, Element>> elements_; // by array
  std::unordered_map<std::uint32_t, std::vector<Touched>> last_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::vector<Touched>>> by_data_;
  std::map<std::uint32_t, Conflict> conflicts_;
  std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>> unstored_;
  std::unordered_map<std::uint32_t, std::vector<bool>> storers_; // by array, then by thread
  std::set<std::uint32_t> unsure_;
  bool is_any_unsure_ = false;
};

// Returns the element of a touch in the words of the source, where they are short.
std::string describe_touch(const Touch& touch);
// Says whether a part of a block may load what the rest would have stored, by how the kernel's statements stand: where all
// stores come before their loads, under no condition, and nobody leaves, there is no need for a run.
bool may_lack_stores(const ir::Function& kernel);
// Reports the first element that a thread loads in a part of a block though only threads beyond that part store it, as the
// whole block shows; says whether there is one.
bool report_unstored(const SharedTouches& part, const SharedTouches& whole, Diagnostics& diagnostics);

} // namespace kern
