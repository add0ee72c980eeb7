// The names that are not free are rows of reserved_names.def; own_names.def, which is made when Kern is built, has those of the
// runtime.
#include "compiler/driver/aot/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace kern {

namespace {

enum class Reserved : std::uint8_t { Keyword, Macro, Global };

struct ReservedRow {
  Reserved kind;
  std::string_view words; // between blanks
};

constexpr ReservedRow rows[] = {
#define RESERVED(Kind, Words) {Reserved::Kind, Words},
#include "compiler/driver/aot/reserved_names.def"
#include "own_names.def"
#undef RESERVED
};

constexpr std::string_view float_suffixes[] = {"f32", "f32x", "f64", "f64x", "f128"};

} // namespace

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return (c >= 'a' && c <= 'z') || is_upper(c) || is_digit(c) || c == '_'; }

static bool has_word(std::string_view words, std::string_view name) {
  for (std::size_t at = words.find(name); at != std::string_view::npos; at = words.find(name, at + 1)) {
    std::size_t end = at + name.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

static bool is_reserved(Reserved kind, std::string_view name) {
  return std::ranges::any_of(
      rows, [&](const ReservedRow& row) { return row.kind == kind && has_word(row.words, name); });
}

static bool is_global(std::string_view name) {
  return is_reserved(Reserved::Global, name) ||
         std::ranges::any_of(float_suffixes, [&](std::string_view suffix) {
           return name.ends_with(suffix) &&
                  is_reserved(Reserved::Global, name.substr(0, name.size() - suffix.size()));
         });
}

// C++ and its library keep `__x` and `_X` for themselves.
static bool is_of_implementation(std::string_view name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || is_upper(name[1]));
}

static bool is_taken(std::string_view name) {
  return is_reserved(Reserved::Keyword, name) || is_reserved(Reserved::Macro, name);
}

std::string cpp_identifier(std::string_view name) {
  std::string result;
  for (char c : name) result += is_word(c) ? c : '_';
  if (result.empty() || is_digit(result[0])) result = "_" + result;
  if (is_of_implementation(result)) result = "k" + result;
  while (is_taken(result)) result += '_';
  return result;
}

std::string cpp_namespace(std::string_view name) {
  std::string result = cpp_identifier(name);
  while (is_global(result) || is_taken(result)) result += '_';
  return result;
}

std::string namespace_error(std::string_view path) {
  for (std::size_t from = 0; from <= path.size();) {
    std::size_t end = std::min(path.find("::", from), path.size());
    std::string_view part = path.substr(from, end - from);
    bool is_identifier = !part.empty() && !is_digit(part[0]) && std::ranges::all_of(part, is_word);
    if (!is_identifier) return fmt::format("`{}` is no identifier of C++", part);
    std::string free = from == 0 ? cpp_namespace(part) : cpp_identifier(part);
    if (free != part) return fmt::format("`{}` is a name of C++'s own or of Kern's, write `{}`", part, free);
    from = end + 2;
  }
  return "";
}

bool may_be_macro(std::string_view identifier) { return is_upper(identifier[0]); }

std::string NameScope::take(std::string identifier) {
  while (!taken_.insert(identifier).second) identifier += '_';
  return identifier;
}

std::vector<std::string> NameScope::take_all(std::span<const std::string> names) {
  std::vector<std::string> result(names.size());
  for (bool as_it_stands : {true, false})
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string identifier = cpp_identifier(names[i]);
      if ((identifier == names[i]) == as_it_stands) result[i] = take(std::move(identifier));
    }
  return result;
}

} // namespace kern
