// Work of the CPU that was captured on a stream.
#pragma once

#include "runtime/api/device.h"

namespace kern::runtime {

class CpuStream;
// What a stream runs, with the number of the work there: in a graph, on whatever stream it is replayed.
using Task = std::function<void(CpuStream& stream, std::uint64_t number)>;

struct CpuGraph final : Graph {
  std::vector<Task> tasks;
  bool borrows = false; // some of it uses host memory of the caller's
};

} // namespace kern::runtime
