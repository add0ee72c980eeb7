// Texts for people. Whatever comes from the device (sites, kinds, counts) is checked before it is used.
#include "compiler/driver/run/report.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/common/fault.h"

namespace kern {

// Rows for the diagnostics that faults are rendered as: `fault[index]`.
static const DiagnosticRow& fault_row(std::uint32_t kind) {
  static constexpr DiagnosticRow rows[] = {
#define FAULT(Kind, Code, Text) {Code, Severity::Fault, #Kind, Text, ""},
#include "kern/faults.def"
  };
  return rows[kind];
}

static std::vector<FaultArray> fault_arrays(std::span<const Argument> arguments) {
  std::vector<FaultArray> arrays;
  for (const Argument& argument : arguments)
    if (const HostArray* array = argument.array())
      arrays.push_back({argument.param, {array->extents.begin(), array->extents.end()}});
  return arrays;
}

Diagnostic fault_diagnostic(std::span<const ir::Site> sites, const kern_fault_record& fault,
                            const LaunchShape& shape, std::span<const Argument> arguments) {
  bool known = find_fault(fault.kind) && fault.site < sites.size();
  if (!known)
    return {&fault_row(0),
            Severity::Fault,
            std::nullopt,
            fmt::format("the fault record is damaged: kind {}, site {}", fault.kind, fault.site),
            {}};
  const ir::Site& site = sites[fault.site];
  auto site_kind = static_cast<std::uint32_t>(site.kind);
  std::string text = fault_text(fault, site_kind, site.array);
  Diagnostic diagnostic{&fault_row(fault.kind), Severity::Fault, site.span, text, {}};
  for (Span call : site.calls) diagnostic.notes.push_back({call, "called here"});
  if (auto other = other_barrier(fault); other && *other < sites.size())
    diagnostic.notes.push_back({sites[*other].span, "others wait here"});
  for (std::string& hint : fault_hints(fault, site_kind, site.array, site.param, shape.grid, shape.block,
                                       fault_arrays(arguments)))
    diagnostic.notes.push_back({std::nullopt, std::move(hint)});
  return diagnostic;
}

static std::string fault_name(std::span<const ir::Site> sites, const kern_fault_record& fault) {
  if (fault.state == 0) return "none";
  bool known = find_fault(fault.kind) && fault.site < sites.size();
  if (!known) return "a damaged one";
  const ir::Site& site = sites[fault.site];
  return fault_text(fault, static_cast<std::uint32_t>(site.kind), site.array);
}

// Each target may number a place of its own that is in the source of both.
static bool is_same_place(std::span<const ir::Site> sites, std::uint32_t first, std::uint32_t second) {
  if (first == second) return true;
  return first < sites.size() && second < sites.size() && sites[first].span == sites[second].span &&
         sites[first].calls == sites[second].calls;
}

std::string fault_difference(std::span<const ir::Site> sites, const kern_fault_record& first,
                             const kern_fault_record& second) {
  bool same = first.state == 0 ? second.state == 0
                               : second.state != 0 && first.kind == second.kind &&
                                     is_same_place(sites, first.site, second.site);
  if (same) return "";
  return fmt::format("{}; {}", fault_name(sites, first), fault_name(sites, second));
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

static std::string record_text(Type record, const char* place);

// Returns what a field holds, from one of its axes on.
static std::string field_text(const RecordField& field, std::size_t axis, const char* place) {
  if (axis == field.extents.size())
    return is_record(field.type) ? record_text(field.type, place)
                                 : to_string(load_number(field.type->scalar, place), field.type->scalar);
  std::int64_t step = size_in_memory(field.type);
  for (std::size_t inner = axis + 1; inner < field.extents.size(); ++inner) step *= field.extents[inner];
  std::string text;
  for (std::int64_t i = 0; i < field.extents[axis]; ++i)
    text += (text.empty() ? "" : ", ") + field_text(field, axis + 1, place + i * step);
  return "[" + text + "]";
}

static std::string record_text(Type record, const char* place) {
  std::string text;
  for (const RecordField& field : record->record->fields)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", field.name,
                        field_text(field, 0, place + field.offset));
  return "{" + text + "}";
}

static std::string element_text(const HostArray& array, const char* place) {
  return array.records.type ? record_text(*array.records.type, place)
                            : to_string(load_number(array.element, place), array.element);
}

std::string summary(const std::string& name, const HostArray& array) {
  constexpr std::int64_t most = 8;
  const std::int64_t words = array.records.type ? array.extents.back() : 1;
  const std::int64_t size = array.size() / words;
  std::string text = fmt::format("{}: {}", name, describe(array));
  if (size == 0) return text + "\n";
  double sum = 0;
  std::int64_t not_numbers = 0, least = -1, greatest = -1;
  for (std::int64_t i = 0; i < size && !array.records.type; ++i) {
    double value = as_real(load_number(array.element, array.at(i)));
    if (std::isnan(value)) {
      ++not_numbers;
      continue;
    }
    sum += value;
    if (least < 0 || value < as_real(load_number(array.element, array.at(least)))) least = i;
    if (greatest < 0 || value > as_real(load_number(array.element, array.at(greatest)))) greatest = i;
  }
  auto element = [&](std::int64_t i) { return element_text(array, array.at(i * words)); };
  if (least >= 0)
    text += fmt::format(", min {}, max {}, mean {:.6g}", element(least), element(greatest),
                        sum / static_cast<double>(size - not_numbers));
  if (not_numbers > 0) text += fmt::format(", {} nan", not_numbers);
  text += ":";
  for (std::int64_t i = 0; i < std::min(size, most); ++i) text += " " + element(i);
  return text + (size > most ? " ...\n" : "\n");
}

namespace {

// Indices begin, begin + step, ... along an axis.
struct Range {
  std::int64_t begin, count, step;
  bool single; // one index: the axis goes
};

} // namespace

static std::string_view without_spaces(std::string_view text) {
  std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Returns the integer, or the standard one for no text; nothing where it is something else.
static std::optional<std::int64_t> parse_index(std::string_view text, std::int64_t standard) {
  text = without_spaces(text);
  if (text.empty()) return standard;
  Result<Number> number = parse_number(text);
  if (!number || number->kind != Number::Kind::Signed) return std::nullopt;
  return number->integer;
}

// slice = [index] ":" [index] [":" [step]], with Python's meaning: bounds are clamped, negative ones count from
// the end, and a negative step goes down.
static std::optional<Range> parse_slice(std::string_view text, std::int64_t extent) {
  constexpr std::int64_t far = std::int64_t(1) << 62;
  std::string_view parts[3];
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == 3) return std::nullopt;
    std::size_t colon = text.find(':');
    parts[count] = text.substr(0, colon);
    more = colon != text.npos;
    if (more) text.remove_prefix(colon + 1);
  }
  std::optional<std::int64_t> step = parse_index(parts[2], 1);
  if (!step || *step == 0) return std::nullopt;
  bool up = *step > 0;
  std::int64_t least = up ? 0 : -1, most = up ? extent : extent - 1;
  auto bound = [&](std::string_view part, std::int64_t standard) -> std::optional<std::int64_t> {
    std::optional<std::int64_t> index = parse_index(part, standard);
    if (!index || without_spaces(part).empty()) return index;
    return std::clamp(*index < 0 ? *index + extent : *index, least, most);
  };
  std::optional<std::int64_t> begin = bound(parts[0], up ? least : most),
                              end = bound(parts[1], up ? most : least);
  if (!begin || !end) return std::nullopt;
  std::int64_t stride = std::clamp(*step, -far, far), way = up ? *end - *begin : *begin - *end;
  return Range{*begin, way > 0 ? 1 + (way - 1) / std::abs(stride) : 0, stride, false};
}

