// The distance of Damerau and Levenshtein (adjacent swaps only), over bytes: words are short.
#include "compiler/driver/suggest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kern {

static std::size_t distance(std::string_view a, std::string_view b) {
  std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = at(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return at(a.size(), b.size());
}

std::string_view most_similar(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return "";
  std::string_view best;
  // Everything is near a word of one or two letters.
  if (word.size() < 3) return "";
  std::size_t nearest = word.size() / 3 + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > longest) continue;
    std::size_t steps = distance(word, candidate);
    if (steps >= nearest) continue;
    nearest = steps;
    best = candidate;
  }
  return best;
}

} // namespace kern
