// In which order streams use memory where the program does not say it by events: behind what fills it, and copies
// that name no stream behind all that uses it.
#pragma once

#include "runtime/api/device.h"

namespace kern::runtime {

void put_behind_fill(Stream& stream, const Memory& memory);
void follow_captured_fill(Stream& stream, const Memory& memory);

// Notes that the stream's work of that number fills the memory.
void note_fill(Stream& stream, Memory& memory, std::uint64_t number);

// Puts a stream behind another one's fill of memory that it is about to use. Of a launch this is a look at each of
// its arrays, without a lock.
inline void order_behind_fill(Stream& stream, const Memory& memory) {
  if (memory.uses->is_filled_elsewhere(*stream.timeline())) [[unlikely]]
    put_behind_fill(stream, memory);
  if (stream.is_captured()) [[unlikely]]
    follow_captured_fill(stream, memory);
}

// Puts a stream behind the last work on the memory of all other streams.
void order_behind_uses(Stream& stream, const Memory& memory);

} // namespace kern::runtime
