// Which builtins say where a thread is in its launch, and how large that is.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/builtins/builtins.h"

namespace kern {

struct SpecialRegister {
  enum class Kind : std::uint8_t { ThreadIndex, BlockIndex, BlockDim, GridDim, LaneId };
  Kind kind;
  std::size_t axis; // 0 of LaneId
};

// Returns what a builtin reads; nothing for another one.
constexpr std::optional<SpecialRegister> special_register(Builtin builtin) {
  using Kind = SpecialRegister::Kind;
  constexpr Builtin first[] = {Builtin::ThreadIndexX, Builtin::BlockIndexX, Builtin::BlockDimX,
                               Builtin::GridDimX};
  for (Kind kind : {Kind::ThreadIndex, Kind::BlockIndex, Kind::BlockDim, Kind::GridDim}) {
    // The rows of the axes follow each other.
    const auto axis =
        static_cast<std::size_t>(builtin) - static_cast<std::size_t>(first[static_cast<int>(kind)]);
    if (axis < 3) return SpecialRegister{kind, axis};
  }
  return builtin == Builtin::LaneId ? std::optional(SpecialRegister{Kind::LaneId, 0}) : std::nullopt;
}
static_assert(special_register(Builtin::ThreadIndexZ)->axis == 2 &&
              special_register(Builtin::BlockIndexZ)->axis == 2 &&
              special_register(Builtin::BlockDimZ)->axis == 2 &&
              special_register(Builtin::GridDimZ)->axis == 2);

} // namespace kern
