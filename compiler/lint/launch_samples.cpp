// Large numbers are no multiples of each other or of powers of two, so that what is computed with them stays apart.
#include "compiler/lint/launch_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/param_block.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"

namespace kern {

// The first of the large numbers, and how far it is from one to the next.
static constexpr std::int64_t first_large = least_launch_number + 3, large_step = 12;
// Numbers that threads wrap around, stop at, mask or shift by are these: less than there are threads along an
// axis.
static constexpr std::int64_t small_extent = 12, small_mask = 7, small_shift = 3;

LaunchSamples::LaunchSamples(const ir::Module& module, const ir::Function& kernel)
    : kernel_(kernel), grid_(grid_of(module, kernel)) {
  find_unknowns();
  for (const ir::Contract& contract : kernel.contracts) join_equals(contract.condition);
}

// Returns several blocks along the axes by which the kernel tells them apart. One that does not is written for one block.
std::array<std::int64_t, 3> LaunchSamples::grid_of(const ir::Module& module, const ir::Function& kernel) {
  std::array<bool, 3> uses{};
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
    if (!call || stmt.span.file != kernel.span.file) return;
    uses[0] = uses[0] || call->builtin == Builtin::BlockIndexX;
    uses[1] = uses[1] || call->builtin == Builtin::BlockIndexY;
    uses[2] = uses[2] || call->builtin == Builtin::BlockIndexZ;
  });
  const std::int64_t blocks = std::ranges::count(uses, true) > 1 ? 2 : 3;
  return {uses[0] ? blocks : 1, uses[1] ? blocks : 1, uses[2] ? blocks : 1};
}

void LaunchSamples::find_unknowns() {
  for (std::uint32_t slot = 0; slot < kernel_.param_count; ++slot) {
    const ir::Slot& param = kernel_.slots[slot];
    const auto add = [&](int axis, Type type, std::string name) {
      unknowns_.push_back({slot, axis, type, std::move(name), unknowns_.size()});
    };
    if (is_integer(param.type)) add(-1, param.type, param.name);
    if (!is_array(param.type)) continue;
    for (int axis = 0; axis < param.type->rank; ++axis)
      add(axis, types::i64,
          param.type->rank == 1 ? param.name + ".size" : fmt::format("{}.shape[{}]", param.name, axis));
  }
}

std::optional<std::size_t> LaunchSamples::unknown_of(const Expression& expression) const {
  if (expression.op == ExpressionOp::Wrap) return unknown_of(expression.operands[0]);
  const bool is_extent = expression.op == ExpressionOp::Extent;
  if (!is_extent && expression.op != ExpressionOp::Scalar) return std::nullopt;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Unknown& unknown = unknowns_[i];
    const bool is_slot = ir::block_slot(kernel_, ir::SlotId{unknown.slot}) == expression.value;
    if (is_slot && unknown.axis == (is_extent ? expression.axis : -1)) return i;
  }
  return std::nullopt;
}

void LaunchSamples::join_equals(const Expression& condition) {
  if (condition.op == ExpressionOp::And)
    for (const Expression& part : condition.operands) join_equals(part);
  if (condition.op != ExpressionOp::Equal) return;
  const auto left = unknown_of(condition.operands[0]), right = unknown_of(condition.operands[1]);
  if (!left || !right) return;
  const std::size_t from = unknowns_[*right].same, to = unknowns_[*left].same;
  for (Unknown& unknown : unknowns_)
    if (unknown.same == from) unknown.same = to;
}

void LaunchSamples::give(BlockLaunch& launch, std::size_t same, std::int64_t number) const {
  for (const Unknown& unknown : unknowns_)
    if (unknown.same == same) launch.numbers[{unknown.slot, unknown.axis}] = number;
}

std::optional<std::int64_t> LaunchSamples::number_of(const BlockLaunch& launch, std::size_t unknown) const {
  const auto found = launch.numbers.find({unknowns_[unknown].slot, unknowns_[unknown].axis});
  return found == launch.numbers.end() ? std::nullopt : std::optional(found->second);
}

