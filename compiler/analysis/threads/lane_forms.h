// Values across the 32 lanes of a warp: a base that all lanes share, of which a power of two is known that
// divides it, and what each lane adds. So `grid(1) // 32` is one value in all lanes, and `threadIdx.x < 64`
// one answer. Private to analysis/threads/.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct LaneForm {
  std::int64_t align = 0; // divides the base; 0 where the base is 0
  std::array<std::int64_t, 32> offsets{};
  bool is_positive = false; // known to be, though not a constant

  bool is_uniform() const;
};

// Returns for which answer a comparison picks the last lanes of a warp (or none, or all): `i >= n` holds for them where
// `i` ascends with the lanes; nothing where it picks others.
std::optional<bool> last_lanes(ir::CompareOp op, const LaneForm& left, const LaneForm& right);

// How threads lie over warps: by the block that a kernel fixes. Where it fixes none, blockDim.x counts as a
// multiple of 32. A device function counts as its callers do, where they all agree.
class LaneForms {
public:
  using Lookup = std::function<std::optional<LaneForm>(const ir::Operand&)>;

  LaneForms(const ir::Module& module, const ir::Function& function);

  // Return the form of a value that is the same in all lanes, of a constant.
  static LaneForm same(std::int64_t align = 1);
  static LaneForm constant(std::int64_t value);

  // Returns the form of an expression of some type; none where nothing is known.
  std::optional<LaneForm> evaluate(const ir::Expr& expr, Type type, const Lookup& lookup) const;
  // Returns those of what a function returns that is one piece of arithmetic, by the forms of its arguments.
  std::vector<std::optional<LaneForm>> results(const ir::Function& callee,
                                               const std::vector<std::optional<LaneForm>>& args) const;
  // Returns the form of start + k * step for any k.
  std::optional<LaneForm> progression(const LaneForm& start, const LaneForm& step) const;

private:
  std::optional<LaneForm> thread_value(Builtin builtin) const;
  std::optional<LaneForm> thread_index(std::size_t axis) const;

  const ir::Module& module_;
  std::optional<std::array<std::int64_t, 3>> block_; // that is fixed
  bool is_known_ = true;                             // how threads lie over warps
};

} // namespace kern
