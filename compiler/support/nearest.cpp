// The distance of Damerau and Levenshtein (adjacent swaps only), over bytes: words are short.
#include "compiler/support/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace kern {

static constexpr std::size_t longest_word = 60;

// How much two letters differ, in halves of a change.
static std::size_t difference(char a, char b) {
  if (a == b) return 0;
  auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return lower(a) == lower(b) ? 1 : 2;
}

// Returns how far two words are from each other, in halves of a change.
static std::size_t distance(std::string_view a, std::string_view b) {
  std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = 2 * i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = at(i - 1, j - 1) + difference(a[i - 1], b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 2, at(i, j - 1) + 2, change});
      bool swaps = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swaps) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 2);
    }
  return table.back();
}

NearestName::NearestName(std::string_view word) : word_(word) {
  // Everything is near a word of one or two letters.
  bool has_none = word.size() < 3 || word.size() > longest_word;
  best_distance_ = has_none ? 0 : word.size() < 5 ? 4 : 6;
}

void NearestName::offer(std::string_view candidate) {
  const std::size_t longer = std::max(word_.size(), candidate.size());
  const std::size_t shorter = std::min(word_.size(), candidate.size());
  if (best_distance_ == 0 || 2 * (longer - shorter) > best_distance_) return;
  const std::size_t away = distance(word_, candidate);
  bool better = away < best_distance_ || (away == best_distance_ && !best_.empty() && candidate < best_);
  if (!better) return;
  best_ = candidate;
  best_distance_ = away;
}

std::string_view most_similar(std::string_view word, std::span<const std::string_view> candidates) {
  NearestName nearest(word);
  for (std::string_view candidate : candidates) nearest.offer(candidate);
  return nearest.best();
}

} // namespace kern
