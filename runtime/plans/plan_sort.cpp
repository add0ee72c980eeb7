// Sorts of whole arrays: passes, back and forth between two buffers.
#include <algorithm>

#include "runtime/api/error.h"
#include "runtime/plans/plans.h"

namespace kern::algorithms {

namespace {

// The keys of a pass, with their values where there are some.
struct Place {
  Operand keys, values;
};

// Where passes write, in turn, so that the last one writes where the result belongs.
class Turns {
public:
  // `passes` are those to come.
  Turns(Place result, Place spare, std::int64_t passes) : result_(result), spare_(spare), left_(passes) {}
  Place next() { return --left_ % 2 == 0 ? result_ : spare_; }

private:
  Place result_, spare_;
  std::int64_t left_;
};

// ---- Radix sort ----

class RadixSort {
public:
  // `value_bytes`: of what goes with a key, 0 where nothing does.
  RadixSort(Planner& planner, std::int64_t value_bytes)
      : planner_(planner), n_(planner.size(0)), has_values_(value_bytes > 0) {
    const std::uint32_t type = planner.argument(0).type;
    if (type == KERN_C64 || type == KERN_C128)
      runtime::fail(KERN_ARGUMENT_ERROR,
                    std::string("keys of ") + type_name(type) + " have no order: set LESS");
    const std::int64_t key_bytes = bytes_of(type);
    const std::int64_t threads = planner.constant("THREADS", 512);
    tiles_ = parts_of(n_, threads * planner.constant("ITEMS", value_bytes > 4 ? 8 : key_bytes > 4 ? 12 : 16));
    const std::int64_t begin = planner.asked("BEGIN_BIT", 0),
                       end = std::min<std::int64_t>(planner.asked("END_BIT", 64), 8 * key_bytes);
    if (begin < 0 || begin >= end)
      runtime::fail(KERN_ARGUMENT_ERROR, "there are no bits to sort by from BEGIN_BIT " +
                                             std::to_string(begin) + " to END_BIT " + std::to_string(end));
    passes_ = (end - begin + 7) / 8;
    // Two bits of a word of state are no count.
    const std::uint32_t word = n_ < std::int64_t(1) << 30 ? KERN_U32 : KERN_U64;
    counts_ = planner.make(word, passes_, 256);
    state_ = planner.make(word, tiles_, 256);
  }
  std::int64_t passes() const { return passes_; }
  // Counts the digits, and says where each starts.
  void begin() {
    constexpr std::int64_t counted = 1024 * 8, most_blocks = 264;
    planner_
        .launch(named("digit_counts"), std::min(parts_of(n_, counted), most_blocks),
                with_size({given(0), counts_}))
        .cleared = {counts_};
    planner_.launch("digit_starts", passes_, {counts_});
  }
  void pass(std::int64_t number, Place from, Place to) {
    std::vector<Operand> operands = {from.keys, to.keys};
    if (has_values_) operands = {from.keys, from.values, to.keys, to.values};
    operands.insert(operands.end(), {counts_, state_, algorithms::number(KERN_I32, number)});
    planner_
        .launch(named(has_values_ ? "sort_pairs_pass" : "sort_pass"), tiles_, with_size(std::move(operands)))
        .cleared = {state_};
  }
  // The first pass, which makes the values of which there are none yet: indices.
  void index_pass(Operand from, Place to) {
    planner_.launch("argsort_pass", tiles_, {from, to.keys, to.values, counts_, state_}).cleared = {state_};
  }

private:
  std::string named(const char* kernel) const {
    return std::string(kernel) + (planner_.is_sized() ? "_sized" : "");
  }
  std::vector<Operand> with_size(std::vector<Operand> operands) const {
    if (planner_.is_sized()) operands.push_back(given(planner_.count() - 1));
    return operands;
  }

