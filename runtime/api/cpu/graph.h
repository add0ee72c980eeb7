// Work of the CPU that was captured on a stream.
#pragma once

#include "runtime/api/device.h"

namespace kern::runtime {

class CpuStream;
// A piece of work of a stream, which is given its number there: in a graph, of whatever stream replays it.
using Task = std::function<void(CpuStream& stream, std::uint64_t number)>;

struct CpuGraph final : Graph {
  std::vector<Task> tasks;
  bool borrows = false; // some of it uses host memory of the caller's
};

} // namespace kern::runtime
