// A table of words, and the names of the builtins.
#include "compiler/check/core/vocabulary.h"

#include <algorithm>

#include "compiler/support/nearest.h"

namespace kern::checker {

namespace {

struct ForeignWord {
  std::string_view word, instead;
};

constexpr ForeignWord foreign_words[] = {
#define WORD(Word, Instead) {Word, Instead},
#include "compiler/check/core/foreign_words.def"
};

std::string_view find_word(std::string_view word) {
  const auto* found = std::ranges::find(foreign_words, word, &ForeignWord::word);
  return found == std::end(foreign_words) ? "" : found->instead;
}

std::string_view short_name(std::string_view module) {
  if (module == "numpy") return "np.";
  return module == "numba.cuda" || module == "kern" ? "cuda." : "";
}

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
