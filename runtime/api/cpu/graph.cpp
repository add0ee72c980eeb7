// Capture: work that is kept instead of run, and put on streams later.
#include "runtime/api/cpu/stream.h"

namespace kern::runtime {

void CpuStream::begin_capture() {
  process_.check();
  std::lock_guard lock(mutex_);
  if (capture_) refuse_capture(true);
  capture_ = std::make_shared<CpuGraph>();
}

std::shared_ptr<Graph> CpuStream::end_capture() {
  process_.check();
  std::lock_guard lock(mutex_);
  if (!capture_) refuse_capture(false);
  return std::move(capture_);
}

std::uint64_t CpuStream::replay(std::shared_ptr<Graph> graph) {
  std::vector<Memory*> uses;
  for (const auto& memory : graph->memory) uses.push_back(memory.get());
  auto run = [graph](CpuStream& stream, std::uint64_t number) {
    for (const Task& task : static_cast<const CpuGraph&>(*graph).tasks) task(stream, number);
  };
  return put(std::move(run), uses);
}

} // namespace kern::runtime
