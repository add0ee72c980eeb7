// Keeps what was captured on a stream of a CUDA device: the driver's graph, the records of its launches, and
// all that these work on.
#pragma once

#include "runtime/api/cuda/batch.h"

namespace kern::runtime {

// By which replays of a graph are told to end, in memory of the host that the device reads.
struct StopWord {
  std::uint64_t* word;
  Address address; // on the device
};

struct CudaGraph final : Graph {
  explicit CudaGraph(CudaDevice& owner) : device(owner) {}
  ~CudaGraph() override;
  // Returns a batch with room for a launch.
  Batch& open_batch();
  // Returns a word that no replay has which may be under way.
  std::shared_ptr<const StopWord> free_word();

  CudaDevice& device;
  cuda::GraphExecHandle exec = nullptr;
  std::vector<std::unique_ptr<Batch>> batches;
  std::uint64_t launches = 0;
  bool is_cancellable = false; // some of them

  // Held while a replay is given to the driver; it guards what follows.
  std::mutex launching;
  std::uint64_t stream_id = 0; // of the last replay's stream,
  std::weak_ptr<Stream> stream;
  std::uint64_t number = 0; // and its number there
  std::vector<std::uint64_t*> pages;
  std::vector<std::shared_ptr<const StopWord>> words;

  // Guards the records and what follows; the last lock that is taken.
  std::mutex mutex;
  std::uint64_t under_way = 0;          // replays that were given, or are being given, and were not looked at
  std::shared_ptr<const StopWord> word; // whose address the records have; null: none for sure
};

} // namespace kern::runtime
