// Of what many threads do to an element so much is kept that each thread finds another one, of its warp and of others.
#include "compiler/analysis/shared_touches.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/describe.h"

namespace kern {

SharedTouches::SharedTouches(const ir::Module& module, const ir::Function& kernel, BlockRun::Policy policy,
                             std::size_t part)
    : listener_{[this](const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
                       const Threads& threads) { known(touch, array, elements, threads); },
                [this](const Touch& touch, std::uint32_t array, const Threads& threads) {
                  by_data(touch, array, threads);
                },
                [this](std::optional<std::uint32_t> array) {
                  if (array)
                    unsure_.insert(*array);
                  else
                    is_any_unsure_ = true;
                }},
      run_(module, kernel, policy, listener_, nullptr, part), compares_(policy != BlockRun::Policy::Part) {}

void SharedTouches::known(const Touch& touch, std::uint32_t array, const std::vector<std::int64_t>& elements,
                          const Threads& threads) {
  auto& of_array = elements_[array];
  std::vector<bool>& storers = storers_[array];
  storers.resize(run_.threads());
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
    if (touch.kind != TouchKind::Load) {
      storers[thread] = true;
      if (!element.first_store) element.first_store = now;
    } else if (!element.first_store && !touch.is_under_part && !may_be_stored(array) &&
               unstored_.size() < most_unstored) {
      unstored_.emplace_back(array, elements[thread], now);
    }
  }
  if (compares_) compare_with_data(touch, array, threads);
}

const Touched* SharedTouches::first_store(std::uint32_t array, std::int64_t element) const {
  const auto of_array = elements_.find(array);
  if (of_array == elements_.end()) return nullptr;
  const auto found = of_array->second.find(element);
  return found != of_array->second.end() && found->second.first_store ? &*found->second.first_store : nullptr;
}

bool SharedTouches::has_stored(std::uint32_t array, std::uint16_t thread) const {
  const auto found = storers_.find(array);
  return found != storers_.end() && found->second[thread];
}

void SharedTouches::compare(std::uint32_t array, const Element& element, const Touched& now) {
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
