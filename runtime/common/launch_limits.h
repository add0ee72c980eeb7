// Sets the limits that every launch keeps to, on each device: a program that runs on the CPU runs on a GPU as
// well.
#pragma once

#include <array>
#include <cstdint>

namespace kern::limits {

inline constexpr std::array<std::int64_t, 3> launch_block{1024, 1024, 64};          // threads along an axis
inline constexpr std::int64_t launch_threads = 1024;                                // of a block
inline constexpr std::array<std::int64_t, 3> launch_grid{2147483647, 65535, 65535}; // blocks along an axis

} // namespace kern::limits
