// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions over the arguments of a launch, for the host: contracts, facts of variants, sizes of dynamic
// shared arrays. The compiler makes them, the manifest carries them, one function evaluates them at each
// launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kern {

enum class ExpressionOp : std::uint8_t {
  Constant,     // value
  ConstantReal, // real
  Scalar,       // the scalar in slot `value` of the parameter block, as its type says
  Extent,       // of the array whose base is slot `value`, axis `axis`
  Stride,       // likewise, in elements
  Address,      // of the array's first element, modulo 16
  BlockDim,     // axis
  GridDim,      // axis
  SharedBytes,  // of the dynamic shared memory of a block
  Add,
  Subtract,
  Multiply,
  FloorDivide,
  Modulo,
  Minimum,
  Maximum,
  Negate,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Wrap, // to the integer type `type`: its low bits
  BitAnd,
  BitOr,
  BitXor,
  Select, // the second operand if the first is true, else the third; the other one is not evaluated
};

// Returns how many operands an operation has.
constexpr std::size_t operand_count(ExpressionOp op) {
  if (op < ExpressionOp::Add) return 0;
  if (op == ExpressionOp::Select) return 3;
  return op == ExpressionOp::Negate || op == ExpressionOp::Not || op == ExpressionOp::Wrap ? 1 : 2;
}

enum class ExpressionType : std::uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64 };

// A tree by value. Integers are evaluated in 64 bits, wrapping, and a Wrap follows where a kernel has fewer;
// a comparison of a real operand is one of reals.
struct Expression {
  ExpressionOp op = ExpressionOp::Constant;
  // The type of a Scalar in its slot, or of a Wrap; U64 where a comparison, minimum, maximum, quotient or
  // remainder takes its operands as 64 bits without a sign.
  ExpressionType type = ExpressionType::I64;
  std::int32_t axis = 0;
  std::int32_t rank = 0; // of an Extent or Stride, the number of axes of its array
  std::int64_t value = 0;
  double real = 0;
  std::vector<Expression> operands;
  bool operator==(const Expression&) const = default;
};

// The launch that an expression is evaluated for.
struct ExpressionInput {
  std::span<const std::uint64_t> params; // the parameter block
  std::array<std::uint32_t, 3> block_dim{1, 1, 1};
  std::array<std::uint32_t, 3> grid_dim{1, 1, 1};
  std::uint64_t shared_bytes = 0; // of dynamic shared memory
};

// A 64-bit integer (bools are 0 and 1) or a real.
struct ExpressionValue {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
};

// Says whether an operation has one meaning for signed and another for unsigned integers.
constexpr bool has_sign(ExpressionOp op) {
  return (op >= ExpressionOp::FloorDivide && op <= ExpressionOp::Maximum) ||
         (op >= ExpressionOp::Equal && op <= ExpressionOp::GreaterEqual);
}

// Evaluates; nothing where an integer is divided by zero or the parameter block is too short. Extents and
// strides of the array of n axes at slot s stand at s + 1 + axis and s + 1 + n + axis.
std::optional<ExpressionValue> evaluate(const Expression& expression, const ExpressionInput& input);

// Prints an expression as source text; `names` gives the words for slots ("n", "y").
std::string to_string(const Expression& expression, std::span<const std::string> names);

} // namespace kern
