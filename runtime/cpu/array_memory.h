// Memory for the arrays of kernels on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace kern::cpu {

// Frees the allocation that an array's memory lies in.
struct FreeArrayMemory {
  void* allocation = nullptr;
  void operator()(void*) const { std::free(allocation); }
};
using ArrayMemory = std::unique_ptr<void, FreeArrayMemory>;

inline constexpr std::uint64_t array_alignment = 256; // bytes, as CUDA's

// Returns memory for so many bytes, not initialised; null where there is none. An empty array has an address
// too.
ArrayMemory allocate_array(std::uint64_t bytes);

} // namespace kern::cpu
