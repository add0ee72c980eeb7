// A constant array is a nested tuple in the language, so that is what a file becomes. JSON: numbers,
// booleans, arrays (tuples) and strings, which are Kern text (a type, an expression).
#include "compiler/driver/session/defines.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/data/files.h"
#include "compiler/driver/session/modules.h"
#include "compiler/support/limits.h"

namespace kern {

static std::string real_text(double real) {
  if (std::isnan(real)) return "float('nan')";
  if (std::isinf(real)) return real > 0 ? "float('inf')" : "float('-inf')";
  std::string text = fmt::format("{}", real);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// A number as both dialects write it, without an import; a float with all its digits as an f64.
static std::string constant_text(const HostArray& array, std::int64_t index) {
  Number number = load_number(array.element, array.at(index));
  if (scalar_class(array.element) == ScalarClass::Complex)
    return fmt::format("complex({}, {})", real_text(number.real), real_text(number.imaginary));
  if (scalar_class(array.element) != ScalarClass::Float) return to_string(number, array.element);
  return real_text(number.real);
}

// Prints the part of an array below `axis` as a nested tuple; `next` counts its numbers in C order.
static std::string tuple_text(const HostArray& array, std::size_t axis, std::int64_t& next) {
  if (axis == array.extents.size()) return constant_text(array, next++);
  std::string text = "(";
  for (std::int64_t i = 0; i < array.extents[axis]; ++i) text += tuple_text(array, axis + 1, next) + ",";
  return text + ")";
}

// Returns the numbers of an array as a constant of the module holds them.
static ir::ConstantDecl constant_numbers(const HostArray& array) {
  ir::ConstantDecl decl{"", array.element, array.extents, {}};
  const std::int64_t count = array.size();
  decl.values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const Number number = load_number(array.element, array.at(i));
    const Type type = types::scalar(array.element);
    if (number.kind == Number::Kind::Complex) {
      const ir::Operand parts = ir::constant_complex(type, number.real, number.imaginary);
      decl.values.insert(decl.values.end(), {parts.bits, parts.imag});
    } else {
      decl.values.push_back(number.kind == Number::Kind::Real ? ir::constant_float(type, number.real).bits
                                                              : ir::constant_int(type, number.integer).bits);
    }
  }
  return decl;
}

// Says why an array becomes no constant. The size of its file says little: an axis before an empty one becomes
// as many tuples as it is long.
static std::string why_no_constant(const HostArray& array) {
  if (array.extents.size() > limits::tuple_nesting)
    return fmt::format("a tuple has at most {} axes", limits::tuple_nesting);
  constexpr auto most_in_tuple = static_cast<std::int64_t>(limits::table_elements);
  std::int64_t elements = 1;
  for (std::int64_t extent : array.extents) {
    bool is_more = __builtin_mul_overflow(elements, extent, &elements) || elements > most_in_tuple;
    if (is_more && array.size() == 0)
      return fmt::format("its shape makes a tuple of more than {} elements", most_in_tuple);
  }
  if (array.size() > limits::module_array_elements)
    return fmt::format("a constant array has at most {} elements", limits::module_array_elements);
  if (array.size() > most_in_tuple && array.extents.size() > static_cast<std::size_t>(limits::array_rank))
    return fmt::format("an array has at most {} axes", limits::array_rank);
  return "";
}

// Returns the text of an array: one that is too large for it is a number of those that the options hold.
static Result<std::string> npy_text(const std::string& path, CheckOptions& options,
                                    std::vector<std::string>& files) {
  files.push_back(path);
  std::string why;
  constexpr std::size_t most = limits::module_array_elements;
  std::optional<std::string> bytes = read_file(path, why, most * 16 + 4096);
  if (!bytes) return failure("{}", why);
  Result<HostArray> array = read_npy(*bytes);
  if (!array) return failure("{}", array.error());
  if (why = why_no_constant(*array); !why.empty()) return failure("{}", why);
  if (array->size() > static_cast<std::int64_t>(limits::table_elements)) {
    options.arrays.push_back(constant_numbers(*array));
    return fmt::format("{}({}, '{}')", array_constant, options.arrays.size() - 1,
                       to_string(types::scalar(array->element)));
  }
  std::int64_t next = 0;
  std::string tuple = tuple_text(*array, 0, next);
  if (array->extents.empty()) return tuple;
  return fmt::format("{}({}, '{}')", array_constant, tuple, to_string(types::scalar(array->element)));
}

static Result<std::string> json_text(const nlohmann::json& value, std::size_t depth, CheckOptions& options,
                                     std::vector<std::string>& files) {
  if (depth > limits::nesting) return failure("it is nested too deeply");
  if (value.is_string()) {
    std::string text = value.get<std::string>();
    return text.starts_with('@') ? npy_text(text.substr(1), options, files) : Result<std::string>(text);
  }
  if (value.is_boolean()) return std::string(value.get<bool>() ? "True" : "False");
  if (value.is_number()) return value.dump();
  if (!value.is_array())
    return failure("a value is a number, a boolean, an array or a string with Kern text");
  std::string text = "(";
  for (const nlohmann::json& element : value) {
    Result<std::string> part = json_text(element, depth + 1, options, files);
    if (!part) return part;
    text += *part + ",";
    // A few bytes that name a file become many.
    if (text.size() > limits::source_bytes) return failure("it has more than {} bytes", limits::source_bytes);
  }
  return text + ")";
}

static void parse_json(const std::string& path, CheckOptions& options, std::vector<std::string>& files,
                       Diagnostics& diagnostics) {
  files.push_back(path);
  std::string why;
  std::optional<std::string> bytes = read_file(path, why, limits::source_bytes);
  if (!bytes) {
    diagnostics.report({}, diag::cannot_read_file, path, why);
    return;
  }
  nlohmann::json object = nlohmann::json::parse(*bytes, nullptr, false);
  if (!object.is_object()) {
    diagnostics.report({}, diag::bad_define, "@" + path, "the file is no JSON object of names and values");
    return;
  }
  for (const auto& [name, value] : object.items()) {
    Result<std::string> text = json_text(value, 0, options, files);
    if (text)
      options.defines.push_back({name, *text, {}});
    else
      diagnostics.report({}, diag::bad_define, name, text.error());
  }
}

// Splits FILE.py:NAME; nothing where a value is something else.
static std::optional<std::pair<std::string, std::string>> name_in_file(const std::string& value) {
  std::size_t colon = value.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string file = value.substr(0, colon), name = value.substr(colon + 1);
  bool is_source = file.ends_with(".py") || file.ends_with(".kern");
  return is_source && !name.empty() ? std::optional(std::pair(file, name)) : std::nullopt;
}

std::vector<Define> take_functions_of(std::span<const FoundFile> files, std::vector<std::string>& texts) {
  std::vector<Define> taken;
  std::erase_if(texts, [&](const std::string& text) {
    const std::size_t equal = std::min(text.find('='), text.size() - 1);
    const auto place = name_in_file(text.substr(equal + 1));
    const auto file = std::ranges::find_if(
        files, [&](const FoundFile& each) { return place && each.name == place->first; });
    if (file == files.end()) return false;
    taken.push_back({text.substr(0, equal), place->second, *file});
    return true;
  });
  return taken;
}

bool names_file(const std::string& text) {
  std::size_t equal = std::min(text.find('='), text.size());
  std::string value = text.substr(std::min(equal + 1, text.size()));
  return text.starts_with('@') || value.starts_with('@') || name_in_file(value);
}

void parse_define(const std::string& text, CheckOptions& options, std::vector<std::string>& files,
                  Diagnostics& diagnostics) {
  if (text.starts_with('@')) return parse_json(text.substr(1), options, files, diagnostics);
  std::vector<Define>& defines = options.defines;
  std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0) {
    diagnostics.report({}, diag::bad_define, text, "give NAME=VALUE or @FILE.json");
    return;
  }
  std::string name = text.substr(0, equal), value = text.substr(equal + 1);
  if (auto place = name_in_file(value)) {
    std::string why;
    files.push_back(place->first);
    std::optional<std::string> bytes = read_file(place->first, why, limits::source_bytes + 1);
    if (bytes)
      defines.push_back({name, place->second, FoundFile{place->first, std::move(*bytes)}});
    else
      diagnostics.report({}, diag::bad_define, text, why);
    return;
  }
  if (!value.starts_with('@')) {
    defines.push_back({name, value, {}});
    return;
  }
  Result<std::string> array = npy_text(value.substr(1), options, files);
  if (array)
    defines.push_back({name, *array, {}});
  else
    diagnostics.report({}, diag::bad_define, text, array.error());
}

} // namespace kern
