// Capture: work that is kept instead of run, and put on streams later.
#include "runtime/api/cpu/stream.h"

namespace kern::runtime {

std::shared_ptr<Graph> CpuStream::start_capture() {
  process_.check();
  return std::make_shared<CpuGraph>();
}

// The graph runs what it holds in the order in which it was put there, so that nothing overtakes.
void CpuStream::follow_mark(const void*, bool) { process_.check(); }

void CpuStream::stop_capture(Graph*) { process_.check(); }

std::uint64_t CpuStream::replay(std::shared_ptr<Graph> graph) {
  std::vector<Memory*> uses;
  for (const auto& memory : graph->memory) uses.push_back(memory.get());
  auto run = [graph](CpuStream& stream, std::uint64_t number) {
    for (const Task& task : static_cast<const CpuGraph&>(*graph).tasks) task(stream, number);
  };
  return put({"a graph"}, std::move(run), uses,
             {.runs_on = graph->runs_on, .borrows = static_cast<const CpuGraph&>(*graph).borrows});
}

} // namespace kern::runtime