static bool is_of_launch(const Expression& expression) {
  return expression.op == ExpressionOp::BlockDim || expression.op == ExpressionOp::GridDim ||
         std::ranges::any_of(expression.operands, is_of_launch);
}

// Says whether a condition holds for a launch, in which a number that is not known counts as 0.
bool LaunchSamples::holds(const Expression& condition, const BlockLaunch& launch) const {
  std::size_t words = 0;
  for (std::uint32_t slot = 0; slot < kernel_.param_count; ++slot)
    words += ir::block_slots(kernel_.slots[slot].type);
  std::vector<std::uint64_t> params(words);
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const std::size_t at = ir::block_slot(kernel_, ir::SlotId{unknowns_[i].slot}) +
                           static_cast<std::size_t>(unknowns_[i].axis + 1);
    params[at] = static_cast<std::uint64_t>(number_of(launch, i).value_or(0));
  }
  ExpressionInput input{params};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    input.block_dim[axis] = static_cast<std::uint32_t>(block_[axis]);
    input.grid_dim[axis] = static_cast<std::uint32_t>(launch.grid[axis]);
  }
  const std::optional<ExpressionValue> value = evaluate(condition, input);
  return !value || (value->is_real ? value->real != 0 : value->integer != 0);
}

std::optional<LaunchSamples::Sample> LaunchSamples::large(const std::array<std::int64_t, 3>& block) {
  block_ = block;
  Sample sample{{grid_, {}}, ""};
  std::int64_t number = first_large;
  for (std::size_t i = 0; i < unknowns_.size(); ++i, number += large_step) {
    const bool is_narrow = bit_width(unknowns_[i].type->scalar) < 16;
    if (unknowns_[i].same == i)
      give(sample.launch, i, is_narrow ? 64 + static_cast<std::int64_t>(i) % 64 : number);
  }
  const auto allows = [&](const BlockLaunch& launch) {
    return std::ranges::all_of(kernel_.contracts, [&](const ir::Contract& contract) {
      return !is_of_launch(contract.condition) || holds(contract.condition, launch);
    });
  };
  if (!allows(sample.launch)) sample.launch.grid = {1, 1, 1};
  if (!allows(sample.launch)) return std::nullopt;
  held_.clear();
  for (const ir::Contract& contract : kernel_.contracts)
    held_.push_back(holds(contract.condition, sample.launch));
  return sample;
}

std::optional<LaunchSamples::Sample> LaunchSamples::smaller(const Sample& large, const LaunchUse& use) const {
  Sample sample = large;
  const auto set = [&](std::size_t unknown, std::int64_t number) {
    give(sample.launch, unknowns_[unknown].same, number);
    sample.where +=
        fmt::format("{}`{}` is {}", sample.where.empty() ? "" : " and ", unknowns_[unknown].name, number);
  };
  const bool is_mask = use.kind == LaunchUse::Kind::Mask;
  const std::int64_t wanted = use.kind == LaunchUse::Kind::Equal   ? use.constant
                              : use.kind == LaunchUse::Kind::Shift ? small_shift
                              : is_mask                            ? small_mask
                                                                   : small_extent;
  for (std::size_t i = 0; i < unknowns_.size() && sample.where.empty(); ++i) {
    const std::int64_t number = number_of(large.launch, i).value_or(0);
    if (number == use.number)
      set(i, wanted);
    else if (number - 1 == use.number)
      set(i, wanted + 1);
    for (std::size_t other = i + 1; other < unknowns_.size() && sample.where.empty(); ++other) {
      if (number * number_of(large.launch, other).value_or(0) != use.number || is_mask) continue;
      set(i, small_extent / 4);
      set(other, small_extent / 3);
    }
  }
  if (sample.where.empty()) return std::nullopt;
  for (std::size_t i = 0; i < held_.size(); ++i)
    if (held_[i] && !holds(kernel_.contracts[i].condition, sample.launch)) return std::nullopt;
  return sample;
}

} // namespace kern
