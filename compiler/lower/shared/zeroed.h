// Which slots are stored zero at the start. What is assigned before every use needs none; and to make a
// register of a slot that is zeroed as well LLVM looks through all that comes before its assignment, once for
// each, so that a long function would take the square of its length. Short ones keep the zeros: they take no
// time there, and LLVM orders its registers by them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/analysis/flow/assignment.h"
#include "compiler/ir/ir.h"

namespace kern::lowering {

inline constexpr std::size_t most_zeroed_slots = 2'000;

// Returns, for each slot, whether it is zeroed before it is assigned; no parameter is. `unset` is what
// find_unset_reads says of the function.
inline std::vector<bool> find_zeroed(const ir::Function& function,
                                     std::span<const std::optional<Span>> unset) {
  std::vector<bool> zeroed(function.slots.size(), true);
  if (function.slots.size() > most_zeroed_slots)
    for (std::size_t slot = 0; slot < zeroed.size(); ++slot) zeroed[slot] = unset[slot].has_value();
  std::fill_n(zeroed.begin(), function.param_count, false);
  return zeroed;
}

} // namespace kern::lowering
