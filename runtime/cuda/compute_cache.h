// The cache in which the driver keeps what it compiled of PTX, as its documentation describes it: by the
// environment, which Kern only reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kern::cuda {

struct ComputeCache {
  std::string folder; // where it is, or will be; empty where nothing says
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  std::optional<std::uint64_t> limit; // bytes; nothing: the driver's default
  std::string problem;                // why it is of no use, with what to do; empty where nothing is known
};

// Looks at $CUDA_CACHE_PATH, else ~/.nv/ComputeCache, and at CUDA_CACHE_DISABLE and CUDA_CACHE_MAXSIZE.
ComputeCache inspect_compute_cache();

} // namespace kern::cuda
