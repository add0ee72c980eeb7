// A launch with large numbers runs first, then those that its run asks for. One meeting is told of each pair
// of stores.
#include "compiler/lint/grid_meetings.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/ir/reachable.h"
#include "compiler/lint/launch_samples.h"
#include "compiler/lint/picked_threads.h"

namespace kern {
namespace {

using ir::Stmt;
using Threads = std::vector<std::uint16_t>;

// The most launches of a kernel that are run.
constexpr std::size_t most_samples = 8;
// The most threads that are kept of an element and a store.
constexpr std::size_t most_kept = 3;
// The most that is kept of an element: of the many stores of a long kernel it is enough to name some.
constexpr std::size_t most_known = 16;

struct Touched {
  Touch touch;
  std::uint16_t thread;
};

// An array, and a place in it.
using Element = std::pair<std::uint32_t, std::int64_t>;
struct HashOfElement {
  std::size_t operator()(const Element& element) const {
    return (static_cast<std::size_t>(element.second) + element.first) * 0x9e3779b97f4a7c15;
  }
};

class MeetingFinder {
public:
  using Meetings = std::unordered_map<const Stmt*, std::vector<GridMeeting>>;
  using Many = std::unordered_map<const Stmt*, bool>;

  MeetingFinder(const ir::Module& module, const ir::Function& kernel, Meetings& meetings, Meetings& loads,
                Many& many)
      : module_(module), kernel_(kernel), meetings_(meetings), loads_(loads), many_(many) {}

  void run() {
    LaunchSamples samples(module_, kernel_);
    const TouchListener none{[](const auto&...) {}, [](const auto&...) {}};
    const BlockLaunch one_block;
    const std::array<std::int64_t, 3> block =
        BlockRun(module_, kernel_, BlockRun::Policy::Then, none, &one_block).block_extents();
    const std::optional<LaunchSamples::Sample> large = samples.large(block);
    if (!large) return;
    std::vector<LaunchUse> uses;
    bool has_choices = false;
    run(*large, BlockRun::Policy::Then, uses, has_choices);
    if (has_choices) run(*large, BlockRun::Policy::Else, uses, has_choices);
    for (std::size_t i = 0; i < std::min(uses.size(), most_samples); ++i) {
      std::vector<LaunchUse> more;
      if (const auto sample = samples.smaller(*large, uses[i]))
        run(*sample, BlockRun::Policy::Then, more, has_choices);
    }
  }

private:
  void run(const LaunchSamples::Sample& sample, BlockRun::Policy policy, std::vector<LaunchUse>& uses,
           bool& has_choices) {
    elements_.clear();
    loaded_.clear();
    const TouchListener listener{[&](const Touch& touch, std::uint32_t array,
                                     const std::vector<std::int64_t>& elements, const Threads& threads) {
                                   if (touch.kind == TouchKind::Load)
                                     for (const std::uint16_t thread : threads)
                                       add_load(array, elements[thread], {touch, thread});
                                   if (touch.kind != TouchKind::Store) return;
                                   many_[touch.stmt] |= threads.size() > 1;
                                   for (const std::uint16_t thread : threads)
                                     add(array, elements[thread], {touch, thread});
                                 },
                                 [&](const Touch& touch, std::uint32_t, const Threads& threads) {
                                   if (touch.kind == TouchKind::Store)
                                     many_[touch.stmt] |= threads.size() > 1;
                                 }};
    BlockRun run(module_, kernel_, policy, listener, &sample.launch);
    run_ = &run;
    sample_ = &sample;
    run.run();
    has_choices = has_choices || run.has_choices();
    for (const LaunchUse& use : run.uses())
      if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
  }

  std::size_t block_of(std::uint16_t thread) const {
    const auto [x, y, z] = run_->block_extents();
    return thread / static_cast<std::size_t>(x * y * z);
  }

  bool is_told(const Stmt* from, const Stmt* to) const {
    const auto found = meetings_.find(from);
    return found != meetings_.end() &&
           std::ranges::find(found->second, to, &GridMeeting::other) != found->second.end();
  }

  // Keeps two threads of a load, since one of them may be the one that stores, and one of another block.
  void add_load(std::uint32_t array, std::int64_t element, const Touched& now) {
    const auto stores = elements_.find({array, element});
    if (stores != elements_.end())
      for (const Touched& store : stores->second) meet_load(store, now);
    std::vector<Touched>& known = loaded_[{array, element}];
    std::size_t alike = 0, blocks = 0;
    for (const Touched& other : known) {
      if (other.touch.stmt != now.touch.stmt || other.touch.epoch != now.touch.epoch) continue;
      ++alike;
      blocks += block_of(other.thread) != block_of(now.thread);
    }
    if (known.size() < most_known && (alike < most_kept - 1 || (alike < most_kept && blocks == alike)))
      known.push_back(now);
  }

  void meet_load(const Touched& store, const Touched& load) {
    std::vector<GridMeeting>& found = loads_[store.touch.stmt];
    if (std::ranges::find(found, load.touch.stmt, &GridMeeting::other) != found.end()) return;
    if (is_unordered(store, load)) found.push_back({load.touch.stmt, how(load.thread, store.thread)});
  }