// range = index | slice
static std::optional<Range> parse_range(std::string_view text, std::int64_t extent) {
  if (without_spaces(text).empty()) return std::nullopt;
  if (text.find(':') != text.npos) return parse_slice(text, extent);
  std::optional<std::int64_t> index = parse_index(text, 0);
  if (!index) return std::nullopt;
  std::int64_t place = *index < 0 ? *index + extent : *index;
  if (place < 0 || place >= extent) return std::nullopt;
  return Range{place, 1, 1, true};
}

static std::string nested_text(const HostArray& array, std::span<const Range> ranges, std::size_t axis,
                               const char* place) {
  if (axis == ranges.size()) return element_text(array, place);
  const Range& range = ranges[axis];
  std::string text;
  for (std::int64_t i = 0; i < range.count; ++i) {
    std::int64_t index = range.begin + i * range.step;
    const char* part = place + index * array.strides[axis] * static_cast<std::int64_t>(array.element_bytes());
    text += (text.empty() ? "" : ", ") + nested_text(array, ranges, axis + 1, part);
  }
  return range.single ? text : "[" + text + "]";
}

Result<std::string> elements_text(const std::string& selection, const HostArray& array) {
  std::vector<Range> ranges;
  std::string_view rest = selection;
  while (!rest.empty() && ranges.size() < array.rank()) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    std::optional<Range> range = parse_range(rest.substr(0, comma), array.extents[ranges.size()]);
    std::string_view part = rest.substr(0, comma);
    if (!range && std::ranges::count(part, ':') == 2 && part.ends_with(":0"))
      return failure("[{}]: the step of a slice is not 0", selection);
    if (!range) return failure("[{}] is no range of elements of {}", selection, describe(array));
    ranges.push_back(*range);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (!rest.empty()) return failure("[{}] has more indices than {} has axes", selection, describe(array));
  while (ranges.size() < array.rank()) ranges.push_back({0, array.extents[ranges.size()], 1, false});
  return nested_text(array, ranges, 0, array.data());
}

