// Values are kept until the process ends: whoever was given one may hold it as long as it likes.
#include "runtime/common/settings.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "runtime/common/log.h"

namespace kern {

static bool is_number(std::string_view text) {
  constexpr std::size_t most_digits = 12;
  return !text.empty() && text.size() <= most_digits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}
static bool is_threads(std::string_view text) {
  constexpr std::size_t most_digits = 4;
  return is_number(text) && text.size() <= most_digits && std::atoi(std::string(text).c_str()) >= 1 &&
         std::atoi(std::string(text).c_str()) <= 1024;
}
static bool is_device(std::string_view text) {
  constexpr std::string_view cuda = "cuda:";
  return text == "cpu" || text == "cuda" ||
         (text.starts_with(cuda) && text.size() <= cuda.size() + 3 && is_number(text.substr(cuda.size())));
}
static bool is_level(std::string_view text) { return text == "x86-64-v3" || text == "x86-64-v4"; }
static bool is_switch(std::string_view text) { return text == "on" || text == "off"; }
static bool is_check(std::string_view text) { return text == "streams" || text == "off"; }
static bool is_text(std::string_view text) { return !text.empty(); }

namespace {

enum class Told { AtFirst, Reader };

struct Row {
  const char* name;
  const char* takes;
  bool (*is_right)(std::string_view);
  Told told;
};

constexpr Row rows[] = {
#define SETTING(Name, Takes, IsRight, Who) {Name, Takes, IsRight, Told::Who},
#include "runtime/common/settings.def"
};

struct Given {
  std::mutex mutex;
  std::map<std::string_view, const char*> values; // by the row's name
  std::set<std::string> kept;
};

// Never taken down: what runs at the end of a program reads settings, too.
Given& given() {
  static auto* all = new Given;
  return *all;
}

const Row* find(std::string_view name) {
  for (const Row& row : rows)
    if (name == row.name) return &row;
  return nullptr;
}

} // namespace

static std::string wrong(const Row& row, const char* value) {
  return std::string(row.name) + " is `" + value + "`; it takes " + row.takes;
}

const char* setting(const char* name) noexcept {
  try {
    Given& all = given();
    std::lock_guard lock(all.mutex);
    if (auto known = all.values.find(name); known != all.values.end()) return known->second;
  } catch (...) {
    // Without memory nothing was set.
  }
  return secure_getenv(name);
}

std::string set_setting(std::string_view name, const char* value) {
  const Row* row = find(name);
  if (!row) {
    std::string names;
    for (const Row& known : rows) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return "there is no setting `" + std::string(name) + "`; there are: " + names;
  }
  if (value && !row->is_right(value)) return wrong(*row, value);
  Given& all = given();
  std::lock_guard lock(all.mutex);
  if (value)
    all.values[row->name] = all.kept.emplace(value).first->c_str();
  else
    all.values.erase(row->name);
  return "";
}

void check_environment() {
  static std::atomic<bool> checked{false};
  if (checked.exchange(true)) return;
  for (const Row& row : rows) {
    const char* value = secure_getenv(row.name);
    if (row.told == Told::AtFirst && value && *value && !row.is_right(value))
      log(KERN_LOG_WARNING, wrong(row, value));
  }
}

} // namespace kern