  Planner& planner_;
  std::int64_t n_, tiles_ = 0, passes_ = 0;
  bool has_values_;
  Operand counts_, state_;
};

Operand like(Planner& planner, std::size_t index) {
  return planner.make(planner.argument(index).type, planner.size(index));
}

void plan_radix_sort(Planner& planner, bool has_values) {
  RadixSort sort(planner, has_values ? bytes_of(planner.argument(1).type) : 0);
  const Place source{given(0), given(1)};
  const std::size_t sources = has_values ? 2 : 1;
  const bool in_place = planner.count() == sources;
  const Place result = in_place ? source : Place{given(sources), given(sources + 1)};
  // In place the number of passes is even. One by a digit that the keys are sorted by changes nothing.
  const std::int64_t passes = in_place ? sort.passes() + sort.passes() % 2 : sort.passes();
  Place spare = result;
  if (passes > 1) spare = {like(planner, 0), has_values ? like(planner, 1) : Operand{}};
  sort.begin();
  Turns turns(result, spare, passes);
  Place from = source;
  for (std::int64_t number = 0; number < passes; ++number) {
    const Place to = turns.next();
    sort.pass(std::min(number, sort.passes() - 1), from, to);
    from = to;
  }
}

} // namespace

void plan_sort(Planner& planner) { plan_radix_sort(planner, false); }
void plan_sort_by_key(Planner& planner) { plan_radix_sort(planner, true); }

void plan_argsort(Planner& planner) {
  RadixSort sort(planner, bytes_of(planner.argument(1).type));
  const Place result{like(planner, 0), given(1)};
  Place spare = result;
  if (sort.passes() > 1) spare = {like(planner, 0), like(planner, 1)};
  sort.begin();
  Turns turns(result, spare, sort.passes());
  Place from = turns.next();
  sort.index_pass(given(0), from);
  for (std::int64_t number = 1; number < sort.passes(); ++number) {
    const Place to = turns.next();
    sort.pass(number, from, to);
    from = to;
  }
}

// ---- Merge sort ----

namespace {

class MergeSort {
public:
  // No launch reads and writes one array: in place the number of merges is odd. One of a single run copies it.
  MergeSort(Planner& planner, bool has_values, bool in_place) : planner_(planner), has_values_(has_values) {
    tile_ = planner.constant("THREADS", 256) * planner.constant("ITEMS", 11);
    tiles_ = parts_of(planner.size(0), tile_);
    while (tile_ << merges_ < planner.size(0)) ++merges_;
    if (in_place && merges_ % 2 == 0) ++merges_;
    if (merges_ > 0) splits_ = planner.make(KERN_I64, tiles_);
  }
  // Sorts tiles by `kernel` and merges them, in turn between result and spare; the sources of the tiles are its first operands.
  void run(const char* kernel, std::vector<Operand> sources, Place result, Place spare) {
    Turns turns(result, spare, merges_ + 1);
    Place from = turns.next();
    sources.push_back(from.keys);
    if (has_values_) sources.push_back(from.values);
    planner_.launch(kernel, tiles_, std::move(sources));
    for (std::int64_t merge = 0; merge < merges_; ++merge) {
      const Operand width = number(KERN_I64, tile_ << merge);
      const Place to = turns.next();
      planner_.launch("merge_splits", tiles_, {from.keys, splits_, width}).counts_threads = true;
      std::vector<Operand> operands = {from.keys, to.keys, splits_, width};
      if (has_values_) operands = {from.keys, from.values, to.keys, to.values, splits_, width};
      planner_.launch(has_values_ ? "merge_pairs_pass" : "merge_pass", tiles_, std::move(operands));
      from = to;
    }
  }
  bool merges() const { return merges_ > 0; }

private:
  Planner& planner_;
  std::int64_t tile_ = 0, tiles_ = 0, merges_ = 0;
  bool has_values_;
  Operand splits_;
};

void plan_merges(Planner& planner, bool has_values) {
  const std::size_t sources = has_values ? 2 : 1;
  const bool in_place = planner.count() == sources;
  MergeSort sort(planner, has_values, in_place);
  const Place result{given(in_place ? 0 : sources), given(in_place ? 1 : sources + 1)};
  Place spare = result;
  if (sort.merges()) spare = {like(planner, 0), has_values ? like(planner, 1) : Operand{}};
  sort.run(has_values ? "block_sort_pairs" : "block_sort", all_given(sources), result, spare);
}

} // namespace

void plan_merge_sort(Planner& planner) { plan_merges(planner, false); }
void plan_merge_sort_by_key(Planner& planner) { plan_merges(planner, true); }

void plan_merge_argsort(Planner& planner) {
  MergeSort sort(planner, true, false);
  const Place result{like(planner, 0), given(1)};
  Place spare = result;
  if (sort.merges()) spare = {like(planner, 0), like(planner, 1)};
  sort.run("block_argsort", {given(0)}, result, spare);
}

// ---- The first k ----

void plan_top_k(Planner& planner) {
  constexpr std::int64_t counted = 1024 * 8, most_blocks = 264;
  const std::int64_t n = planner.size(0), k = planner.size(1), passes = bytes_of(planner.argument(0).type);
  const std::int64_t tiles = parts_of(n, planner.constant("THREADS", 256) * planner.constant("ITEMS", 8));
  if (k > n)
    runtime::fail(KERN_ARGUMENT_ERROR,
                  "there are no " + std::to_string(k) + " of " + std::to_string(n) + " elements");
  const Operand counts = planner.make(n < std::int64_t(1) << 30 ? KERN_U32 : KERN_U64, passes, 256),
                chosen = planner.make(KERN_U64, 2), state = planner.make(KERN_U64, tiles);
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const Operand digit = number(KERN_I32, pass);
    Step& count = planner.launch("top_counts", std::min(parts_of(n, counted), most_blocks),
                                 {given(0), counts, chosen, digit});
    if (pass == 0) count.cleared = {counts, chosen, state};
    planner.launch("top_digit", 1, {counts, chosen, number(KERN_I64, k), digit});
  }
  planner.launch("top_gather", tiles, {given(0), given(1), given(2), chosen, state});
}

} // namespace kern::algorithms
