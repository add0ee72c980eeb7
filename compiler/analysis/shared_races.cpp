// Two threads of a block that touch one element of shared memory with no barrier between, one of them by a store; and
// elements that are loaded though the threads which would have stored them have left. Runs of a block tell who touches
// what (block_run.h); here it is compared, and said where the barrier goes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "compiler/analysis/block_run.h"
#include "compiler/analysis/describe.h"
#include "compiler/analysis/picked_threads.h"
#include "compiler/analysis/warnings.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/reachable.h"

namespace kern {
namespace {

using ir::Stmt;
using Threads = std::vector<std::uint16_t>;

std::string_view done(TouchKind kind) {
  switch (kind) {
  case TouchKind::Load: return "loaded";
  case TouchKind::Store: return "stored";
  case TouchKind::Atomic: break;
  }
  return "changed by an atomic";
}

struct Touched {
  Touch touch;
  std::uint16_t thread;
};

// What was done to an element since the last barrier.
struct Element {
  std::uint32_t epoch = 0;
  std::vector<Touched> loads, stores, atomics;
};

// Two touches that nothing orders; the second one came later in the run.
struct Conflict {
  Touched first, second;
  bool is_by_data = false;
};

// Compares what the threads of one run touch.
class Comparer {
public:
  Comparer(const ir::Module& module, const ir::Function& kernel, BlockRun::Policy policy)
      : listener_{[this](const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
                         const Threads& threads) { known(touch, array, elements, threads); },
                  [this](const Touch& touch, std::uint32_t array, const Threads& threads) {
                    by_data(touch, array, threads);
                  }},
        run_(module, kernel, policy, listener_) {}

  using Stored = std::map<std::pair<std::uint32_t, std::int64_t>, Touched>;

  void run() { run_.run(); }
  const BlockRun& block() const { return run_; }
  // Of each array the first one.
  const std::map<std::uint32_t, Conflict>& conflicts() const { return conflicts_; }
  // Elements with who stored them first.
  const Stored& stored() const { return stored_; }
  // Loads of elements that nobody had stored.
  const std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>>& unstored() const { return unstored_; }

private:
  void known(const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
             const Threads& threads) {
    auto& of_array = elements_[array];
    for (const std::uint16_t thread : threads) {
      Element& element = of_array[elements[thread]];
      if (element.epoch != touch.epoch + 1) element = {touch.epoch + 1, {}, {}, {}};
      const Touched now{touch, thread};
      compare(array, element, now);
      keep(element, now);
      const std::pair key{array, elements[thread]};
      if (touch.kind != TouchKind::Load)
        stored_.try_emplace(key, now);
      else if (!stored_.contains(key) && unstored_.size() < most_unstored)
        unstored_.emplace_back(array, elements[thread], now);
    }
    compare_with_data(touch, array, threads);
  }

  void compare(std::uint32_t array, const Element& element, const Touched& now) {
    switch (now.touch.kind) {
    case TouchKind::Load:
      // Of what several threads store at once it does not matter who loads it.
      if (element.stores.size() == 1) check(array, element.stores[0], now);
      for (const Touched& other : element.atomics)
        if (is_behind(other, now)) check(array, other, now);
      return;
    case TouchKind::Store:
      for (const Touched& other : element.loads) check(array, other, now);
      for (const Touched& other : element.atomics) check(array, other, now);
      return;
    case TouchKind::Atomic:
      if (element.stores.size() == 1) check(array, element.stores[0], now);
      return;
    }
  }

  // Keeps so many of a kind that for each thread there is one of another, and of another warp.
  static void keep(Element& element, const Touched& now) {
    std::vector<Touched>& kept = now.touch.kind == TouchKind::Load    ? element.loads
                                 : now.touch.kind == TouchKind::Store ? element.stores
                                                                      : element.atomics;
    const auto is_like = [&](const Touched& other) {
      return other.thread == now.thread && other.touch.warp_epoch == now.touch.warp_epoch;
    };
    const auto of_other_warp = [&](const Touched& other) { return other.thread / 32 != now.thread / 32; };
    if (std::ranges::any_of(kept, is_like)) return;
    if (kept.size() < 2 || (kept.size() < 6 && std::ranges::all_of(kept, of_other_warp))) kept.push_back(now);
  }

