// Runs one thread of integer IR with guards, exactly as the IR defines it: the oracle that a proved guard
// never fails, and that a select goes the way that was shown.
#pragma once

#include <array>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/overloaded.h"
#include "compiler/transform/widths/narrow.h"
#include "runtime/common/integers.h"

namespace kern::test {

class GuardInterpreter {
public:
  __extension__ using Wide = __int128;

  // The values of the parameters (an integer, or the extents of an array) and of the thread's place.
  struct Launch {
    std::vector<std::vector<std::int64_t>> params;
    std::int64_t thread = 0, block_dim = 1, block = 0, grid_dim = 1;
  };

  GuardInterpreter(const ir::Function& function, const Launch& launch)
      : function_(function), launch_(launch) {
    slots_.resize(function.slots.size(), {0});
    std::copy(launch.params.begin(), launch.params.end(), slots_.begin());
  }

  // The way that selects always go.
  using Ways = std::unordered_map<const ir::Select*, bool>;

  // Runs, and returns the site of a guard that failed though it was proved.
  std::optional<ir::SiteId> run(const std::vector<bool>& proved, const Ways& ways) {
    proved_ = &proved;
    ways_ = &ways;
    run(function_.body);
    return broken_;
  }
  std::size_t guards_passed = 0, fits_passed = 0;
  bool went_another_way = false; // a select of `ways`
  // What is to be computed in 32 bits, and whether an operand of it was larger, or a divisor was 0.
  const Narrow* narrow = nullptr;
  bool was_wide = false;
  std::size_t narrow_runs = 0;
  int steps_left = 2000;

private:
  enum class Flow { Next, Break, Continue, Return };

  // Returns the integer that bits stand for in a type.
  static Wide number(Type type, std::int64_t bits) {
    return type == types::u64 ? Wide{static_cast<std::uint64_t>(bits)} : Wide{bits};
  }
  static std::int64_t wrap(Type type, Wide value) {
    if (is_boolean(type)) return value != 0;
    int unused = 64 - bit_width(type->scalar);
    auto bits = static_cast<std::uint64_t>(value) << unused;
    return is_signed(type) ? static_cast<std::int64_t>(bits) >> unused
                           : static_cast<std::int64_t>(bits >> unused);
  }
  Wide value(const ir::Operand& operand) {
    if (!operand.slot) return number(operand.type, static_cast<std::int64_t>(operand.bits));
    return number(operand.type, slot(*operand.slot)[0]);
  }
  std::vector<std::int64_t>& slot(ir::SlotId id) { return slots_[static_cast<std::size_t>(id)]; }
  static Wide floor_divide(Wide left, Wide right) {
    if (right == 0) return 0;
    Wide quotient = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
  }

