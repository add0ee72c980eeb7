// The dialect of a file: its suffix decides, an option overrides.
#pragma once

#include <cstdint>
#include <string_view>

namespace kern {

enum class Dialect : std::uint8_t { Kern, Numba };

// Returns the dialect of a file by its name: Numba for ".py", Kern for everything else.
inline Dialect dialect_of(std::string_view file_name) {
  return file_name.ends_with(".py") ? Dialect::Numba : Dialect::Kern;
}

} // namespace kern
