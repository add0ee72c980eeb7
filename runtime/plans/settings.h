// What a call of an algorithm sets in the library's module: its operation, its start, a condition, as texts NAME=VALUE.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kern::algorithms {

struct Setting {
  std::string name, value; // "OPERATION", "max(a, b)"
};

// A file that a setting names, as text.
struct SourceFile {
  std::string path, text;
  bool operator==(const SourceFile&) const = default;
};

class Settings {
public:
  Settings() = default;
  // Takes texts NAME=VALUE; one of another form is an error.
  explicit Settings(std::span<const std::string> texts);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Returns what a constant is set to, where that is an integer or a bool.
  std::optional<std::int64_t> number(std::string_view name) const;
  // The same of a tuple of integers, "(2, 0, 1)".
  std::optional<std::vector<std::int64_t>> numbers(std::string_view name) const;
  const std::vector<Setting>& all() const { return all_; }

private:
  const std::string* find(std::string_view name) const;
  std::vector<Setting> all_;
};

// Returns the settings as the compiler takes them, "OPERATION=operation.kern:operation". An expression of the arguments that the
// constant's function has, `a + b`, becomes a function in a file of its own, which `files` gets: an error in it, or a fault, has a
// place there. A name, a number and FILE.kern:NAME stay what they are.
std::vector<std::string> defines_of(const Settings& settings, std::vector<SourceFile>& files);

} // namespace kern::algorithms
