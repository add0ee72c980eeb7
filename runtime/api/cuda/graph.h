// What was captured on a stream of a CUDA device: the driver's graph, the records of its launches, and all
// that these work on.
#pragma once

#include "runtime/api/cuda/batch.h"

namespace kern::runtime {

struct CudaGraph final : Graph {
  explicit CudaGraph(CudaDevice& owner) : device(owner) {}
  ~CudaGraph() override {
    device.use();
    if (exec) device.driver.graph_exec_destroy(exec);
  }
  // Returns a batch with room for a launch.
  Batch& open_batch();

  CudaDevice& device;
  cuda::GraphExecHandle exec = nullptr;
  std::vector<std::unique_ptr<Batch>> batches;
  std::uint64_t launches = 0;
};

} // namespace kern::runtime