  static Wide binary(const ir::Binary& node, Type type, Wide left, Wide right) {
    auto count = static_cast<int>(static_cast<std::uint64_t>(right) &
                                  static_cast<unsigned>(bit_width(type->scalar) - 1));
    switch (node.op) {
    case ir::BinaryOp::Add: return left + right;
    case ir::BinaryOp::Subtract: return left - right;
    case ir::BinaryOp::Multiply:
      // The low bits are those of the unsigned product.
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right));
    case ir::BinaryOp::Divide: return 0;
    case ir::BinaryOp::FloorDivide: return floor_divide(left, right);
    case ir::BinaryOp::Modulo: return right == 0 ? 0 : left - floor_divide(left, right) * right;
    case ir::BinaryOp::ShiftLeft: return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) << count);
    case ir::BinaryOp::ShiftRight: return left >> count;
    case ir::BinaryOp::BitAnd: return left & right;
    case ir::BinaryOp::BitOr: return left | right;
    case ir::BinaryOp::BitXor: return left ^ right;
    }
    return 0;
  }
  static bool compare(ir::CompareOp op, Wide left, Wide right) {
    switch (op) {
    case ir::CompareOp::Equal: return left == right;
    case ir::CompareOp::NotEqual: return left != right;
    case ir::CompareOp::Less: return left < right;
    case ir::CompareOp::LessEqual: return left <= right;
    case ir::CompareOp::Greater: return left > right;
    case ir::CompareOp::GreaterEqual: return left >= right;
    }
    return false;
  }
  Wide call(const ir::CallPure& node) {
    if (node.builtin == Builtin::ThreadIndexX) return launch_.thread;
    if (node.builtin == Builtin::BlockDimX) return launch_.block_dim;
    if (node.builtin == Builtin::BlockIndexX) return launch_.block;
    if (node.builtin == Builtin::GridDimX) return launch_.grid_dim;
    Wide first = value(node.args[0]);
    if (node.builtin == Builtin::Abs) return first < 0 ? -first : first;
    Wide second = value(node.args[1]);
    if (node.builtin == Builtin::Min) return std::min(first, second);
    if (node.builtin == Builtin::Max) return std::max(first, second);
    std::abort();
  }

  void check_narrow(const ir::Assign& node) {
    const auto quotient = narrow->quotients.find(&node);
    const bool is_quotient = quotient != narrow->quotients.end();
    if (const auto* compare = std::get_if<ir::Compare>(&node.value))
      for (const ir::Operand* operand : {&compare->left, &compare->right})
        if (narrow->compares.contains(&node) || narrow->small_operands.contains(operand))
          check_small(value(*operand));
    if (!is_quotient && !narrow->products.contains(&node)) return;
    ++narrow_runs;
    const auto& binary = std::get<ir::Binary>(node.value);
    const Type type = is_quotient ? quotient->second : types::i32;
    for (const ir::Operand* operand : {&binary.left, &binary.right})
      was_wide |= wrap(type, value(*operand)) != value(*operand);
    was_wide |= is_quotient && value(binary.right) < 1;
  }
  void check_small(Wide value) {
    ++narrow_runs;
    was_wide |= wrap(types::i32, value) != value;
  }
  // Notes whether a slot holds what an i32 does not, where it is to be one.
  void check_slot(ir::SlotId id) {
    if (narrow && narrow->slots[static_cast<std::size_t>(id)]) check_small(slot(id)[0]);
  }
  void assign(const ir::Assign& node) {
    if (narrow) check_narrow(node);
    compute(node);
    check_slot(node.slot);
  }
  void compute(const ir::Assign& node) {
    Type type = function_.slots[static_cast<std::size_t>(node.slot)].type;
    auto put = [&](Wide value) { slot(node.slot) = {wrap(type, value)}; };
    match(
        node.value,
        [&](const ir::Copy& expr) {
          expr.value.slot ? slot(node.slot) = slot(*expr.value.slot)
                          : (put(value(expr.value)), slot(node.slot));
        },
        [&](const ir::Unary& expr) {
          Wide operand = value(expr.value);
          put(expr.op == ir::UnaryOp::Negate   ? -operand
              : expr.op == ir::UnaryOp::BitNot ? -1 - operand
                                               : Wide{operand == 0});
        },
        [&](const ir::Binary& expr) { put(binary(expr, type, value(expr.left), value(expr.right))); },
        [&](const ir::Compare& expr) { put(compare(expr.op, value(expr.left), value(expr.right))); },
        [&](const ir::Convert& expr) { put(value(expr.value)); },
        [&](const ir::Select& expr) {
          auto way = ways_->find(&expr);
          went_another_way |= way != ways_->end() && way->second != (value(expr.condition) != 0);
          put(value(value(expr.condition) != 0 ? expr.then_value : expr.else_value));
        },
        [&](const ir::CallPure& expr) { put(call(expr)); },
        [&](const ir::Extent& expr) { put(slot(*expr.array.slot)[static_cast<std::size_t>(expr.axis)]); },
        [&](const ir::LocalArray& expr) { slot(node.slot) = expr.extents; },
        [](const auto&) { std::abort(); });
  }

  Flow run(const ir::Body& body) {
    for (const ir::Stmt& stmt : body) {
      if (--steps_left <= 0) return Flow::Return;
      if (Flow flow = run(stmt); flow != Flow::Next) return flow;
    }
    return Flow::Next;
  }
  Flow guard(const ir::Guard& node) {
    Wide index = value(node.index), extent = slot(*node.array.slot)[static_cast<std::size_t>(node.axis)];
    if (0 <= index && index < extent) return ++guards_passed, Flow::Next;
    if ((*proved_)[static_cast<std::size_t>(node.site)]) broken_ = node.site;
    return Flow::Return;
  }
  Flow fit(const ir::Fit& node) {
    const Wide held = value(node.value);
    if (number(node.type, wrap(node.type, held)) == held) return ++fits_passed, Flow::Next;
    if ((*proved_)[static_cast<std::size_t>(node.site)]) broken_ = node.site;
    return Flow::Return;
  }
  Flow run(const ir::Stmt& stmt) {
    auto leaves = [](Flow flow) { return flow == Flow::Break || flow == Flow::Return; };
    auto behind = [](Flow flow) { return flow == Flow::Return ? flow : Flow::Next; };
    return match(
        stmt.node, [&](const ir::Assign& node) { return assign(node), Flow::Next; },
        [&](const ir::Guard& node) { return guard(node); }, [&](const ir::Fit& node) { return fit(node); },
        [&](const ir::Check& node) { return value(node.condition) != 0 ? Flow::Next : Flow::Return; },
        [&](const ir::If& node) { return run(value(node.condition) != 0 ? node.then_body : node.else_body); },
        [&](const ir::While& node) {
          while (true) {
            if (--steps_left <= 0 || leaves(run(node.head))) return Flow::Return;
            if (value(node.condition) == 0) return Flow::Next;
            if (Flow flow = run(node.body); leaves(flow)) return behind(flow);
          }
        },
        [&](const ir::For& node) {
          Type type = function_.slots[static_cast<std::size_t>(node.variable)].type;
          Wide start = value(node.start), step = value(node.step), count = value(node.count);
          for (Wide k = 0; k < count; ++k) {
            if (--steps_left <= 0) return Flow::Return;
            slot(node.variable) = {wrap(type, start + k * step)};
            check_slot(node.variable);
            if (Flow flow = run(node.body); leaves(flow)) return behind(flow);
          }
          return Flow::Next;
        },
        [](const ir::Break&) { return Flow::Break; }, [](const ir::Continue&) { return Flow::Continue; },
        [](const ir::Return&) { return Flow::Return; }, [](const auto&) -> Flow { std::abort(); });
  }

  const ir::Function& function_;
  const Launch& launch_;
  std::vector<std::vector<std::int64_t>> slots_; // a scalar, or the extents of an array
  const std::vector<bool>* proved_ = nullptr;
  const Ways* ways_ = nullptr;
  std::optional<ir::SiteId> broken_;
};

} // namespace kern::test
