// Compares what the threads of one run of a block do to shared memory: who touches an element that another
// thread touches with nothing to order them, who stores an element, and who loads or changes one that nobody
// has stored. Private to lint/.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/analysis/ranges.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"
#include "compiler/lint/block_run.h"

namespace kern {

struct LintContext;

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

  void run();
  const BlockRun& block() const { return run_; }
  // Returns the first conflict of each array.
  const std::map<std::uint32_t, Conflict>& conflicts() const { return conflicts_; }
  // Returns who stored an element first, or null.
  const Touched* first_store(std::uint32_t array, std::int64_t element) const;
  // Returns loads of elements that nobody had stored, and atomics that change such elements.
  const std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>>& unstored() const { return unstored_; }
  // Returns loads and atomics of elements that data pick, with their arrays; one thread stands for a
  // statement.
  const std::vector<std::pair<std::uint32_t, Touched>>& picked_by_data() const { return picked_by_data_; }
  // Returns a store to an element that another run's threads had not stored to at its end, by no thread that it may be
  // loaded by; null where there is none.
  const Touched* stored_only_here(std::uint32_t array, const SharedTouches& other,
                                  std::uint16_t loader) const;
  // Says whether all stores that the kernel may make to an array were told, each with its elements.
  bool knows_all_stores(std::uint32_t array) const {
    return !may_be_stored(array) && !missing_.contains(array) && !is_any_missing_ && !open_.contains(array);
  }
  // Returns a store to an array, or null.
  const Touched* any_store(std::uint32_t array) const;
  // Says whether a thread stored to an array, at an element of its own.
  bool has_stored(std::uint32_t array, std::uint16_t thread) const;
  // Says whether an array may have been stored to by who knows whom.
  bool may_be_stored(std::uint32_t array) const { return is_any_unsure_ || unsure_.contains(array); }

private:
  using Threads = std::vector<std::uint16_t>;
  // The touches of an element since the last barrier, and the first store to it of all.
  struct Element {
    std::uint32_t epoch = 0;
    std::vector<Touched> loads, stores, atomics;
    std::optional<Touched> first_store;
    std::uint8_t unstored_atomics = 0;
  };

  void known(const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
             const Threads& threads);
  void note_unstored(std::uint32_t array, std::int64_t at, Element& element, const Touched& now);
  void find_missing();
  void compare(std::uint32_t array, const Element& element, const Touched& now);
  static void keep(Element& element, const Touched& now);
  void by_data(const Touch& touch, std::uint32_t array, const Threads& threads);
  void compare_with_data(const Touch& touch, std::uint32_t array, const Threads& threads);
  static bool is_behind(const Touched& other, const Touched& now);
  bool check(std::uint32_t array, const Touched& first, const Touched& second, bool by_data = false);

  static constexpr std::size_t most_unstored = 1024, most_unstored_atomics = 4;

  const ir::Module& module_;
  const ir::Function& kernel_;

  TouchListener listener_;
  BlockRun run_;
  bool compares_; // of a block that is cut short only what nobody stored is asked for
  std::unordered_map<std::uint32_t, std::unordered_map<std::int64_t, Element>> elements_; // by array
  std::unordered_map<std::uint32_t, std::vector<Touched>> last_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::vector<Touched>>> by_data_;
  std::map<std::uint32_t, Conflict> conflicts_;
  std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>> unstored_;
  std::unordered_map<std::uint32_t, std::vector<bool>> storers_; // by array, then by thread
  std::vector<std::pair<std::uint32_t, Touched>> picked_by_data_;
  std::unordered_set<const ir::Stmt*> told_; // of what sets elements
  // By statement and thread: the element that it set last, in loops of rounds that are not known.
  std::map<std::pair<const ir::Stmt*, std::uint16_t>, std::int64_t> last_set_;
  std::set<std::uint32_t> unsure_, missing_, open_;
  bool is_any_unsure_ = false, is_any_missing_ = false;
};

// Returns the element of a touch in the words of the source, where they are short.
std::string describe_touch(const Touch& touch);
// Returns the elements, within the array or not, each of which an atomic changes for some data, where nothing but data picks
// among the elements of a whole array of one axis; nothing where that is not sure.
std::optional<Interval> picked_elements(const Touch& touch);
// Says whether a part of a block may load what the rest would have stored, by how the kernel's statements stand: where all
// stores come before their loads, under no condition, and nobody leaves, there is no need for a run.
bool may_lack_stores(const ir::Function& kernel);
// Reports the first element that a thread loads in a part of a block though only threads beyond that part store it, as the
// whole block shows; says whether there is one.
bool report_unstored(const SharedTouches& part, const SharedTouches& whole, LintContext& context);
// Reports of an element that threads store a constant to only where data say so, as a flag, where it is loaded though it may hold
// for none; says whether there is one. `without` is the run in which it does.
bool report_unset_flag(const SharedTouches& without, const SharedTouches& run, LintContext& context);
// Reports of each array the first element that threads load or change though no thread of the whole block stores it; says
// whether there is one. `other` is a run in which conditions on data come out differently, or null.
bool report_never_stored(const SharedTouches& run, const SharedTouches* other, LintContext& context);

} // namespace kern
