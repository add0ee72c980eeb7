// A few touches of an element stand for all: so many that each thread finds one of another thread, of its own
// warp and of other warps.
#include "compiler/lint/shared_touches.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/describe.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

SharedTouches::SharedTouches(const ir::Module& module, const ir::Function& kernel, BlockRun::Policy policy,
                             std::size_t part)
    : module_(module), kernel_(kernel),
      listener_{[this](const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
                       const Threads& threads) { known(touch, array, elements, threads); },
                [this](const Touch& touch, std::uint32_t array, const Threads& threads) {
                  by_data(touch, array, threads);
                },
                [this](const ir::Stmt& stmt, std::optional<std::uint32_t> array) {
                  told_.insert(&stmt);
                  if (array)
                    unsure_.insert(*array);
                  else
                    is_any_unsure_ = true;
                }},
      run_(module, kernel, policy, listener_, nullptr, part),
      compares_(policy == BlockRun::Policy::Then || policy == BlockRun::Policy::Else) {}

void SharedTouches::run() {
  run_.run();
  find_missing();
}

// Finds the stores that the run did not come to, by what array they go to.
void SharedTouches::find_missing() {
  const auto is_missing = [&](const ir::Stmt& stmt) {
    if (!sets_element(stmt) || told_.contains(&stmt)) return false;
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    return (store ? store->array : std::get<ir::Atomic>(stmt.node).array).type->space == AddressSpace::Shared;
  };
  std::unordered_set<const ir::Stmt*> own;
  const ir::Definitions definitions(kernel_);
  ir::walk(kernel_.body, [&](const ir::Stmt& stmt) {
    own.insert(&stmt);
    if (!is_missing(stmt)) return;
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    ir::Operand array = store ? store->array : std::get<ir::Atomic>(stmt.node).array;
    while (true) {
      const ir::Assign* made = array.slot ? definitions.sole_assign(*array.slot) : nullptr;
      const auto* view = made ? std::get_if<ir::View>(&made->value) : nullptr;
      const auto* copy = made ? std::get_if<ir::Copy>(&made->value) : nullptr;
      const auto* shared = made ? std::get_if<ir::SharedArray>(&made->value) : nullptr;
      if (shared) missing_.insert(static_cast<std::uint32_t>(shared->id));
      if (!view && !copy) is_any_missing_ = is_any_missing_ || !shared;
      if (!view && !copy) return;
      array = view ? view->array : copy->value;
    }
  });
  is_any_missing_ = is_any_missing_ || ir::any_reachable(module_, kernel_.body, [&](const ir::Stmt& stmt) {
                      return !own.contains(&stmt) && is_missing(stmt);
                    });
}

// Keeps of the atomics of an element a few: loads differ by whether it is the thread's own element.
void SharedTouches::note_unstored(std::uint32_t array, std::int64_t at, Element& element,
                                  const Touched& now) {
  const bool is_known = element.first_store || may_be_stored(array) || now.touch.is_under_part;
  if (is_known || unstored_.size() >= most_unstored) return;
  if (now.touch.kind == TouchKind::Atomic && ++element.unstored_atomics > most_unstored_atomics) return;
  unstored_.emplace_back(array, at, now);
}

void SharedTouches::known(const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
                          const Threads& threads) {
  auto& of_array = elements_[array];
  std::vector<bool>& storers = storers_[array];
  storers.resize(run_.threads());
  const bool sets = sets_element(*touch.stmt);
  if (sets) told_.insert(touch.stmt);
  for (const std::uint16_t thread : threads) {
    Element& element = of_array[elements[thread]];
    const Touched now{touch, thread};
    if (compares_) {
      if (element.epoch != touch.epoch + 1) {
        element.epoch = touch.epoch + 1;
        for (std::vector<Touched>* kept : {&element.loads, &element.stores, &element.atomics}) kept->clear();
      }
      compare(array, element, now);
      keep(element, now);
    }
    if (touch.kind != TouchKind::Load) storers[thread] = true;
    if (!sets) {
      note_unstored(array, elements[thread], element, now);
      continue;
    }
    if (!element.first_store) element.first_store = now;
    if (!touch.is_in_open_loop) continue;
    const auto [last, is_new] = last_set_.try_emplace({touch.stmt, thread}, elements[thread]);
    if (!is_new && last->second != elements[thread]) open_.insert(array);
  }
  if (compares_) compare_with_data(touch, array, threads);
}

