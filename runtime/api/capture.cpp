// Which streams a capture has, and what each of them comes behind: the same on every device.
#include "runtime/api/capture.h"

#include "runtime/common/per_thread.h"

namespace kern::runtime {

constinit std::atomic<unsigned> open_captures{0};

namespace {

// The captures that a thread has begun.
struct Begun {
  std::vector<std::weak_ptr<Capture>> list;
};

} // namespace

void refuse_beside_capture() {
  auto& list = PerThread<Begun>::get().list;
  std::erase_if(list, [](const auto& weak) {
    std::shared_ptr<Capture> capture = weak.lock();
    return !capture || capture->has_ended();
  });
  if (list.empty()) return;
  fail(KERN_ARGUMENT_ERROR, "a capture is going on, and this work is not part of it, for it goes to a stream "
                            "that is not captured: name the "
                            "captured stream (`.on(stream)`, or the stream as last argument) or one that "
                            "joined it by `after(event)`; what is "
                            "to run at once comes before the capture");
}

Capture::Capture(const std::shared_ptr<Stream>& origin) : origin_id_(origin->id()) {
  parts_.push_back({origin, origin->id(), {}, {}});
}

void Capture::begin(std::shared_ptr<Graph> graph) {
  std::lock_guard lock(mutex_);
  graph_ = std::move(graph);
}

bool Capture::has_ended() {
  std::lock_guard lock(mutex_);
  return !graph_;
}

// The caller has the lock. Work of a stream that another thread has just taken out of the capture counts for nobody.
Capture::Part& Capture::part_of(std::uint64_t id) {
  for (Part& part : parts_)
    if (part.id == id) return part;
  fail(KERN_ARGUMENT_ERROR, "the stream is not part of the capture");
}

void Capture::count(const Stream& stream, const Work& what) {
  Part& part = part_of(stream.id());
  part.clock.set(part.id, part.clock.of(part.id) + 1);
  part.last = what.text();
}

CapturePoint Capture::point_of(const Stream& stream) {
  std::lock_guard lock(mutex_);
  return {nullptr, part_of(stream.id()).clock, nullptr};
}

void Capture::add(const std::shared_ptr<Stream>& stream) {
  std::lock_guard lock(mutex_);
  parts_.push_back({stream, stream->id(), {}, {}});
}

void Capture::note_behind(const Stream& stream, const CapturePoint& point) {
  std::lock_guard lock(mutex_);
  part_of(stream.id()).clock.join(point.clock);
}

// Takes no memory: a stream that goes ends its capture, too. There is room for `filled` since note_fill().
std::shared_ptr<Graph> Capture::end() {
  decltype(parts_) parts;
  std::shared_ptr<Graph> graph;
  {
    std::lock_guard lock(mutex_);
    parts.swap(parts_);
    graph = std::move(graph_);
    for (const auto& [memory, point] : fills_)
      if (graph) graph->filled.push_back(const_cast<Memory*>(memory));
    if (graph) graph->checked = std::move(checked);
    fills_.clear(); // their points hold the capture
  }
  for (const Part& part : parts)
    if (std::shared_ptr<Stream> stream = part.stream.lock()) stream->set_capture(nullptr);
  open_captures.fetch_sub(1);
  return graph;
}

std::string Capture::unjoined() {
  std::lock_guard lock(mutex_);
  if (parts_.empty()) return ""; // another thread has just ended it
  const Clock& joined = parts_.front().clock;
  for (const Part& part : parts_)
    if (joined.of(part.id) < part.clock.of(part.id))
      return "stream " + std::to_string(part.id) + ", whose last work is " + part.last;
  return "";
}

void Capture::note_wait() {
  std::lock_guard lock(mutex_);
  was_waited_for_ = true;
}

bool Capture::was_waited_for() {
  std::lock_guard lock(mutex_);
  return was_waited_for_;
}

void Capture::note_fill(Memory& memory, std::shared_ptr<const CapturePoint> point) {
  std::lock_guard lock(mutex_);
  if (!graph_) return;
  std::vector<Memory*>& room = graph_->filled;
  if (room.capacity() <= fills_.size()) room.reserve(2 * fills_.size() + 1);
  fills_[&memory] = std::move(point);
}

std::shared_ptr<const CapturePoint> Capture::fill_before(const Stream& stream, const Memory& memory) {
  std::lock_guard lock(mutex_);
  auto known = fills_.find(&memory);
  if (known == fills_.end()) return nullptr;
  const Clock &own = part_of(stream.id()).clock, &fill = known->second->clock;
  for (const Part& part : parts_)
    if (own.of(part.id) < fill.of(part.id)) return known->second;
  return nullptr;
}

// ---- Of a stream ----

void Stream::begin_capture(const std::shared_ptr<Stream>& stream) {
  if (stream->is_captured()) fail(KERN_ARGUMENT_ERROR, "the stream is being captured already");
  auto capture = std::make_shared<Capture>(stream);
  PerThread<Begun>::get().list.push_back(capture);
  capture->begin(stream->start_capture());
  open_captures.fetch_add(1);
  stream->set_capture(std::move(capture));
}

std::shared_ptr<Graph> Stream::end_capture() {
  std::shared_ptr<Capture> capture = this->capture();
  if (!capture) fail(KERN_ARGUMENT_ERROR, "the stream is not being captured: nothing can end");
  if (!capture->is_origin(*this))
    fail(KERN_ARGUMENT_ERROR, "the stream joined the capture of another one, which ends it");
  const std::string unjoined = capture->unjoined();
  // Whatever happened in between, the capture ends, and what it made goes.
  std::shared_ptr<Graph> graph = capture->end();
  const bool was_waited_for = capture->was_waited_for();
  stop_capture(unjoined.empty() && !was_waited_for ? graph.get() : nullptr);
  if (was_waited_for)
    fail(KERN_ARGUMENT_ERROR,
         "nothing comes of the capture: its work was waited for, which was refused, and what that was "
         "for, as a copy to host memory (`copy_to`), may not be there any more");
  if (!unjoined.empty())
    fail(KERN_ARGUMENT_ERROR,
         "the capture ends with work that its stream does not wait for, of " + unjoined +
             ": put the captured stream behind an event of it, as in `stream.after(event)`");
  return graph;
}

void Stream::abandon_capture() {
  std::shared_ptr<Capture> capture = this->capture();
  if (capture && capture->is_origin(*this)) capture->end();
}

void Stream::set_capture(std::shared_ptr<Capture> capture) {
  std::lock_guard lock(mutex_);
  std::swap(capture_, capture); // what it was goes behind the lock
  is_captured_.store(capture_ != nullptr, std::memory_order_release);
}

std::shared_ptr<Capture> Stream::current_capture() {
  std::lock_guard lock(mutex_);
  return capture_;
}

std::shared_ptr<const CapturePoint> Stream::current_point() {
  std::shared_ptr<Capture> capture = current_capture();
  if (!capture) return nullptr;
  CapturePoint point = capture->point_of(*this);
  point.mark = mark_captured();
  point.capture = std::move(capture);
  return std::make_shared<const CapturePoint>(std::move(point));
}

void Stream::follow(const CapturePoint& point) {
  if (point.capture->has_ended())
    fail(KERN_ARGUMENT_ERROR,
         "the event is of a capture that has ended: its work runs when the graph is launched, whose "
         "event can be waited for");
  std::shared_ptr<Capture> own = capture();
  if (own && own != point.capture)
    fail(KERN_ARGUMENT_ERROR, "the event is of another capture than the one that the stream is part of");
  follow_mark(point.mark.get(), !own);
  if (!own) {
    point.capture->add(shared_from_this());
    set_capture(point.capture);
  }
  point.capture->note_behind(*this, point);
}

} // namespace kern::runtime