  void by_data(const Touch& touch, std::uint32_t array, const Threads& threads) {
    auto& [epoch, known] = by_data_[array];
    if (epoch != touch.epoch + 1) {
      epoch = touch.epoch + 1;
      known.clear();
    }
    if (touch.kind == TouchKind::Load) return;
    // Stores to elements that were set, or are still to be loaded, each by its own thread.
    const auto found = last_.find(array);
    if (found != last_.end() && found->second.front().touch.epoch == touch.epoch)
      for (const Touched& other : found->second) {
        const bool counts = other.touch.kind == TouchKind::Store ? touch.kind == TouchKind::Atomic
                                                                 : touch.kind == TouchKind::Store;
        if (!counts) continue;
        for (const std::uint16_t thread : threads)
          if (check(array, other, {touch, thread}, true)) return;
      }
    for (const std::uint16_t thread : threads)
      if (known.size() < 4) known.push_back({touch, thread});
  }

  void compare_with_data(const Touch& touch, std::uint32_t array, const Threads& threads) {
    std::vector<Touched>& last = last_[array];
    if (!last.empty() && last.front().touch.epoch != touch.epoch) last.clear();
    if (touch.kind != TouchKind::Atomic)
      for (const std::uint16_t thread : {threads.front(), threads.back()})
        if (last.size() < 16) last.push_back({touch, thread});
    const auto& [epoch, by_data] = by_data_[array];
    if (touch.kind != TouchKind::Load || epoch != touch.epoch + 1) return;
    for (const Touched& other : by_data)
      for (const std::uint16_t thread : threads)
        if (is_behind(other, {touch, thread}) && check(array, other, {touch, thread}, true)) return;
  }

  // Says whether a touch stands behind another in the program: a look at what an atomic changes later is meant so.
  bool is_behind(const Touched& other, const Touched& now) const {
    return other.touch.function != now.touch.function ||
           other.touch.stmt->span.begin < now.touch.stmt->span.begin;
  }

  bool check(std::uint32_t array, const Touched& first, const Touched& second, bool by_data = false) {
    if (conflicts_.contains(array) || first.thread == second.thread) return false;
    const bool is_one_warp = first.thread / 32 == second.thread / 32;
    if (is_one_warp && first.touch.warp_epoch != second.touch.warp_epoch) return false;
    if (!may_both_be(first.touch.place, second.touch.place)) return false;
    conflicts_.emplace(array, Conflict{first, second, by_data});
    return true;
  }

  std::set<std::int64_t> conditions(std::uint32_t place) const {
    std::set<std::int64_t> found;
    for (; place != 0; place = run_.places()[place].outer)
      if (run_.places()[place].kind == RunPlace::Kind::Condition) found.insert(run_.places()[place].number);
    return found;
  }

  // Says whether it is sure that both happen in one launch: what is asked for one holds for the other.
  bool may_both_be(std::uint32_t a, std::uint32_t b) const {
    const std::set<std::int64_t> first = conditions(a), second = conditions(b);
    return std::ranges::includes(first, second) || std::ranges::includes(second, first);
  }

  static constexpr std::size_t most_unstored = 1024;

  TouchListener listener_;
  BlockRun run_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::int64_t, Element>> elements_; // by array
  std::unordered_map<std::uint32_t, std::vector<Touched>> last_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::vector<Touched>>> by_data_;
  std::map<std::uint32_t, Conflict> conflicts_;
  Stored stored_;
  std::vector<std::tuple<std::uint32_t, std::int64_t, Touched>> unstored_;
};

// Where statements stand in a function.
class Nesting {
public:
  explicit Nesting(const ir::Function& function) { visit(function.body, nullptr); }

