// The only place that knows what a value may be: parse() of its type, by which it is read, set and checked.
#include "runtime/common/settings.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>

#include "runtime/common/log.h"

namespace kern {

// Digits and nothing else, up to `most`.
static std::optional<std::uint64_t> number(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool is_number = !text.empty() && error == std::errc() && stop == end && value <= most;
  return is_number ? std::optional(value) : std::nullopt;
}

namespace settings {

static bool parse(std::string_view text, std::string& value) {
  value = text;
  return !text.empty();
}

static bool parse(std::string_view text, DeviceChoice& value) {
  constexpr std::string_view cuda = "cuda";
  value.name = text;
  value.is_cuda = text.starts_with(cuda);
  if (text == "cpu" || text == cuda) return true;
  if (!value.is_cuda || text[cuda.size()] != ':') return false;
  constexpr std::uint64_t most = 999;
  std::optional<std::uint64_t> ordinal = number(text.substr(cuda.size() + 1), most);
  value.ordinal = static_cast<unsigned>(ordinal.value_or(0));
  return ordinal.has_value();
}

static bool parse(std::string_view text, Threads& value) {
  constexpr std::uint64_t most = 1024;
  value.count = static_cast<unsigned>(number(text, most).value_or(0));
  return value.count > 0;
}

static bool parse(std::string_view text, Level& value) {
  value.name = text;
  return text == "x86-64-v3" || text == "x86-64-v4";
}

static bool parse(std::string_view text, Switch& value) {
  value.on = text != "off";
  return text == "on" || text == "off";
}

static bool parse(std::string_view text, Mebibytes& value) {
  constexpr std::uint64_t most = 999'999'999'999;
  std::optional<std::uint64_t> count = number(text, most);
  value.bytes = count.value_or(0) << 20;
  return count.has_value();
}

static bool parse(std::string_view text, Check& value) {
  value.streams = text == "streams";
  return text == "streams" || text == "off";
}

} // namespace settings

namespace {

enum class Told : std::uint8_t { AtFirst, Reader };

struct Row {
  const char* name;
  const char* takes;
  bool (*is_right)(std::string_view);
  Told told;
};

template <class Value> bool is_right(std::string_view text) {
  Value value;
  return settings::parse(text, value);
}

using namespace settings; // the types of the rows
constexpr Row rows[] = {
#define SETTING(Id, Name, Value, Takes, Who) {Name, Takes, &is_right<Value>, Told::Who},
#include "runtime/common/settings.def"
};

struct Given {
  std::mutex mutex;
  std::map<std::string_view, std::string> values; // by the row's name
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

static std::string wrong(const char* name, const char* takes, std::string_view value) {
  return std::string(name) + " is `" + std::string(value) + "`; it takes " + takes;
}

const char* environment(const char* name) noexcept { return secure_getenv(name); }

// Returns what the program said, else the environment; "" where neither says anything.
static std::string text_of(const char* name) {
  Given& all = given();
  std::lock_guard lock(all.mutex);
  if (auto known = all.values.find(name); known != all.values.end()) return known->second;
  const char* value = environment(name);
  return value ? value : "";
}

namespace settings {

template <class Value> static Setting<Value> read(const char* name, const char* takes) {
  const std::string text = text_of(name);
  if (text.empty()) return {};
  Value value;
  if (!parse(text, value)) return {{}, wrong(name, takes, text)};
  return {std::move(value), {}};
}

#define SETTING(Id, Name, Value, Takes, Told)                                                                \
  Setting<Value> Id() { return read<Value>(Name, Takes); }
#include "runtime/common/settings.def"

} // namespace settings

std::string set_setting(std::string_view name, const char* value) {
  const Row* row = find(name);
  if (!row) {
    std::string names;
    for (const Row& known : rows) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return "there is no setting `" + std::string(name) + "`; there are: " + names;
  }
  if (value && !row->is_right(value)) return wrong(row->name, row->takes, value);
  Given& all = given();
  std::lock_guard lock(all.mutex);
  if (value)
    all.values[row->name] = value;
  else
    all.values.erase(row->name);
  return "";
}

void check_environment() {
  static std::atomic<bool> checked{false};
  if (checked.exchange(true)) return;
  for (const Row& row : rows) {
    const char* value = environment(row.name);
    if (row.told == Told::AtFirst && value && *value && !row.is_right(value))
      log(KERN_LOG_WARNING, wrong(row.name, row.takes, value));
  }
}

} // namespace kern
