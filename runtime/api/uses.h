// Which work used some memory last, on each stream, and which work filled it. A stream's timeline outlives the
// stream, so that memory which the stream worked on can ask how far it came.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace kern::runtime {

class Stream;

struct Timeline {
  std::atomic<std::uint64_t> done{0}; // work up to this number is known to be done
  std::weak_ptr<Stream> stream;       // gone where all its work is done
};

// Work of a stream.
struct Use {
  std::shared_ptr<Timeline> timeline;
  std::uint64_t number = 0;
  bool is_done() const { return !timeline || timeline->done >= number || timeline->stream.expired(); }
};

// Streams of several threads may use the memory at once; each writes its own place, and a use that is not the first
// of its stream takes neither lock nor memory.
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
    return std::all_of(more_.begin(), more_.end(),
                       [](const Use& use) { return use.timeline->done >= use.number; });
  }

  // Returns the last work of each stream that is not known to be done.
  std::vector<Use> under_way() {
    std::lock_guard lock(mutex_);
    std::vector<Use> uses = more_;
    for (const Place& place : places_)
      if (place.owner) uses.push_back({place.owner, place.number.load(std::memory_order_relaxed)});
    std::erase_if(uses, [](const Use& use) { return use.is_done(); });
    return uses;
  }

  // Notes work that fills the memory: whatever uses it next, on any stream, comes behind.
  void note_fill(const std::shared_ptr<Timeline>& timeline, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    fill_ = {timeline, number};
    behind_.clear();
    filler_.store(timeline.get(), std::memory_order_release);
  }
  // Says whether another stream's fill may be under way.
  bool is_filled_elsewhere(const Timeline& own) const {
    const Timeline* filler = filler_.load(std::memory_order_acquire);
    return filler && filler != &own;
  }
  // Returns the fill that the stream is not behind yet; one that is done where there is none.
  Use fill_before(const Timeline& own) {
    std::lock_guard lock(mutex_);
    if (fill_.is_done()) {
      fill_ = {};
      behind_.clear();
      filler_.store(nullptr, std::memory_order_release);
    }
    bool is_behind = std::any_of(behind_.begin(), behind_.end(),
                                 [&](const auto& timeline) { return timeline.get() == &own; });
    return is_behind ? Use() : fill_;
  }
  // Notes that the stream is behind the fill.
  void note_behind(const std::shared_ptr<Timeline>& own) {
    std::lock_guard lock(mutex_);
    behind_.push_back(own);
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
      // A stream that is gone notes nothing any more.
      if (place.owner && !place.owner->stream.expired()) continue;
      place.number.store(number, std::memory_order_relaxed);
      place.known.store(timeline.get(), std::memory_order_release);
      place.owner = timeline;
      return;
    }
    std::erase_if(more_, [](const Use& use) { return use.is_done(); });
    for (Use& use : more_)
      if (use.timeline == timeline) {
        use.number = number;
        return;
      }
    more_.push_back({timeline, number});
  }
  std::atomic<const Timeline*> filler_{nullptr}; // of fill_
  Place places_[4];
  std::mutex mutex_; // guards what follows, and who owns a place
  std::vector<Use> more_;
  Use fill_;
  std::vector<std::shared_ptr<Timeline>> behind_; // streams that were put behind the fill
};

} // namespace kern::runtime
