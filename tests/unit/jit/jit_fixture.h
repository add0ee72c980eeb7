// Holds what tests of kern::compile share: they run on the CPU, or on a GPU where KERN_TEST_DEVICE is cuda.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "kern/jit.hpp"

inline constexpr const char* saxpy = R"(
@kernel
def saxpy(a: f32, x: f32[:], y: f32[:]):
    i = grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]
)";

inline kern::Device test_device() {
  const char* name = std::getenv("KERN_TEST_DEVICE");
  return name && std::string_view(name) == "cuda" ? kern::Device::cuda() : kern::Device::cpu();
}

inline bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  std::printf("`%s` does not contain `%s`\n", text.c_str(), part.c_str());
  return false;
}

// Returns what kern::compile says against a source; "" where it takes it.
inline std::string refusal(const std::string& source, const kern::CompileOptions& options = {}) {
  kern::Status status;
  kern::compile(status, test_device(), source, options);
  EXPECT_TRUE(status.ok() || status.kind() == KERN_COMPILE_ERROR) << status.message();
  return status.message();
}

inline std::vector<float> counted(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}
