// Arrays as they are written on a command line: [1, 2, 3], [[1.5, 2], [3, inf]].
#pragma once

#include <optional>
#include <string_view>

#include "compiler/driver/data/array.h"

namespace kern {

// Reads a list of numbers, or of lists of one length. Without an element type it is bool, i64, f64 or c128,
// whichever holds all numbers.
Result<HostArray> read_list(std::string_view text, std::optional<ScalarKind> element);

} // namespace kern
