// Stacks for fibers: pages that cost nothing until they are touched, each stack with a page below it that
// cannot be. Each such page splits a mapping in two, of which a process has 65,530: where there are very many
// stacks, only the first of a group gets one.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace kern::cpu {

class Stacks {
public:
  static constexpr std::size_t bytes = std::size_t(1) << 20, guard_bytes = 4096; // of each

  Stacks() = default;
  Stacks(Stacks&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), count_(std::exchange(other.count_, 0)),
        guards_(std::exchange(other.guards_, 0)) {}
  Stacks& operator=(Stacks&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(count_, other.count_);
    std::swap(guards_, other.guards_);
    return *this;
  }
  ~Stacks() {
    if (memory_) munmap(memory_, count_ * (bytes + guard_bytes));
    all_guards.fetch_sub(guards_, std::memory_order_relaxed);
  }

  // Maps so many; none where there is no memory.
  static Stacks map(std::uint64_t count) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* memory = mmap(nullptr, count * (bytes + guard_bytes), PROT_READ | PROT_WRITE, flags, -1, 0);
    Stacks stacks;
    if (memory == MAP_FAILED) return stacks;
    stacks.memory_ = static_cast<char*>(memory);
    stacks.count_ = count;
    // A page of 2 MiB for the few words that a thread needs would be a gigabyte a block.
    madvise(memory, count * (bytes + guard_bytes), MADV_NOHUGEPAGE);
    bool many = all_guards.fetch_add(count, std::memory_order_relaxed) + count > most_guards;
    stacks.guards_ = count;
    for (std::uint64_t i = 0; i < (many ? 1 : count); ++i)
      if (mprotect(stacks.memory_ + i * (bytes + guard_bytes), guard_bytes, PROT_NONE) != 0) return {};
    return stacks;
  }

  std::uint64_t count() const { return count_; }
  void* operator[](std::uint64_t index) const {
    return memory_ + index * (bytes + guard_bytes) + guard_bytes;
  }

private:
  static constexpr std::uint64_t most_guards = 16'384;
  static inline std::atomic<std::uint64_t> all_guards{0};

  char* memory_ = nullptr;
  std::uint64_t count_ = 0, guards_ = 0;
};

} // namespace kern::cpu
