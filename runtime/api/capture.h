// Work that is kept instead of run. A capture begins on one stream; another joins it by waiting for an event of it, and
// is joined back where the first one waits for an event of its work. All of it goes to one graph.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "runtime/api/clock.h"
#include "runtime/api/device.h"

namespace kern::runtime {

// An end of captured work, which is what an event of it stands for.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  Clock clock;                      // what comes before it
  std::shared_ptr<const void> mark; // the device's
};

// The words for a piece of work: "kernel" and its name, or "a copy"; without a kind it is none.
struct Work {
  std::string_view kind, name = {};
  std::string text() const {
    return name.empty() ? std::string(kind) : std::string(kind) + " `" + std::string(name) + "`";
  }
};

class Capture {
public:
  explicit Capture(const std::shared_ptr<Stream>& origin);
  // From here on there is a graph to put work into.
  void begin(std::shared_ptr<Graph> graph);

  // Keeps work of a stream of the capture; `keep` puts it into the graph, and is called under the lock.
  template <class Function>
  void keep(const Stream& stream, const Work& what, std::span<Memory* const> uses, Function&& keep) {
    std::lock_guard lock(mutex_);
    if (!graph_) return;
    keep(*graph_);
    for (Memory* memory : uses) graph_->memory.push_back(memory->shared_from_this());
    if (!what.kind.empty()) count(stream, what);
  }
  // Returns the end of a stream's work so far, less the device's mark.
  CapturePoint point_of(const Stream& stream);
  // Returns the graph, for a device that is at it under the lock.
  Graph& graph() const { return *graph_; }
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // Lets a stream be part of it.
  void add(const std::shared_ptr<Stream>& stream);
  // Notes that what a stream puts there comes behind a point.
  void note_behind(const Stream& stream, const CapturePoint& point);
  // Ends it for all its streams, and hands over the graph.
  std::shared_ptr<Graph> end();
  // Says of which stream there is work that the origin does not wait for; "" where there is none.
  std::string unjoined();

  // Notes that somebody waited for its work, which was refused: what that was for, as a copy to memory that goes when its caller
  // returns, is no work to repeat, so no graph comes of it.
  void note_wait();
  bool was_waited_for();

  bool has_ended();
  bool is_origin(const Stream& stream) const { return origin_id_ == stream.id(); }

  std::shared_ptr<CheckedGraph> checked; // what check.h knows of its work

  // Notes work that fills memory, and returns the fill that a stream is not behind yet; null where there is none.
  void note_fill(Memory& memory, std::shared_ptr<const CapturePoint> point);
  std::shared_ptr<const CapturePoint> fill_before(const Stream& stream, const Memory& memory);

private:
  // A stream of the capture, its origin first.
  struct Part {
    std::weak_ptr<Stream> stream;
    std::uint64_t id;
    Clock clock;
    std::string last; // the last work, in words
  };
  Part& part_of(std::uint64_t id);
  void count(const Stream& stream, const Work& what);

  std::uint64_t origin_id_;
  std::mutex mutex_;             // guards what follows
  std::shared_ptr<Graph> graph_; // null once it has ended
  std::vector<Part> parts_;
  bool was_waited_for_ = false;
  std::map<const Memory*, std::shared_ptr<const CapturePoint>> fills_;
};

// How many captures are open in the process.
extern std::atomic<unsigned> open_captures;

[[gnu::cold]] void refuse_beside_capture();

// Refuses work that runs at once on a thread that has begun a capture and not ended it: it is hardly ever meant.
inline void check_beside_capture(const Stream& stream) {
  if (open_captures.load(std::memory_order_relaxed) != 0 && !stream.is_captured()) [[unlikely]]
    refuse_beside_capture();
}

} // namespace kern::runtime
