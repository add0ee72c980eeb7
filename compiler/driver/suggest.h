// Finds what a mistyped word may have meant.
#pragma once

#include <span>
#include <string_view>

namespace kern {

// Returns the candidate nearest to `word` by insertions, deletions, changes and swaps of neighbours; "" where
// none is near.
std::string_view most_similar(std::string_view word, std::span<const std::string_view> candidates);

} // namespace kern
