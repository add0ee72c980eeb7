// Shapes of blocks and contracts of launches: what `kernc run` and the runtime decide alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "kern/expression.h"

namespace kern {

// Returns the block for a kernel that does not care: so many threads, a power of two from 32 on, over the
// axes that it reads; fewer where its launch bounds (0: none) allow fewer.
std::array<std::uint64_t, 3> default_block(const std::array<bool, 3>& axes, std::uint64_t most_threads,
                                           std::uint64_t threads = 256);

// Shared arrays begin at multiples of so many bytes; an array's bytes are rounded up to them.
inline constexpr std::uint64_t shared_alignment = 16;
constexpr std::uint64_t round_up_shared(std::uint64_t bytes) {
  return (bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
}

// Returns a value, or the lack of one, as text.
std::string value_text(const std::optional<ExpressionValue>& value);

// Returns "" where a contract holds; else its words, a message or the condition as written, and what the host
// compared: "sizes differ (`n == x.shape[0]` with 3 on the left and 4 on the right)".
std::string broken_contract_text(const Expression& condition, const std::string& words,
                                 std::span<const std::string> names, const ExpressionInput& input);

} // namespace kern