static bool is_close(const Number& value, const Number& expected, const Tolerance& tolerance) {
  bool whole =
      value.kind != Number::Kind::Real && value.kind != Number::Kind::Complex && value.kind == expected.kind;
  if (whole && value.integer == expected.integer) return true;
  auto close = [&](double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return true;
    return std::fabs(a - b) <= tolerance.absolute + tolerance.relative * std::fabs(b);
  };
  if (value.kind == Number::Kind::Complex || expected.kind == Number::Kind::Complex)
    return close(value.real, expected.real) && close(value.imaginary, expected.imaginary);
  double a = as_real(value), b = as_real(expected);
  // Whole numbers that round to the same double still differ.
  if (whole && a == b) return tolerance.absolute >= 1 || tolerance.relative * std::fabs(b) >= 1;
  return close(a, b);
}

std::string difference(const HostArray& array, const HostArray& expected, const Tolerance& tolerance) {
  if (array.extents != expected.extents)
    return fmt::format("it is {}, and expected is {}", describe(array), describe(expected));
  std::int64_t count = 0, first = -1;
  double greatest = 0;
  for (std::int64_t i = 0; i < array.size(); ++i) {
    Number value = load_number(array.element, array.at(i)),
           wanted = load_number(expected.element, expected.at(i));
    if (is_close(value, wanted, tolerance)) continue;
    if (count++ == 0) first = i;
    double off = std::fabs(as_real(value) - as_real(wanted));
    if (off > greatest) greatest = off;
  }
  if (count == 0) return "";
  return fmt::format("at {} it is {}, and {} is expected; {} of {} elements differ, by at most {:.6g}",
                     array.index_text(first),
                     to_string(load_number(array.element, array.at(first)), array.element),
                     to_string(load_number(expected.element, expected.at(first)), expected.element), count,
                     array.size(), greatest);
}

} // namespace kern
