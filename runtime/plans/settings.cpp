#include "runtime/plans/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "runtime/api/error.h"

namespace kern::algorithms {

namespace {

// The constants of the library's modules that are functions, with the arguments that an expression in their place has.
struct FunctionConstant {
  std::string_view name, file, parameters;
};
constexpr std::array<FunctionConstant, 12> functions = {{
    {"OPERATION", "operation", "a, b"},
    {"INPUT", "input", "x"},
    {"KEEP", "keep", "x"},
    {"FIRST", "first", "x"},
    {"SECOND", "second", "x"},
    {"EQUAL", "equal", "a, b"},
    {"LESS", "less", "a, b"},
    {"UNARY", "unary", "x"},
    {"BINARY", "binary", "x, y"},
    {"INDEXED", "indexed", "i"},
    {"PREDICATE", "predicate", "x"},
    {"DIFFERENCE", "difference", "a, b"},
}};

bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// Says whether a value is FILE.kern:NAME or FILE.py:NAME.
bool names_file(std::string_view value) {
  const std::size_t colon = value.rfind(':');
  if (colon == value.npos || !is_name(value.substr(colon + 1))) return false;
  const std::string_view file = value.substr(0, colon);
  return file.ends_with(".kern") || file.ends_with(".py");
}

// Says whether a value is the name of a function, and no expression of one of the arguments alone, as `b` is.
bool names_function(const FunctionConstant& constant, const std::string& value) {
  const std::string arguments = ", " + std::string(constant.parameters) + ",";
  return is_name(value) && value != "True" && value != "False" &&
         arguments.find(" " + value + ",") == arguments.npos;
}

// The functions of module `operations`, which not every module imports.
constexpr std::array<std::string_view, 11> operations = {"add",     "subtract", "multiply", "smaller",
                                                         "larger",  "equal",    "unequal",  "less",
                                                         "greater", "itself",   "nonzero"};

bool is_operation(const FunctionConstant& constant, const std::string& value) {
  return constant.name != "INPUT" && std::ranges::find(operations, value) != operations.end();
}

std::string source_of(const FunctionConstant& constant, const std::string& value) {
  // Of an input the expression is one of the element, which has a function of its own.
  if (constant.name == "INPUT")
    return "@device\ndef value(x):\n    return " + value +
           "\n\n\n@device\ndef input(source, i):\n    return value(source[i])\n";
  if (is_operation(constant, value))
    return "from operations import " + value + " as named\n\n\n@device\ndef " + std::string(constant.file) +
           "(" + std::string(constant.parameters) + "):\n    return named(" +
           std::string(constant.parameters) + ")\n";
  return "@device\ndef " + std::string(constant.file) + "(" + std::string(constant.parameters) +
         "):\n    return " + value + "\n";
}

} // namespace

Settings::Settings(std::span<const std::string> texts) {
  for (const std::string& text : texts) {
    const std::size_t equal = text.find('=');
    if (equal == text.npos || equal == 0)
      runtime::fail(KERN_ARGUMENT_ERROR,
                    "a setting is NAME=VALUE, as `OPERATION=a + b`, and not `" + text + "`");
    const std::string name = text.substr(0, equal);
    if (has(name)) runtime::fail(KERN_ARGUMENT_ERROR, "`" + name + "` is set twice");
    all_.push_back({name, text.substr(equal + 1)});
  }
}

const std::string* Settings::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Setting::name);
  return found == all_.end() ? nullptr : &found->value;
}

static std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> Settings::number(std::string_view name) const {
  const std::string* value = find(name);
  if (!value) return std::nullopt;
  if (*value == "True" || *value == "False") return *value == "True";
  return number_in(*value);
}

std::optional<std::vector<std::int64_t>> Settings::numbers(std::string_view name) const {
  const std::string* value = find(name);
  if (!value || !value->starts_with('(') || !value->ends_with(')')) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 1; begin < value->size();) {
    const std::size_t end = std::min(value->find(',', begin), value->size() - 1);
    while (begin < end && (*value)[begin] == ' ') ++begin;
    const std::optional<std::int64_t> number = number_in(std::string_view(*value).substr(begin, end - begin));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

std::vector<std::string> defines_of(const Settings& settings, std::vector<SourceFile>& files) {
  std::vector<std::string> defines;
  for (const Setting& each : settings.all()) {
    if (each.name == "AXIS") continue; // what a plan goes by, and no constant
    const auto constant = std::ranges::find(functions, each.name, &FunctionConstant::name);
    const bool is_known = constant == functions.end() || names_file(each.value) ||
                          (names_function(*constant, each.value) && !is_operation(*constant, each.value));
    if (is_known) {
      defines.push_back(each.name + "=" + each.value);
      continue;
    }
    const std::string file = "<" + std::string(constant->file) + ">.kern"; // no file of anybody's
    files.push_back({file, source_of(*constant, each.value)});
    defines.push_back(each.name + "=" + file + ":" + std::string(constant->file));
  }
  return defines;
}

} // namespace kern::algorithms
