// Shapes with what must be known to compute with them. Private to analysis/threads/.
#pragma once

#include "compiler/analysis/ranges.h"
#include "compiler/analysis/threads/shape.h"

namespace kern {

// The facts about a scalar in the lanes that are active.
struct LaneValue {
  bool known = false; // something was assigned
  Shape shape;
  Interval range{};  // integers: every lane's value is in it
  bool exact = true; // Linear: lane k has base + k * step also as a number: nothing wrapped within the vector
  bool aligned = false; // Linear with step 1, exact: the base is a multiple of the lanes, and not negative
  // The builtin whose value it is, where a product of two has a known range.
  enum class Source : std::uint8_t { Other, BlockIndex, BlockDim, GridDim } source = Source::Other;
  std::uint8_t axis = 0; // of that builtin
  bool operator==(const LaneValue&) const = default;
};

// The value that any of its lanes may have.
LaneValue varying_value(Type type);
// One value of which nothing is known.
LaneValue uniform_value(Type type);
LaneValue uniform_value(Interval range);
LaneValue constant_value(const ir::Operand& constant);

// Returns what is known of a value that is one or the other.
LaneValue join(const LaneValue& left, const LaneValue& right, Type type);

// Computes expressions over values, for one launch.
class LaneArithmetic {
public:
  LaneArithmetic(const LaneFacts& facts, const ir::Function& function);

  LaneValue unary(ir::UnaryOp op, const LaneValue& value, Type type) const;
  LaneValue binary(ir::BinaryOp op, const LaneValue& left, const LaneValue& right, Type type) const;
  LaneValue convert(const LaneValue& value, Type from, Type to) const;
  // The value of a builtin that says where a thread is; nothing for others.
  std::optional<LaneValue> place(Builtin builtin) const;

private:
  LaneValue multiply(const LaneValue& left, const LaneValue& right, Type type) const;
  LaneValue divide(ir::BinaryOp op, const LaneValue& left, const LaneValue& right, Type type) const;
  LaneValue thread_index(std::size_t axis) const;
  LaneValue lane_id() const;
  LaneValue lanes_from(Interval range) const;

  LaneFacts facts_;
  bool rows_of_lanes_; // blockDim.x is a multiple of the lanes, by a fact or by block=
  bool one_row_;       // the block is one row, by block=
  std::optional<std::array<std::int64_t, 3>> block_; // block=
};

} // namespace kern
