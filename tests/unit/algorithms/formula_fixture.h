// Holds what tests of one-line kernels share: they run on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "kern/algorithms.hpp"

inline kern::Device test_device() {
  const char* name = std::getenv("KERN_TEST_DEVICE");
  return name && std::string_view(name) == "cuda" ? kern::Device::cuda() : kern::Device::cpu();
}

template <class T, std::size_t Rank> std::vector<T> host_of(const kern::Buffer<T, Rank>& buffer) {
  std::vector<T> host(static_cast<std::size_t>(buffer.size()));
  buffer.copy_to(host);
  return host;
}

// Returns numbers from -500 to 508 in no order.
inline std::vector<std::int32_t> mixed_numbers(std::int64_t size) {
  std::vector<std::int32_t> host(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::int32_t>(i * 7919 % 1009) - 500;
  return host;
}

// Returns what a call says against its arguments; "" where it takes them.
template <class... Given> std::string refusal(const auto& call, Given&&... given) {
  kern::Status status;
  call(status, std::forward<Given>(given)...);
  return status.message();
}

// Names that the sources of kernels use as well, as a sum.
inline constexpr const char* names_of_sources =
    "grid + gridsize + gridDim + threadIdx + range + operation + elementwise + reduction + scanning + "
    "combine + value + value_at + "
    "value_of + store + sources + result_ + state + row_ + k_ + joined_ + THREADS + GROUP + GROUPS + blocks "
    "+ tiles + reduce_range + "
    "first_segment + reduce_grid + scan_grid + exclusive_scan_grid + extent0 + extent1 + at + column + row + "
    "rest + start + result";
inline constexpr std::size_t count_of_names = 38;

// Calls a function with a one for each name but the first.
template <class Call> void call_with_names(const Call& call) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    call((static_cast<void>(I), 1.0f)...);
  }(std::make_index_sequence<count_of_names - 1>());
}
