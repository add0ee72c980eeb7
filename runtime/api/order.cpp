// Puts streams behind each other's work on memory only where that is still under way, so that most calls find
// nothing to do.
#include "runtime/api/order.h"

#include "runtime/api/capture.h"
#include "runtime/api/check.h"

namespace kern::runtime {

// Puts a stream behind a use. Captured work runs later, so the use is waited for here.
static void put_behind(Stream& stream, const Use& use) {
  std::shared_ptr<Stream> other = use.is_done() ? nullptr : use.timeline->stream.lock();
  if (!other || other.get() == &stream) return;
  if (stream.is_captured())
    other->wait(use.number, std::nullopt);
  else
    stream.after(std::move(other), use.number, true);
}

void follow_captured_fill(Stream& stream, const Memory& memory) {
  std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) return;
  if (std::shared_ptr<const CapturePoint> fill = capture->fill_before(stream, memory)) stream.follow(*fill);
}

void note_fill(Stream& stream, Memory& memory, std::uint64_t number) {
  if (std::shared_ptr<Capture> capture = stream.capture())
    capture->note_fill(memory, stream.capture_point());
  else
    memory.uses->note_fill(stream.timeline(), number);
}

void put_behind_fill(Stream& stream, const Memory& memory) {
  Use fill = memory.uses->fill_before(*stream.timeline());
  if (!fill.timeline) return;
  put_behind(stream, fill);
  memory.uses->note_behind(stream.timeline());
}

void order_behind_uses(Stream& stream, const Memory& memory) {
  order_behind_fill(stream, memory);
  for (const Use& use : memory.uses->under_way()) put_behind(stream, use);
  check_behind_uses(stream, memory);
}

} // namespace kern::runtime
