// Fills arrays, and reads and writes them as files by their suffix.
#pragma once

#include <string>
#include <string_view>

#include "compiler/driver/data/array.h"

namespace kern {

// Fills with one number; fails where the type cannot hold it.
Result<bool> fill_with(HostArray& array, std::string_view number);
// Fills with 0, 1, 2, ... in C order; fails where the type cannot hold them.
Result<bool> fill_arange(HostArray& array);
// Fills with random numbers: floats in [0, 1), integers of their whole range. `option` is "" or "seed=N". The
// same seed gives the same numbers everywhere.
Result<bool> fill_uniform(HostArray& array, std::string_view option);

// Fills with the states of xoroshiro128+, two words a stream, as Numba makes them.
void fill_random_states(HostArray& array, std::uint64_t seed, std::uint64_t subsequence);

// Reads a .npy or .png file.
Result<HostArray> read_array_file(const std::string& path);
// Returns the bytes of an array as a file of the path's suffix.
Result<std::string> array_file_bytes(const HostArray& array, const std::string& path);

} // namespace kern
