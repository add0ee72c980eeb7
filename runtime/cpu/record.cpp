// Records what running blocks report. A fault is kept by the rule of the language: the lowest block's, and of
// that block the first. One block runs on one thread, so "first" is the one that is there already; of a block
// that runs in parts, one in a lower row of threads would have come before. Every path here is cold.
#include "runtime/cpu/record.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <span>
#include <thread>
#include <tuple>

namespace kern::cpu {

// This word stands where a record was refused, so that a reader stops there.
static constexpr std::uint64_t refused = ~std::uint64_t(0);

// Guards the fields of every fault record: faults are rare, and one lock is simpler than one a launch.
static std::mutex& fault_mutex() {
  static std::mutex mutex;
  return mutex;
}

static auto order_of(const kern_launch_record& record, const kern_fault_record& fault) {
  bool by_rows = (record.reserved[flags_word] & in_parts) != 0;
  // A thread that gave up may have waited for what another one's fault kept from coming.
  bool is_after = fault.kind == static_cast<std::uint32_t>(FaultKind::NoProgress);
  return std::tuple(is_after, fault.block[2], fault.block[1], fault.block[0], by_rows ? fault.thread[2] : 0,
                    by_rows ? fault.thread[1] : 0);
}

void RingDeleter::operator()(kern_print_ring* ring) const { std::free(ring); }

Ring make_ring(std::uint64_t capacity_words) {
  std::size_t bytes = sizeof(kern_print_ring) + capacity_words * sizeof(std::uint64_t);
  auto* ring = static_cast<kern_print_ring*>(std::calloc(1, bytes));
  if (ring) ring->capacity = capacity_words;
  return Ring(ring);
}

bool drain(const kern_print_ring& ring,
           const std::function<void(std::uint32_t site, std::span<const std::uint64_t> args)>& print) {
  std::uint64_t end = ring.used < ring.capacity ? ring.used : ring.capacity;
  std::uint64_t at = 0;
  while (at < end && ring.words[at] != refused) {
    std::uint64_t count = ring.words[at] >> 32;
    if (count > end - at - 1) return false;
    print(static_cast<std::uint32_t>(ring.words[at]), {&ring.words[at + 1], count});
    at += 1 + count;
  }
  return ring.used <= ring.capacity;
}

// The block and thread of a lane, from those of lane 0. A row of threads may go on through the blocks that
// follow.
static void set_place(kern_fault_record& fault, const kern_where& where, std::uint32_t lane, bool linear,
                      const std::uint32_t (&first)[3]) {
  std::uint32_t id = first[0] + lane;
  const std::uint32_t(&dim)[3] = where.block_dim;
  std::copy(std::begin(where.block), std::end(where.block), fault.block);
  if (!linear) fault.block[0] += id / dim[0];
  fault.thread[0] = id % dim[0];
  fault.thread[1] = linear ? id / dim[0] % dim[1] : first[1];
  fault.thread[2] = linear ? id / dim[0] / dim[1] : first[2];
}

// A guard or check of a vector of lanes, as CPU code says it.
struct LaneGuard {
  kern_launch_record* record;
  const kern_where& where;
  std::uint64_t what;
  std::uint32_t first_thread[3];
};

static kern_fault_record record_of(const LaneGuard& guard, std::uint32_t lane, std::int64_t index,
                                   std::int64_t extent) {
  kern_fault_record fault{};
  fault.site = static_cast<std::uint32_t>(guard.what);
  fault.axis = guard.what >> 32 & 0xff;
  fault.kind = guard.what >> 40 & 0xff;
  fault.index = index;
  fault.extent = extent;
  set_place(fault, guard.where, lane, guard.what >> 48 & 1, guard.first_thread);
  return fault;
}

static void report(const LaneGuard& guard, std::uint32_t lane, std::int64_t index, std::int64_t extent) {
  kern_fault_record fault = record_of(guard, lane, index, extent);
  kern_cpu_fault(guard.record, &fault);
}

// Keeps what comes before what is there; a fault comes before every note.
static void keep(kern_launch_record& record, const kern_fault_record& found, std::uint32_t state) {
  std::lock_guard lock(fault_mutex());
  if (state == KERN_FAULT_THERE)
    std::atomic_ref(record.reserved[flags_word]).fetch_or(has_left, std::memory_order_relaxed);
  kern_fault_record& kept = record.fault;
  bool is_ranked = kept.state == state;
  if (is_ranked && order_of(record, kept) <= order_of(record, found)) return;
  if (!is_ranked && kept.state == KERN_FAULT_THERE) return;
  kept = found;
  kept.launch = record.launch;
  kept.state = state;
}

static std::int64_t step_to(std::int64_t first, std::int64_t step, std::uint32_t lane) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                   lane * static_cast<std::uint64_t>(step));
}