  struct Where {
    const ir::Body* body;
    const Stmt* outer; // null in the function's own body
    std::size_t order;
  };
  const Where& of(const Stmt& stmt) const { return where_.at(&stmt); }

private:
  void visit(const ir::Body& body, const Stmt* outer) {
    for (const Stmt& stmt : body) {
      where_.emplace(&stmt, Where{&body, outer, where_.size()});
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner, &stmt); });
    }
  }
  std::unordered_map<const Stmt*, Where> where_;
};

class RaceReporter {
public:
  RaceReporter(const ir::Module& module, const ir::Function& kernel, std::string_view prefix,
               Diagnostics& diagnostics)
      : module_(module), kernel_(kernel), prefix_(prefix), diagnostics_(diagnostics) {}

  void run() {
    Comparer then(module_, kernel_, BlockRun::Policy::Then);
    then.run();
    report(then);
    if (then.block().has_choices()) {
      Comparer other(module_, kernel_, BlockRun::Policy::Else);
      other.run();
      report(other);
    }
    // A contract may say that there is no such block.
    const bool leaves =
        ir::any(kernel_.body, [](const Stmt& stmt) { return std::holds_alternative<ir::Return>(stmt.node); });
    if (!leaves || !reported_.empty() || !kernel_.contracts.empty()) return;
    Comparer part(module_, kernel_, BlockRun::Policy::Part);
    part.run();
    report_unstored(part, then.stored());
  }

private:
  struct Advice {
    Span span;
    std::string text;
  };

  const Nesting& nesting(const ir::Function& function) {
    return nestings_.try_emplace(&function, function).first->second;
  }

  void report(const Comparer& comparer) {
    for (const auto& [array, conflict] : comparer.conflicts()) {
      if (!reported_.insert(array).second) continue;
      const Advice advice = advise(comparer.block(), conflict);
      // Arrays that one barrier mends are told once.
      if (!advised_.insert({static_cast<std::uint32_t>(advice.span.file), advice.span.begin}).second)
        continue;
      const Touched &first = conflict.first, &second = conflict.second;
      Diagnostics::Builder builder =
          diagnostics_.report(second.touch.stmt->span, diag::shared_race, element(second.touch),
                              done(second.touch.kind), done(first.touch.kind));
      const std::string how =
          conflict.is_by_data
              ? "another thread may come to the element here: which one it is, data decide"
              : fmt::format(
                    "in a block of {} threads, thread {} comes to the element here, and thread {} there",
                    comparer.block().threads(), first.thread, second.thread);
      builder.note(first.touch.stmt->span, "{}", how);
      builder.note(advice.span, "{}", advice.text);
    }
  }

  // Returns it in the words of the source, where they are short.
  static std::string element(const Touch& touch) {
    const Describer describe(*touch.function);
    const auto text = [&](const auto& access) {
      const std::string whole = describe.element(access.array, access.indices);
      return whole.find("...") == std::string::npos
                 ? fmt::format("`{}`", whole)
                 : fmt::format("an element of `{}`", describe(access.array));
    };
    if (const auto* load = std::get_if<ir::Load>(&touch.stmt->node)) return text(*load);
    if (const auto* store = std::get_if<ir::Store>(&touch.stmt->node)) return text(*store);
    return text(std::get<ir::Atomic>(touch.stmt->node));
  }

  // Returns the way from the start to a touch.
  static std::vector<std::uint32_t> way(const BlockRun& run, std::uint32_t place) {
    std::vector<std::uint32_t> result{place};
    while (place != 0) result.push_back(place = run.places()[place].outer);
    std::ranges::reverse(result);
    return result;
  }