  void add(std::uint32_t array, std::int64_t element, const Touched& now) {
    const auto loads = loaded_.find({array, element});
    if (loads != loaded_.end())
      for (const Touched& load : loads->second) meet_load(now, load);
    std::vector<Touched>& known = elements_[{array, element}];
    std::size_t alike = 0, blocks = 0;
    for (const Touched& other : known) {
      if (!is_told(now.touch.stmt, other.touch.stmt) && is_unordered(other, now)) meet(other, now);
      if (other.touch.stmt != now.touch.stmt || other.touch.epoch != now.touch.epoch) continue;
      ++alike;
      blocks += block_of(other.thread) != block_of(now.thread);
    }
    if (known.size() >= most_known) return;
    if (alike < most_kept - 1 || (alike < most_kept && blocks == alike)) known.push_back(now);
  }

  bool is_unordered(const Touched& first, const Touched& second) const {
    if (first.thread == second.thread || first.touch.grid_epoch != second.touch.grid_epoch) return false;
    // Elements that data pick within a row may be the same only for one statement in one block; others are
    // not compared.
    const bool has_data = first.touch.has_data || second.touch.has_data;
    const bool is_one_block = block_of(first.thread) == block_of(second.thread);
    if (has_data && (!is_one_block || first.touch.stmt != second.touch.stmt)) return false;
    if (!is_one_block) return run_->may_both_be(first.touch.place, second.touch.place);
    if (first.touch.epoch != second.touch.epoch) return false;
    const bool is_one_warp = first.thread / 32 == second.thread / 32;
    return (!is_one_warp || first.touch.warp_epoch == second.touch.warp_epoch) &&
           run_->may_both_be(first.touch.place, second.touch.place);
  }

  void meet(const Touched& first, const Touched& second) {
    const auto tell = [&](const Stmt* from, const Stmt* to) {
      std::vector<GridMeeting>& found = meetings_[from];
      if (std::ranges::find(found, to, &GridMeeting::other) == found.end())
        found.push_back({to, how(first.thread, second.thread)});
    };
    tell(first.touch.stmt, second.touch.stmt);
    tell(second.touch.stmt, first.touch.stmt);
  }

  static std::string place(std::size_t number, const std::array<std::int64_t, 3>& extents) {
    const auto x = static_cast<std::size_t>(extents[0]), y = static_cast<std::size_t>(extents[1]);
    if (extents[2] > 1) return fmt::format("({}, {}, {})", number % x, number / x % y, number / x / y);
    return extents[1] > 1 ? fmt::format("({}, {})", number % x, number / x) : std::to_string(number);
  }

  std::string how(std::uint16_t first, std::uint16_t second) const {
    const std::array<std::int64_t, 3> extents = run_->block_extents();
    const auto threads = static_cast<std::size_t>(extents[0] * extents[1] * extents[2]);
    const auto thread = [&](std::uint16_t number) { return place(number % threads, extents); };
    const auto block = [&](std::uint16_t number) { return place(number / threads, sample_->launch.grid); };
    const std::string size = extents[2] > 1 ? fmt::format("{} x {} x {}", extents[0], extents[1], extents[2])
                             : extents[1] > 1 ? fmt::format("{} x {}", extents[0], extents[1])
                                              : std::to_string(threads);
    const std::string who =
        block_of(first) == block_of(second)
            ? fmt::format("thread {} and thread {} of a block", thread(first), thread(second))
            : fmt::format("thread {} of block {} and thread {} of block {}", thread(first), block(first),
                          thread(second), block(second));
    return fmt::format("in blocks of {} threads{}{}, {} come to the same element", size,
                       sample_->where.empty() ? "" : ", where ", sample_->where, who);
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  Meetings &meetings_, &loads_;
  Many& many_;
  const BlockRun* run_ = nullptr;
  const LaunchSamples::Sample* sample_ = nullptr;
  std::unordered_map<Element, std::vector<Touched>, HashOfElement> elements_, loaded_; // stores, and loads
};

} // namespace

GridMeetings::GridMeetings(const ir::Module& module) {
  for (const ir::Function& kernel : module.functions) {
    if (!kernel.is_kernel) continue;
    const bool stores = ir::any_reachable(module, kernel.body, [](const Stmt& stmt) {
      const auto* store = std::get_if<ir::Store>(&stmt.node);
      return store && store->array.type->space == AddressSpace::Global;
    });
    if (stores && !waits_for_others(module, kernel))
      MeetingFinder(module, kernel, meetings_, loads_, many_).run();
  }
}

std::span<const GridMeeting> GridMeetings::of(const ir::Stmt& store) const {
  const auto found = meetings_.find(&store);
  if (found == meetings_.end()) return {};
  return found->second;
}

std::span<const GridMeeting> GridMeetings::loads_of(const ir::Stmt& store) const {
  const auto found = loads_.find(&store);
  if (found == loads_.end()) return {};
  return found->second;
}

bool GridMeetings::is_for_many(const ir::Stmt& store) const {
  const auto found = many_.find(&store);
  return found != many_.end() && found->second;
}

} // namespace kern