static std::int64_t in_memory(std::int64_t address, std::uint32_t lane) {
  return reinterpret_cast<const std::int64_t*>(address)[lane];
}

template <class IndexOf, class ExtentOf> static std::uint32_t
fault_lanes(const LaneGuard& guard, std::uint32_t lanes, IndexOf index_of, ExtentOf extent_of) {
  std::uint32_t failing = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    std::int64_t index = index_of(lane), extent = extent_of(lane);
    if (static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(extent)) continue;
    if (failing == 0) report(guard, lane, index, extent);
    failing |= 1u << lane;
  }
  return failing;
}

} // namespace kern::cpu

using namespace kern::cpu;

void kern_cpu_fault(kern_launch_record* record, const kern_fault_record* fault) {
  keep(*record, *fault, KERN_FAULT_THERE);
}

uint32_t kern_cpu_fault_lanes(kern_launch_record* record, const kern_where* where, uint64_t guard,
                              uint32_t lanes, int64_t first, int64_t step, int64_t extent, uint32_t x,
                              uint32_t y, uint32_t z) {
  return fault_lanes(
      {record, *where, guard, {x, y, z}}, lanes,
      [&](std::uint32_t lane) { return step_to(first, step, lane); }, [&](std::uint32_t) { return extent; });
}

uint32_t kern_cpu_fault_guards(kern_launch_record* record, const kern_where* where,
                               const kern_lane_guard* guards, uint64_t what, uint32_t x, uint32_t y,
                               uint32_t z) {
  auto count = static_cast<std::uint32_t>(what), lanes = static_cast<std::uint32_t>(what >> 32);
  std::uint32_t failing = 0;
  for (const kern_lane_guard& guard : std::span(guards, count)) {
    failing |= fault_lanes(
        {record, *where, guard.guard, {x, y, z}}, lanes & ~failing,
        [&](std::uint32_t lane) {
          return guard.guard >> 49 & 1 ? in_memory(guard.first, lane)
                                       : step_to(guard.first, guard.step, lane);
        },
        [&](std::uint32_t lane) {
          return guard.guard >> 50 & 1 ? in_memory(guard.extent, lane) : guard.extent;
        });
  }
  return failing;
}

uint32_t kern_cpu_fault_masked(kern_launch_record* record, const kern_where* where,
                               const kern_lane_guard* guards, uint64_t what, int32_t* mask, uint32_t x,
                               uint32_t y, uint32_t z) {
  std::uint32_t asked = 0;
  std::span lanes(mask, what >> 32);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) asked |= (lanes[lane] < 0 ? 1u : 0u) << lane;
  std::uint64_t of_bits = (what & 0xffff'ffff) | std::uint64_t(asked) << 32;
  std::uint32_t failing = kern_cpu_fault_guards(record, where, guards, of_bits, x, y, z);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = failing >> lane & 1 ? 0 : -1;
  return (asked & ~failing) != 0;
}

uint32_t kern_cpu_fault_each(kern_launch_record* record, const kern_where* where, uint64_t guard,
                             uint32_t lanes, const int64_t* indices, const int64_t* extents, uint32_t x,
                             uint32_t y, uint32_t z) {
  return fault_lanes(
      {record, *where, guard, {x, y, z}}, lanes, [&](std::uint32_t lane) { return indices[lane]; },
      [&](std::uint32_t lane) { return extents[lane]; });
}

void kern_cpu_note(kern_launch_record* record, const kern_where* where, uint64_t guard, uint32_t lanes,
                   uint32_t noted, const int64_t* indices, const int64_t* extents, uint32_t x, uint32_t y,
                   uint32_t z) {
  if (lanes == 0) return;
  auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  auto fresh = static_cast<std::uint64_t>(std::popcount(lanes & ~noted));
  if (fresh > 0) std::atomic_ref(record->bad_threads).fetch_add(fresh, std::memory_order_relaxed);
  keep(*record, record_of({record, *where, guard, {x, y, z}}, lane, indices[lane], extents[lane]),
       KERN_NOTE_THERE);
}

void kern_cpu_print(kern_launch_record* record, const uint64_t* words, uint64_t count) {
  auto* ring = reinterpret_cast<kern_print_ring*>(record->print_ring);
  if (!ring || count == 0) return;
  std::uint64_t at = std::atomic_ref(ring->used).fetch_add(count, std::memory_order_relaxed);
  if (at >= ring->capacity) return;
  if (count > ring->capacity - at) {
    ring->words[at] = refused;
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) ring->words[at + i] = words[i];
}