  // Says where the barrier goes: the ways of both part in a function, or in the rounds of a loop.
  Advice advise(const BlockRun& run, const Conflict& conflict) {
    const std::vector<std::uint32_t> first = way(run, conflict.first.touch.place),
                                     second = way(run, conflict.second.touch.place);
    std::size_t common = 0;
    while (common < std::min(first.size(), second.size()) && first[common] == second[common]) ++common;
    const auto next = [&](const std::vector<std::uint32_t>& steps) -> const RunPlace* {
      for (std::size_t i = common; i < steps.size(); ++i)
        if (const RunPlace& step = run.places()[steps[i]]; step.kind != RunPlace::Kind::Condition)
          return &step;
      return nullptr;
    };
    const RunPlace *a = next(first), *b = next(second);
    const std::string barrier = fmt::format("`{}syncthreads()`", prefix_);
    const bool is_carried = a && b && a->kind == RunPlace::Kind::Round && b->kind == RunPlace::Kind::Round &&
                            a->stmt == b->stmt && a->number != b->number;
    if (is_carried)
      return {a->stmt->span, fmt::format("write {} as the last statement of this loop", barrier)};
    const ir::Function& function = a ? *a->function : *conflict.first.touch.function;
    const Stmt* earlier = a ? a->stmt : conflict.first.touch.stmt;
    const Stmt* later = b ? b->stmt : conflict.second.touch.stmt;
    const Nesting& where = nesting(function);
    // Up to the body that holds both.
    std::set<const Stmt*> around;
    std::map<const ir::Body*, const Stmt*> bodies;
    for (const Stmt* stmt = earlier; stmt; stmt = where.of(*stmt).outer)
      bodies.emplace(where.of(*stmt).body, stmt);
    const Stmt* child = later;
    while (child && !bodies.contains(where.of(*child).body)) child = where.of(*child).outer;
    if (!child || bodies.at(where.of(*child).body) == child)
      return {later->span,
              fmt::format("let {} stand between them, where all threads of the block come to it", barrier)};
    return {child->span, fmt::format("write {} before this", barrier)};
  }

  void report_unstored(const Comparer& part, const Comparer::Stored& whole) {
    const BlockRun& block = part.block();
    if (!block.split()) return;
    for (const auto& [array, element, load] : part.unstored()) {
      const auto stored = whole.find({array, element});
      if (stored == whole.end()) continue;
      const Touched& by = stored->second;
      const bool is_before =
          by.touch.function != load.touch.function || by.touch.stmt->span.begin < load.touch.stmt->span.begin;
      if (by.thread == load.thread || by.touch.kind != TouchKind::Store || !is_before) continue;
      if (!block.has_left(by.thread)) continue;
      Diagnostics::Builder builder =
          diagnostics_.report(load.touch.stmt->span, diag::unstored_shared, this->element(load.touch));
      builder.note(by.touch.stmt->span, "who has left does not store {} here", this->element(by.touch));
      builder.note(
          block.split()->span,
          "this decides who leaves: in a block of {} threads, thread {} may stay and thread {} leave",
          block.threads(), load.thread, by.thread);
      builder.note(
          "let all threads of the block stay, those with nothing to give with a value that changes nothing: "
          "instead of the `return`, put what needs the condition under it");
      return;
    }
  }

  const ir::Module& module_;
  const ir::Function& kernel_;
  std::string_view prefix_;
  Diagnostics& diagnostics_;
  std::map<const ir::Function*, Nesting> nestings_;
  std::set<std::uint32_t> reported_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> advised_;
};

} // namespace

void report_shared_races(const ir::Module& module, std::string_view prefix, Diagnostics& diagnostics) {
  if (module.shared.empty()) return;
  for (const ir::Function& kernel : module.functions) {
    if (!kernel.is_kernel) continue;
    bool stores = false, waits = false;
    ir::walk_reachable(module, kernel.body, [&](const Stmt& stmt) {
      const auto* store = std::get_if<ir::Store>(&stmt.node);
      stores = stores || (store && store->array.type->space == AddressSpace::Shared);
      // Who waits for others is ordered by what he waits for.
      const auto* repeated = std::get_if<ir::While>(&stmt.node);
      waits = waits || ends_by_atomic(stmt) || (repeated && repeated->body.empty());
    });
    if (stores && !waits) RaceReporter(module, kernel, prefix, diagnostics).run();
  }
}

} // namespace kern
