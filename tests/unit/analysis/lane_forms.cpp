// Compares what is claimed of values across the lanes of a warp with their values in every thread of some
// blocks: random arithmetic of the numbers of threads, with a seed that an environment variable may give.
#include "compiler/analysis/threads/lane_forms.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "runtime/common/integers.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

using Block = std::array<std::int64_t, 3>;
constexpr std::int64_t warp = 32;

struct Thread {
  Block index, block, of_grid; // threadIdx, blockDim, blockIdx
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A value with the expression that computes it, and what it is in each thread.
struct Node {
  ir::Expr expr;
  std::vector<std::int64_t> values; // by thread
  std::optional<LaneForm> form;
};

class Generator {
public:
  Generator(std::mt19937& random, std::optional<Block> fixed)
      : random_(random), builder_(module_, "k", true) {
    builder_.function().options.block = fixed;
    const Block block = fixed ? *fixed : Block{warp * pick(1, 4), pick(1, 3), pick(1, 2)};
    for (std::int64_t z = 0; z < block[2]; ++z)
      for (std::int64_t y = 0; y < block[1]; ++y)
        for (std::int64_t x = 0; x < block[0]; ++x) threads_.push_back({{x, y, z}, block, {5, 0, 0}});
  }

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  void start() {
    const Builtin builtins[] = {Builtin::ThreadIndexX, Builtin::ThreadIndexY, Builtin::ThreadIndexZ,
                                Builtin::BlockDimX,    Builtin::BlockDimY,    Builtin::LaneId};
    for (Builtin builtin : builtins) add(ir::CallPure{builtin, {}});
  }

  void add(ir::Expr expr, Type type = types::i64) {
    Node node{std::move(expr), {}, {}};
    for (std::size_t i = 0; i < threads_.size(); ++i) node.values.push_back(value(node.expr, i));
    const LaneForms forms(module_, builder_.function());
    node.form = forms.evaluate(node.expr, type, [&](const ir::Operand& operand) -> std::optional<LaneForm> {
      if (!operand.slot) return LaneForms::constant(ir::int_value(operand));
      return nodes_[static_cast<std::size_t>(*operand.slot)].form;
    });
    nodes_.push_back(std::move(node));
  }

  ir::Operand operand(Type type = types::i64) {
    if (pick(0, 2) == 0) {
      const std::int64_t constants[] = {1, 2, 3, 5, 16, 31, 32, 33, 48, 64, 96, -32, 0, 100};
      return ir::constant_int(type, constants[static_cast<std::size_t>(pick(0, 13))]);
    }
    return {type, static_cast<ir::SlotId>(pick(0, static_cast<std::int64_t>(nodes_.size()) - 1))};
  }

  void grow() {
    const ir::BinaryOp ops[] = {ir::BinaryOp::Add,         ir::BinaryOp::Subtract,  ir::BinaryOp::Multiply,
                                ir::BinaryOp::FloorDivide, ir::BinaryOp::Modulo,    ir::BinaryOp::BitAnd,
                                ir::BinaryOp::ShiftLeft,   ir::BinaryOp::ShiftRight};
    const ir::BinaryOp op = ops[static_cast<std::size_t>(pick(0, 7))];
    ir::Operand left = operand(), right = operand();
    if (op == ir::BinaryOp::ShiftLeft || op == ir::BinaryOp::ShiftRight)
      right = ir::constant_int(types::i64, pick(0, 6));
    if (is_divided_by_zero(op, right) || is_large(left) || is_large(right)) return;
    add(ir::Binary{op, left, right});
  }

  void compare() {
    const ir::CompareOp ops[] = {ir::CompareOp::Equal,   ir::CompareOp::NotEqual,
                                 ir::CompareOp::Less,    ir::CompareOp::LessEqual,
                                 ir::CompareOp::Greater, ir::CompareOp::GreaterEqual};
    add(ir::Compare{ops[static_cast<std::size_t>(pick(0, 5))], operand(), operand()}, types::boolean);
    check(nodes_.back());
    nodes_.pop_back();
  }

  // In each warp, values without what their lanes add are one multiple of what is claimed.
  void check(const Node& node) {
    if (!node.form) return;
    ++claims;
    for (std::size_t first = 0; first < threads_.size(); first += warp) {
      const std::int64_t base = node.values[first] - node.form->offsets[0];
      const bool is_compare = std::holds_alternative<ir::Compare>(node.expr);
      const std::int64_t rest = node.form->align == 0 ? base : base % node.form->align;
      if (!is_compare) {
        ASSERT_EQ(rest, 0);
      }
      for (std::size_t lane = 0; lane < warp && first + lane < threads_.size(); ++lane)
        ASSERT_EQ(node.values[first + lane], base + node.form->offsets[lane]) << "lane " << lane;
    }
  }