const Touched* SharedTouches::first_store(std::uint32_t array, std::int64_t element) const {
  const auto of_array = elements_.find(array);
  if (of_array == elements_.end()) return nullptr;
  const auto found = of_array->second.find(element);
  return found != of_array->second.end() && found->second.first_store ? &*found->second.first_store : nullptr;
}

static std::pair<std::uint16_t, std::uint32_t> order_of(const Touched& touched) {
  return {touched.thread, touched.touch.stmt->span.begin};
}

const Touched* SharedTouches::any_store(std::uint32_t array) const {
  const auto of_array = elements_.find(array);
  if (of_array == elements_.end()) return nullptr;
  const Touched* found = nullptr;
  for (const auto& [at, element] : of_array->second)
    if (element.first_store && (!found || order_of(*element.first_store) < order_of(*found)))
      found = &*element.first_store;
  return found;
}

const Touched* SharedTouches::stored_only_here(std::uint32_t array, const SharedTouches& other,
                                               std::uint16_t loader) const {
  const auto of_array = elements_.find(array);
  if (of_array == elements_.end()) return nullptr;
  const Touched* found = nullptr;
  for (const auto& [at, element] : of_array->second) {
    const std::optional<Touched>& store = element.first_store;
    const bool counts = store && store->thread != loader && !other.first_store(array, at);
    if (counts && (!found || order_of(*store) < order_of(*found))) found = &*store;
  }
  return found;
}

bool SharedTouches::has_stored(std::uint32_t array, std::uint16_t thread) const {
  const auto found = storers_.find(array);
  return found != storers_.end() && found->second[thread];
}

void SharedTouches::compare(std::uint32_t array, const Element& element, const Touched& now) {
  switch (now.touch.kind) {
  case TouchKind::Load:
    // It does not matter who loads an element that several threads store at once.
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
void SharedTouches::keep(Element& element, const Touched& now) {
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

void SharedTouches::by_data(const Touch& touch, std::uint32_t array, const Threads& threads) {
  const auto is_same = [&](const auto& each) {
    return each.first == array && each.second.touch.stmt == touch.stmt;
  };
  if (!sets_element(*touch.stmt) && !touch.is_under_part && std::ranges::none_of(picked_by_data_, is_same))
    picked_by_data_.emplace_back(array, Touched{touch, threads.front()});
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

void SharedTouches::compare_with_data(const Touch& touch, std::uint32_t array, const Threads& threads) {
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
bool SharedTouches::is_behind(const Touched& other, const Touched& now) {
  return other.touch.function != now.touch.function ||
         other.touch.stmt->span.begin < now.touch.stmt->span.begin;
}

bool SharedTouches::check(std::uint32_t array, const Touched& first, const Touched& second, bool by_data) {
  if (conflicts_.contains(array) || first.thread == second.thread) return false;
  const bool is_one_warp = first.thread / 32 == second.thread / 32;
  if (is_one_warp && first.touch.warp_epoch != second.touch.warp_epoch) return false;
  if (!run_.may_both_be(first.touch.place, second.touch.place)) return false;
  conflicts_.emplace(array, Conflict{first, second, by_data});
  return true;
}

std::string describe_touch(const Touch& touch) {
  const Describer describe(*touch.function);
  const auto text = [&](const auto& access) {
    const std::string whole = describe.element(access.array, access.indices);
    return whole.find("...") == std::string::npos ? fmt::format("`{}`", whole)
                                                  : fmt::format("an element of `{}`", describe(access.array));
  };
  if (const auto* load = std::get_if<ir::Load>(&touch.stmt->node)) return text(*load);
  if (const auto* store = std::get_if<ir::Store>(&touch.stmt->node)) return text(*store);
  return text(std::get<ir::Atomic>(touch.stmt->node));
}

} // namespace kern
