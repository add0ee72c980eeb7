// Completes barriers that threads of a block come to one by one. Threads are taken in their order in the
// block, so that a fault names the same one however they were scheduled.
#include "runtime/cpu/meeting.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "runtime/cpu/record.h"

namespace kern::cpu {

static auto order(const Arrival* arrival) {
  return std::tuple(arrival->thread[2], arrival->thread[1], arrival->thread[0]);
}

static void report(kern_launch_record& record, const Arrival& arrival, FaultKind kind, std::uint32_t other) {
  kern_fault_record fault{};
  fault.site = arrival.site;
  fault.kind = static_cast<std::uint32_t>(kind);
  fault.index = other;
  std::copy(std::begin(arrival.thread), std::end(arrival.thread), fault.thread);
  std::copy(std::begin(arrival.where.block), std::end(arrival.where.block), fault.block);
  kern_cpu_fault(&record, &fault);
}

static std::uint64_t combined(const std::vector<Arrival*>& arrivals, const Arrival& first) {
  std::uint64_t result = first.asked == Asked::Sum ? 0 : first.value;
  for (const Arrival* arrival : arrivals) {
    if (first.asked == Asked::Sum) result += arrival->value;
    if (first.asked == Asked::Least) result = std::min(result, arrival->value);
    if (first.asked == Asked::Greatest) result = std::max(result, arrival->value);
  }
  return result;
}

void Meeting::complete(kern_launch_record& record) {
  const Arrival& first = **std::ranges::min_element(waiting_, {}, order);
  const Arrival* other = nullptr;
  for (const Arrival* arrival : waiting_)
    if (arrival->site != first.site && (!other || order(arrival) < order(other))) other = arrival;
  if (other) {
    report(record, *other, FaultKind::BarrierPlaces, first.site);
    return end(Arrival::State::Lost);
  }
  const std::uint64_t value = combined(waiting_, first);
  for (Arrival* arrival : waiting_) arrival->value = value;
  end(Arrival::State::Met);
}

void Meeting::lose(kern_launch_record& record, Arrival& arrival) {
  report(record, arrival, FaultKind::NoStacks, 0);
  arrival.state = Arrival::State::Lost;
  end(Arrival::State::Lost);
}

void Meeting::end(Arrival::State state) {
  for (Arrival* arrival : waiting_) arrival->state = state;
  waiting_.clear();
}

} // namespace kern::cpu
