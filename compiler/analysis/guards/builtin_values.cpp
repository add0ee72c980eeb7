// Gives the prover what is known of builtins: where a thread is in its launch, and the functions that indices
// are made of. A builtin without an entry gives an unknown value of its type.
#include <algorithm>
#include <array>

#include "compiler/analysis/guards/symbolic.h"
#include "compiler/analysis/threads/special_register.h"
#include "compiler/support/limits.h"

namespace kern {

void Symbolic::start_threads() {
  Reason launch{Reason::Kind::Launch, {}}, block{Reason::Kind::Block, function_.span};
  lane_ = affine(facts.fresh({0, limits::warp_size - 1}, {}, launch));
  shared_bytes_ = affine(facts.fresh({0, limits::launch_shared_bytes}, {}, launch));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (function_.is_kernel && function_.options.block) {
      std::int64_t size = (*function_.options.block)[axis];
      block_dim_[axis] = affine(size);
      thread_[axis] = affine(facts.fresh({0, size - 1}, {}, block));
    } else {
      block_dim_[axis] = affine(facts.fresh({1, limits::launch_block[axis]}, {}, launch));
      thread_[axis] = affine(facts.fresh({0, limits::launch_block[axis] - 1}, {}, launch));
    }
    grid_dim_[axis] = affine(facts.fresh({1, limits::launch_grid[axis]}, {}, launch));
    block_[axis] = affine(facts.fresh({0, limits::launch_grid[axis] - 1}, {}, launch));
    // threadIdx < blockDim, blockIdx < gridDim
    facts.assume(*offset(*subtract(block_dim_[axis], thread_[axis]), -1), launch);
    facts.assume(*offset(*subtract(grid_dim_[axis], block_[axis]), -1), launch);
  }
  if (!function_.is_kernel || !function_.options.block) limit_threads(launch);
}

void Symbolic::limit_threads(const Reason& launch) {
  const auto& [x, y, z] = block_dim_;
  auto limited = [&](const Affine& left, const Affine& right) {
    Affine product = exact_product(left, right);
    facts.assume_within(product, {1, limits::launch_threads}, launch);
    return product;
  };
  // However a program counts the threads of a block: (z * Y + y) * X + x or z * (X * Y) + y * X + x.
  limited(limited(x, y), z);
  limited(limited(y, z), x);
}

std::optional<Affine> Symbolic::thread_value(Builtin builtin) {
  const std::optional<SpecialRegister> read = special_register(builtin);
  if (!read) return std::nullopt;
  switch (read->kind) {
  case SpecialRegister::Kind::ThreadIndex: return thread_[read->axis];
  case SpecialRegister::Kind::BlockIndex: return block_[read->axis];
  case SpecialRegister::Kind::BlockDim: return block_dim_[read->axis];
  case SpecialRegister::Kind::GridDim: return grid_dim_[read->axis];
  case SpecialRegister::Kind::LaneId: return lane_;
  }
  return std::nullopt;
}

Value Symbolic::call(const ir::CallPure& call, Type type) {
  if (!is_integer(type)) return unknown(type);
  if (auto known = thread_value(call.builtin)) return make(*known);
  if (call.builtin == Builtin::DynamicSharedBytes) return make(shared_bytes_);
  if (call.args.empty() || !is_integer(call.args.front().type)) return unknown(type);
  Wide bits = bit_width(call.args.front().type->scalar);
  Affine first = integer(call.args.front());
  switch (call.builtin) {
  case Builtin::Min:
  case Builtin::Max:
    for (std::size_t i = 1; i < call.args.size(); ++i)
      first = extremum(type, call.builtin == Builtin::Max, first, integer(call.args[i]));
    return make(first);
  case Builtin::Abs: return make(absolute(type, first));
  case Builtin::Popc:
  case Builtin::Clz:
  case Builtin::Ffs: return make(affine(facts.fresh({0, bits})));
  default: return unknown(type); // the enumerators are the rows of the table of builtins
  }
}

Affine Symbolic::extremum(Type type, bool maximum, const Affine& left, const Affine& right) {
  auto difference = maximum ? subtract(left, right) : subtract(right, left);
  if (difference && facts.prove(*difference, quick)) return left;
  auto reversed = difference ? scale(*difference, -1) : std::nullopt;
  if (reversed && facts.prove(*reversed, quick)) return right;
  Interval first = facts.bounds(left), second = facts.bounds(right);
  AtomId atom = facts.operation(maximum ? Facts::Kind::Maximum : Facts::Kind::Minimum, 0, left, right,
                                type_interval(type));
  for (const Affine* operand : {&left, &right}) {
    auto form = maximum ? subtract(affine(atom), *operand) : subtract(*operand, affine(atom));
    if (form) facts.axiom(atom, *form);
  }
  Interval range = maximum ? Interval{std::max(first.low, second.low), std::max(first.high, second.high)}
                           : Interval{std::min(first.low, second.low), std::min(first.high, second.high)};
  facts.assume_within(affine(atom), range, reason_of(left, right));
  return affine(atom);
}

Affine Symbolic::absolute(Type type, const Affine& operand) {
  if (facts.prove(operand, quick)) return operand;
  Interval range = facts.bounds(operand);
  // The smallest value of a type is its own absolute value.
  if (range.low <= type_interval(type).low) return affine(facts.fresh(type_interval(type)));
  return affine(facts.fresh({0, std::max(range.high, -range.low)}));
}

} // namespace kern
