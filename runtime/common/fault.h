// A fault in words: what `kernc run` and the runtime say of a fault record. The record is untrusted; callers
// test `kind` first.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kern/abi.h"

namespace kern {

struct FaultRow {
  std::string_view code, name, text;
};

// Returns the row of faults.def, or null where there is none.
const FaultRow* find_fault(std::uint32_t kind);

// Returns a fault with the index or value that the program had, by the kind of the fault's site: of an index that
// counts from the end the record has the place, of a value for a signed type the distance from its least one.
kern_fault_record as_written(kern_fault_record fault, std::uint32_t site_kind);

// Returns "index 7 is out of range for axis 0 of `y` (extent 7), block (0,0,0) thread (7,0,0)", for a fault
// as written.
std::string fault_text(const kern_fault_record& fault, std::uint32_t site_kind, std::string_view array);

// Returns ", block (0,0,0) thread (7,0,0)".
std::string thread_text(const kern_fault_record& fault);

// Says whether the thread was stopped, because its launch was told to end.
bool is_stop(const kern_fault_record& fault);

// Returns "threads with a bad index or value that went on: 7".
std::string bad_threads_text(std::uint64_t count);

// Returns the site of the other barrier that threads of the block wait at; none where the fault is not of
// that kind.
std::optional<std::uint32_t> other_barrier(const kern_fault_record& fault);

// An array that the launch was given.
struct FaultArray {
  std::string_view param;
  std::vector<std::uint64_t> extents;
};

// Returns what the host can see that explains a fault: a view's parameter, a negative index, an untested one
// or one tested against a longer array. `arrays` are those of the launch, as far as they are still known.
std::vector<std::string> fault_hints(const kern_fault_record& fault, std::uint32_t site_kind,
                                     std::string_view array, std::string_view param,
                                     const std::array<std::uint64_t, 3>& grid,
                                     const std::array<std::uint64_t, 3>& block,
                                     std::span<const FaultArray> arrays);

} // namespace kern
