// How a value looks across the lanes of a vector: what lower/ picks registers and instructions by.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct Shape {
  enum class Kind : std::uint8_t {
    Uniform, // one scalar
    Linear,  // base + lane * step; integers only, exact in the slot's type (no wrap within a vector: see shape.cpp)
    Varying, // a vector
  };
  Kind kind = Kind::Uniform;
  std::int64_t step = 0; // Linear
  bool operator==(const Shape&) const = default;
};

// The shapes of an array value's parts.
struct ArrayShape {
  Shape base;   // Uniform or Varying: the pointer that offsets count from
  Shape offset; // elements from the base
  std::vector<Shape> extents, strides;
};

// How lanes lie over a block, and what the launch promises.
struct LaneFacts {
  int lanes = 1;
  bool linear_thread_id = false;  // lanes follow the linear thread id (warps), not threadIdx.x within a row
  bool block_x_multiple = false;  // blockDim.x % lanes == 0
  bool contiguous = false;        // the last axis of every array parameter has stride 1
};

struct Shapes {
  std::vector<Shape> slots;       // scalars; of an array slot unused
  std::vector<ArrayShape> arrays; // of array slots, by slot
};

// Returns the shape of every slot of a function, one for all its assignments: assigned under a varying condition, or a value
// that leaves a loop with a divergent break, it is Varying. With one lane everything is Uniform.
Shapes analyze_shapes(const ir::Module& module, ir::FunctionId function, const LaneFacts& facts);

} // namespace kern
