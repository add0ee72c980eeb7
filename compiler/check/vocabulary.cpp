// A table of words and a distance between words.
#include "compiler/check/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kern::checker {

namespace {

struct ForeignWord {
  std::string_view word, instead;
};

constexpr ForeignWord foreign_words[] = {
#define WORD(Word, Instead) {Word, Instead},
#include "compiler/check/foreign_words.def"
};

std::string_view find_word(std::string_view word) {
  const auto* found = std::ranges::find(foreign_words, word, &ForeignWord::word);
  return found == std::end(foreign_words) ? "" : found->instead;
}

std::string_view short_name(std::string_view module) {
  if (module == "numpy") return "np.";
  return module == "numba.cuda" || module == "kern" ? "cuda." : "";
}

// How much two letters differ, in halves of a change.
std::size_t difference(char a, char b) {
  if (a == b) return 0;
  auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return lower(a) == lower(b) ? 1 : 2;
}

// In halves of a change.
std::size_t distance(std::string_view a, std::string_view b) {
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

constexpr std::size_t longest_word = 60;

} // namespace

std::string instead_of(std::string_view module, std::string_view word) {
  std::string_view instead = find_word(fmt::format("{}{}", short_name(module), word));
  // A word of CUDA means the same behind `cuda.` and `math.`.
  if (instead.empty() && module != "numpy") instead = find_word(word);
  std::string text(instead);
  for (std::size_t place = 0; (place = text.find("{0}", place)) != std::string::npos; place += word.size())
    text.replace(place, 3, word);
  return text;
}

NearestName::NearestName(std::string_view word) : word_(word) {
  bool is_too_short = word.size()<3, is_too_long = word.size()> longest_word;
  best_distance_ = is_too_short || is_too_long ? 0 : word.size() < 5 ? 4 : 6;
}

void NearestName::offer(std::string_view candidate) {
  if (candidate.size() > longest_word || best_distance_ == 0) return;
  std::size_t away = distance(word_, candidate);
  bool better = away < best_distance_ || (away == best_distance_ && !best_.empty() && candidate < best_);
  if (!better) return;
  best_ = candidate;
  best_distance_ = away;
}

std::string_view nearest_builtin(std::string_view prefix, std::string_view name) {
  std::string front = prefix.empty() ? "" : std::string(prefix) + ".";
  NearestName nearest(name);
  std::string_view longer; // of a name too short to be near anything
  for (const BuiltinRow& row : all_builtins()) {
    if (!row.name.starts_with(front) || row.name.starts_with("_")) continue;
    std::string_view rest = row.name.substr(front.size());
    nearest.offer(rest.substr(0, rest.find('.')));
    bool begins = !prefix.empty() && name.size() < 3 && rest.starts_with(name) && rest.size() > name.size();
    if (begins && longer.empty()) longer = row.name;
  }
  if (nearest.best().empty()) return longer;
  for (const BuiltinRow& row : all_builtins()) {
    bool is_it = row.name.starts_with(front) && row.name.substr(front.size()).starts_with(nearest.best());
    if (is_it) return row.name.substr(0, front.size() + nearest.best().size());
  }
  return "";
}

std::string names_behind(std::string_view prefix) {
  std::string text, front = std::string(prefix) + ".";
  for (const BuiltinRow& row : all_builtins()) {
    if (!row.name.starts_with(front)) continue;
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", row.name.substr(front.size()));
  }
  return text;
}

} // namespace kern::checker