  void check() {
    for (const Node& node : nodes_) check(node);
  }

  std::size_t claims = 0;

private:
  bool is_large(const ir::Operand& operand) const {
    if (!operand.slot) return false;
    const auto& values = nodes_[static_cast<std::size_t>(*operand.slot)].values;
    return std::any_of(values.begin(), values.end(),
                       [](std::int64_t value) { return std::abs(value) > 1 << 25; });
  }

  bool is_divided_by_zero(ir::BinaryOp op, const ir::Operand& right) const {
    if (op != ir::BinaryOp::FloorDivide && op != ir::BinaryOp::Modulo) return false;
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (value(right, i) == 0) return true;
    return false;
  }

  std::int64_t value(const ir::Operand& operand, std::size_t thread) const {
    if (!operand.slot) return ir::int_value(operand);
    return nodes_[static_cast<std::size_t>(*operand.slot)].values[thread];
  }

  std::int64_t value(const ir::Expr& expr, std::size_t i) const {
    const Thread& thread = threads_[i];
    if (const auto* call = std::get_if<ir::CallPure>(&expr)) {
      switch (call->builtin) {
      case Builtin::ThreadIndexX: return thread.index[0];
      case Builtin::ThreadIndexY: return thread.index[1];
      case Builtin::ThreadIndexZ: return thread.index[2];
      case Builtin::BlockDimX: return thread.block[0];
      case Builtin::BlockDimY: return thread.block[1];
      default: return static_cast<std::int64_t>(i) % warp;
      }
    }
    if (const auto* compare = std::get_if<ir::Compare>(&expr)) {
      const std::int64_t a = value(compare->left, i), b = value(compare->right, i);
      switch (compare->op) {
      case ir::CompareOp::Equal: return a == b;
      case ir::CompareOp::NotEqual: return a != b;
      case ir::CompareOp::Less: return a < b;
      case ir::CompareOp::LessEqual: return a <= b;
      case ir::CompareOp::Greater: return a > b;
      case ir::CompareOp::GreaterEqual: return a >= b;
      }
    }
    const auto& binary = std::get<ir::Binary>(expr);
    const std::int64_t a = value(binary.left, i), b = value(binary.right, i);
    switch (binary.op) {
    case ir::BinaryOp::Add: return a + b;
    case ir::BinaryOp::Subtract: return a - b;
    case ir::BinaryOp::Multiply: return a * b;
    case ir::BinaryOp::FloorDivide: return b < 0 ? floor_divide(-a, -b) : floor_divide(a, b);
    case ir::BinaryOp::Modulo: return a - b * (b < 0 ? floor_divide(-a, -b) : floor_divide(a, b));
    case ir::BinaryOp::BitAnd: return a & b;
    case ir::BinaryOp::ShiftLeft: return a * (std::int64_t{1} << b);
    default: return a >> b;
    }
  }

  std::mt19937& random_;
  ir::Module module_;
  FunctionBuilder builder_;
  std::vector<Thread> threads_;
  std::vector<Node> nodes_;
};

TEST(LaneForms, hold_in_every_thread) {
  const char* seed = std::getenv("KERN_TEST_SEED");
  std::mt19937 random(seed ? static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)) : 1);
  const std::optional<Block> blocks[] = {
      std::nullopt,   Block{128, 1, 1}, Block{100, 1, 1}, Block{16, 16, 1}, Block{32, 4, 2}, Block{8, 2, 4},
      Block{4, 4, 2}, Block{4, 8, 3},   Block{33, 2, 1},  Block{12, 8, 1},  Block{2, 3, 5},  Block{64, 3, 1}};
  std::size_t claims = 0;
  for (int round = 0; round < 150; ++round) {
    for (const std::optional<Block>& block : blocks) {
      Generator generator(random, block);
      generator.start();
      for (int i = 0; i < 20; ++i) generator.grow();
      generator.check();
      for (int i = 0; i < 20; ++i) generator.compare();
      claims += generator.claims;
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(claims, 20'000u) << "little is claimed";
}

} // namespace
} // namespace kern
