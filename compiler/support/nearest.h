// Finds what a mistyped word may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace kern {

// Collects candidates; keeps the nearest by insertions, deletions, replacements and swaps of neighbours,
// letters of another case counting half; of equals the first in the alphabet.
class NearestName {
public:
  explicit NearestName(std::string_view word);
  void offer(std::string_view candidate);
  // Returns the nearest; "" where none is near.
  std::string_view best() const { return best_; }

private:
  std::string_view word_, best_;
  std::size_t best_distance_;
};

// Returns the candidate nearest to `word`; "" where none is near.
std::string_view most_similar(std::string_view word, std::span<const std::string_view> candidates);

} // namespace kern
