// How far a stream has come. It outlives the stream, so that memory which the stream worked on can ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace kern::runtime {

struct Timeline {
  std::atomic<std::uint64_t> done{0}; // work up to this number is done
};

// The last work of each stream that used some memory. Streams of several threads may use it at once; each
// writes its own place.
class Uses {
public:
  Uses() = default;
  Uses(const Uses&) = delete;
  Uses& operator=(const Uses&) = delete;

  // Notes that the stream's work of that number uses the memory.
  void note(const std::shared_ptr<Timeline>& timeline, std::uint64_t number) {
    for (Place& place : places_) {
      const Timeline* known = place.known.load(std::memory_order_acquire);
      if (known == timeline.get()) return place.number.store(number, std::memory_order_relaxed);
      if (!known) break;
    }
    note_first(timeline, number);
  }

  // Says whether all of it is done; nobody notes anything any more.
  bool done() const {
    for (const Place& place : places_)
      if (place.owner && place.owner->done < place.number) return false;
    for (const auto& [timeline, number] : more_)
      if (timeline->done < number) return false;
    return true;
  }

private:
  struct Place {
    std::atomic<const Timeline*> known{nullptr};
    std::atomic<std::uint64_t> number{0};
    std::shared_ptr<Timeline> owner;
  };
  void note_first(const std::shared_ptr<Timeline>& timeline, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    for (Place& place : places_) {
      if (place.owner) continue;
      place.owner = timeline;
      place.number.store(number, std::memory_order_relaxed);
      place.known.store(timeline.get(), std::memory_order_release);
      return;
    }
    for (auto& [known, last] : more_)
      if (known == timeline) {
        last = number;
        return;
      }
    more_.emplace_back(timeline, number);
  }
  Place places_[4];
  std::mutex mutex_;
  std::vector<std::pair<std::shared_ptr<Timeline>, std::uint64_t>> more_;
};

} // namespace kern::runtime
