// How a value looks across the lanes of a vector: what lower/ picks registers and instructions by.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/ranges.h"
#include "compiler/ir/ir.h"

namespace kern {

struct Shape {
  enum class Kind : std::uint8_t {
    Uniform, // one scalar
    Linear,  // an integer: lane k has base + k * step, computed in the slot's type and wrapping there
    Varying, // a vector
  };
  Kind kind = Kind::Uniform;
  std::int64_t step = 0; // Linear: not 0, and at most limits::linear_step either way
  bool operator==(const Shape&) const = default;
};

inline constexpr Shape uniform_shape{}, varying_shape{Shape::Kind::Varying};
inline constexpr Shape linear_shape(std::int64_t step) { return {Shape::Kind::Linear, step}; }

// The shapes of an array value's parts.
struct ArrayShape {
  Shape base;   // Uniform or Varying: the pointer that offsets count from
  Shape offset; // elements from the base
  std::vector<Shape> extents, strides;
  std::vector<std::optional<std::int64_t>> known_strides; // in elements, where the function's text tells them
  bool operator==(const ArrayShape&) const = default;
};

// How lanes lie over a block, and what the launch promises.
struct LaneFacts {
  int lanes = 1;
  bool linear_thread_id = false; // lanes follow the linear thread id (warps), not threadIdx.x within a row
  bool block_x_multiple = false; // blockDim.x % lanes == 0
  bool contiguous = false;       // the last axis of every array parameter has stride 1
  bool small_grid = false;       // gridDim * blockDim is at most 2^30 along each axis
  bool small_arrays = false;     // every element lies within 2^30 bytes of its array's base
};

// How lanes take a statement of control flow together.
struct ControlShape {
  // If: the condition differs. While, For: lanes may run out at different iterations. Break, Continue: only some
  // of the lanes that are in the loop's iteration come to it.
  bool varying = false;
  bool varying_break = false;    // While, For: one of its breaks is varying
  bool varying_continue = false; // likewise
};

struct Shapes {
  std::vector<Shape> slots;     // scalars; of an array slot unused
  std::vector<Interval> ranges; // of integer slots: every lane's value is in it
  std::vector<bool> exact; // of Linear slots: lane k has base + k * step also as a number, nothing wrapped
  std::vector<ArrayShape> arrays;                             // of array slots, by slot
  std::unordered_map<const ir::Stmt*, ControlShape> controls; // of If, While, For, Break, Continue

  // Returns the shape of a scalar operand.
  Shape of(const ir::Operand& operand) const {
    return operand.slot ? slots[static_cast<std::size_t>(*operand.slot)] : uniform_shape;
  }
  // Returns in what range a scalar integer operand is.
  Interval range_of(const ir::Operand& operand) const {
    if (operand.slot) return ranges[static_cast<std::size_t>(*operand.slot)];
    return {ir::int_value(operand), ir::int_value(operand)};
  }
  // Says whether a Linear operand steps from lane to lane without wrapping.
  bool is_exact(const ir::Operand& operand) const {
    return operand.slot && exact[static_cast<std::size_t>(*operand.slot)];
  }
  // Returns how lanes take a statement of control flow.
  const ControlShape& control(const ir::Stmt& stmt) const { return controls.at(&stmt); }
  // Returns the shape of an element's distance from the base of its array, in elements. Wherever the base is
  // Uniform this says what kind of access it is: Uniform one element, Linear with step 1 neighbours. Local
  // arrays have one copy a lane: a Uniform element is another one in each.
  Shape element(const ir::Operand& array, const std::vector<ir::Operand>& indices) const;
};

// Returns the shape of every slot of a function, one for all its assignments, and of its control flow. A
// kernel that was cut into segments runs what is outside them in lockstep, so it is uniform whatever the
// conditions are. The parameters of a device function have the join of what the calls of the whole module
// pass; what a call returns is Varying. With one lane everything is Uniform.
Shapes analyze_shapes(const ir::Module& module, ir::FunctionId function, const LaneFacts& facts);

} // namespace kern
