// Runs one thread of small integer IR: the oracle for passes that must not change what a program does.
#pragma once

#include <cstdlib>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/overloaded.h"
#include "runtime/common/integers.h"

namespace kern::test {

// Wraps a number to the width of an integer type.
inline std::int64_t wrap(Type type, std::int64_t value) {
  return is_integer(type) ? ir::int_value(ir::constant_int(type, value)) : value;
}

inline std::int64_t floor_divide(std::int64_t left, std::int64_t right) {
  if (right == 0) return 0;
  if (right == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(left));
  return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
}

// Computes an integer operation; the caller wraps.
inline std::int64_t compute(ir::BinaryOp op, std::int64_t left, std::int64_t right, int bits) {
  const auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
  switch (op) {
  case ir::BinaryOp::Add: return static_cast<std::int64_t>(a + b);
  case ir::BinaryOp::Subtract: return static_cast<std::int64_t>(a - b);
  case ir::BinaryOp::Multiply: return static_cast<std::int64_t>(a * b);
  case ir::BinaryOp::Divide: break;
  case ir::BinaryOp::FloorDivide: return floor_divide(left, right);
  case ir::BinaryOp::Modulo:
    return right == 0
               ? 0
               : static_cast<std::int64_t>(a - static_cast<std::uint64_t>(floor_divide(left, right)) * b);
  case ir::BinaryOp::ShiftLeft: return static_cast<std::int64_t>(a << (right & (bits - 1)));
  case ir::BinaryOp::ShiftRight: return left >> (right & (bits - 1));
  case ir::BinaryOp::BitAnd: return left & right;
  case ir::BinaryOp::BitOr: return left | right;
  case ir::BinaryOp::BitXor: return left ^ right;
  }
  std::abort();
}

inline bool compare(ir::CompareOp op, std::int64_t left, std::int64_t right) {
  switch (op) {
  case ir::CompareOp::Equal: return left == right;
  case ir::CompareOp::NotEqual: return left != right;
  case ir::CompareOp::Less: return left < right;
  case ir::CompareOp::LessEqual: return left <= right;
  case ir::CompareOp::Greater: return left > right;
  case ir::CompareOp::GreaterEqual: return left >= right;
  }
  std::abort();
}

// Computes an expression of integers; `value` gives those of operands, `thread` is threadIdx.x.
template <class Value>
std::int64_t compute(const ir::Expr& expr, Type type, std::int64_t thread, const Value& value) {
  if (auto* e = std::get_if<ir::Copy>(&expr)) return value(e->value);
  if (auto* e = std::get_if<ir::Convert>(&expr)) return wrap(type, value(e->value));
  if (auto* e = std::get_if<ir::Compare>(&expr)) return compare(e->op, value(e->left), value(e->right));
  if (auto* e = std::get_if<ir::Select>(&expr))
    return value(e->condition) ? value(e->then_value) : value(e->else_value);
  if (auto* e = std::get_if<ir::Binary>(&expr))
    return wrap(type, compute(e->op, value(e->left), value(e->right), bit_width(type->scalar)));
  if (auto* e = std::get_if<ir::Unary>(&expr))
    return wrap(type,
                compute(ir::BinaryOp::Subtract, e->op == ir::UnaryOp::BitNot ? -1 : 0, value(e->value), 64));
  if (auto* e = std::get_if<ir::CallPure>(&expr))
    if (e->builtin == Builtin::ThreadIndexX) return thread;
  std::abort();
}

class Interpreter {
public:
  explicit Interpreter(const ir::Module& module) : module_(module) {}

  // Runs a function and returns its results; `trace` collects what it prints.
  std::vector<std::int64_t> run(ir::FunctionId id, const std::vector<std::int64_t>& args) {
    const ir::Function& function = module_.function(id);
    Frame frame{function, std::vector<std::int64_t>(function.slots.size()), {}};
    std::copy(args.begin(), args.end(), frame.slots.begin());
    run(function.body, frame);
    return frame.results;
  }

  std::vector<std::int64_t> trace;
  std::int64_t thread = 0; // threadIdx.x
  int steps_left = 20'000; // what a program that does not end is cut off at

private:
  enum class Flow { Next, Break, Continue, Return };
  struct Frame {
    const ir::Function& function;
    std::vector<std::int64_t> slots, results;
    std::int64_t& slot(ir::SlotId id) { return slots[static_cast<std::size_t>(id)]; }
    std::int64_t value(const ir::Operand& operand) {
      return operand.slot ? slot(*operand.slot) : static_cast<std::int64_t>(operand.bits);
    }
  };

  Flow run(const ir::Body& body, Frame& frame) {
    for (const ir::Stmt& stmt : body) {
      if (--steps_left <= 0) return Flow::Return;
      if (Flow flow = run(stmt, frame); flow != Flow::Next) return flow;
    }
    return Flow::Next;
  }

  Flow run(const ir::Stmt& stmt, Frame& frame) {
    return match(
        stmt.node,
        [&](const ir::Assign& node) {
          const Type type = frame.function.slots[static_cast<std::size_t>(node.slot)].type;
          auto value = [&](const ir::Operand& operand) { return frame.value(operand); };
          frame.slot(node.slot) = compute(node.value, type, thread, value);
          return Flow::Next;
        },
        [&](const ir::Print& node) {
          for (const ir::Operand& arg : node.args) trace.push_back(frame.value(arg));
          return Flow::Next;
        },
        [&](const ir::Call& node) {
          std::vector<std::int64_t> args;
          for (const ir::Operand& arg : node.args) args.push_back(frame.value(arg));
          std::vector<std::int64_t> results = run(node.function, args);
          results.resize(node.results.size()); // of a function that was cut off
          for (std::size_t i = 0; i < results.size(); ++i) frame.slot(node.results[i]) = results[i];
          return steps_left > 0 ? Flow::Next : Flow::Return;
        },
        [&](const ir::If& node) {
          return run(frame.value(node.condition) ? node.then_body : node.else_body, frame);
        },
        [&](const ir::While& node) {
          while (run(node.head, frame) == Flow::Next && frame.value(node.condition) && --steps_left > 0)
            if (Flow flow = run(node.body, frame); flow == Flow::Return || flow == Flow::Break)
              return flow == Flow::Return ? flow : Flow::Next;
          return steps_left > 0 ? Flow::Next : Flow::Return;
        },
        [&](const ir::For& node) {
          const std::int64_t start = frame.value(node.start), step = frame.value(node.step);
          const std::int64_t count = frame.value(node.count);
          for (std::int64_t k = 0; k < count; ++k) {
            const Type type = frame.function.slots[static_cast<std::size_t>(node.variable)].type;
            frame.slot(node.variable) = wrap(type, start + k * step);
            if (Flow flow = run(node.body, frame); flow == Flow::Return || flow == Flow::Break)
              return flow == Flow::Return ? flow : Flow::Next;
          }
          return Flow::Next;
        },
        [](const ir::Break&) { return Flow::Break; }, [](const ir::Continue&) { return Flow::Continue; },
        [&](const ir::Return& node) {
          for (const ir::Operand& value : node.values) frame.results.push_back(frame.value(value));
          return Flow::Return;
        },
        [&](const ir::Segment& node) { return run(node.body, frame); },
        [](const ir::CallEffect&) { return Flow::Next; }, // a barrier, for one thread
        [](const auto&) -> Flow { std::abort(); });
  }

  const ir::Module& module_;
};

} // namespace kern::test
