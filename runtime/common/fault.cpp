// The texts are rows of faults.def, patterns over the names that its legend lists.
#include "runtime/common/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kern {

static constexpr FaultRow rows[] = {
#define FAULT(Kind, Code, Text) {Code, #Kind, Text},
#include "kern/faults.def"
};

static constexpr std::uint32_t index_out_of_range = 1, index_from_end = 10, index_unsigned = 11;
static_assert(rows[index_out_of_range].name == "IndexOutOfRange");
static_assert(rows[index_from_end].name == "IndexFromEnd" && rows[index_unsigned].name == "IndexUnsigned");

static constexpr std::uint32_t barrier_places = 12;
static_assert(rows[barrier_places].name == "BarrierPlaces");

static constexpr std::uint32_t stopped = 15;
static_assert(rows[stopped].name == "Stopped");

static constexpr std::uint32_t does_not_fit = 17, fits_signed = 18, fits_word = 19;
static_assert(rows[does_not_fit].name == "DoesNotFit");
static_assert(rows[fits_signed].name == "FitsSigned" && rows[fits_word].name == "FitsWord");

bool is_stop(const kern_fault_record& fault) { return fault.kind == stopped; }

const FaultRow* find_fault(std::uint32_t kind) { return kind < std::size(rows) ? &rows[kind] : nullptr; }

kern_fault_record as_written(kern_fault_record fault, std::uint32_t site_kind) {
  const bool from_end = site_kind == index_from_end && fault.index < 0;
  // The record may hold anything.
  const auto index = static_cast<std::uint64_t>(fault.index),
             extent = static_cast<std::uint64_t>(fault.extent);
  if (from_end) fault.index = static_cast<std::int64_t>(index - extent);
  // Of a signed type, it has the distance from the least of `extent` values.
  if (site_kind == fits_signed) fault.index = static_cast<std::int64_t>(index - extent / 2);
  return fault;
}

std::string thread_text(const kern_fault_record& fault) {
  return fmt::format(", block ({},{},{}) thread ({},{},{})", fault.block[0], fault.block[1], fault.block[2],
                     fault.thread[0], fault.thread[1], fault.thread[2]);
}

std::string fault_text(const kern_fault_record& fault, std::uint32_t site_kind, std::string_view array) {
  const FaultRow* row = find_fault(fault.kind);
  if (!row) return fmt::format("the fault record is damaged: kind {}, site {}", fault.kind, fault.site);
  const bool is_unsigned = site_kind == index_unsigned || site_kind == fits_word;
  std::string index = is_unsigned ? fmt::format("{}", static_cast<std::uint64_t>(fault.index))
                                  : fmt::format("{}", fault.index);
  return fmt::format(fmt::runtime(row->text), fmt::arg("index", index), fmt::arg("axis", fault.axis),
                     fmt::arg("array", array), fmt::arg("extent", fault.extent)) +
         thread_text(fault);
}

std::string bad_threads_text(std::uint64_t count) {
  return fmt::format("threads with a bad index or value that went on: {}", count);
}

std::optional<std::uint32_t> other_barrier(const kern_fault_record& fault) {
  if (fault.kind != barrier_places || fault.index < 0 || fault.index > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(fault.index);
}

// Explains the index of a thread that is too large for a parameter's axis but not for that of another array.
static std::string shorter_array_hint(const kern_fault_record& fault, std::string_view param,
                                      std::span<const FaultArray> arrays) {
  auto itself = std::ranges::find(arrays, param, &FaultArray::param);
  auto axis = static_cast<std::size_t>(fault.axis);
  if (itself == arrays.end() || axis >= itself->extents.size()) return "";
  for (const FaultArray& other : arrays) {
    if (other.extents.size() != itself->extents.size()) continue;
    if (other.extents[axis] <= static_cast<std::uint64_t>(fault.index)) continue;
    std::string along = other.extents.size() > 1 ? fmt::format(" along axis {}", axis) : "";
    return fmt::format("`{}` has {} elements{} where `{}` has {}", param, fault.extent, along, other.param,
                       other.extents[axis]);
  }
  return "";
}

std::vector<std::string> fault_hints(const kern_fault_record& fault, std::uint32_t site_kind,
                                     std::string_view array, std::string_view param,
                                     const std::array<std::uint64_t, 3>& grid,
                                     const std::array<std::uint64_t, 3>& block,
                                     std::span<const FaultArray> arrays) {
  std::vector<std::string> hints;
  // The text of the place ends in its type.
  if (fault.kind == does_not_fit && !array.empty())
    hints.push_back(
        fmt::format("where wrapping is meant, write `{}(...)`", array.substr(array.rfind(' ') + 1)));
  if (fault.kind != index_out_of_range) return hints;
  if (!param.empty() && param != array)
    hints.push_back(fmt::format("`{}` is a view of parameter `{}`", array, param));
  if (fault.index < 0 && site_kind == index_out_of_range)
    hints.emplace_back("a computed negative index is a fault; only a literal one counts from the end");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::uint64_t threads = grid[axis] * block[axis];
    std::uint64_t thread = fault.block[axis] * block[axis] + fault.thread[axis];
    bool is_own_index = fault.index >= 0 && static_cast<std::uint64_t>(fault.index) == thread;
    if (!is_own_index || fault.index < fault.extent || static_cast<std::int64_t>(threads) <= fault.extent)
      continue;
    if (fault.extent == 0 || thread == 0) continue;
    std::string shorter = param == array ? shorter_array_hint(fault, param, arrays) : "";
    hints.push_back(!shorter.empty()
                        ? shorter
                        : fmt::format("the launch has {} threads for {} elements: test the index", threads,
                                      fault.extent));
    break;
  }
  return hints;
}

} // namespace kern
