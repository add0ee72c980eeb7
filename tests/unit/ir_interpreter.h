// Runs one thread of small integer IR: the oracle for passes that must not change what a program does.
#pragma once

#include <cstdlib>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/overloaded.h"

namespace kern::test {

class Interpreter {
public:
  explicit Interpreter(const ir::Module& module) : module_(module) {}

  // Runs a function and returns its results; `trace` collects what it prints.
  std::vector<std::int64_t> run(ir::FunctionId id, const std::vector<std::int64_t>& args) {
    const ir::Function& function = module_.function(id);
    Frame frame{std::vector<std::int64_t>(function.slots.size()), {}};
    std::copy(args.begin(), args.end(), frame.slots.begin());
    run(function.body, frame);
    return frame.results;
  }

  std::vector<std::int64_t> trace;
  int steps_left = 20'000; // what a program that does not end is cut off at

private:
  enum class Flow { Next, Break, Continue, Return };
  struct Frame {
    std::vector<std::int64_t> slots, results;
    std::int64_t& slot(ir::SlotId id) { return slots[static_cast<std::size_t>(id)]; }
    std::int64_t value(const ir::Operand& operand) {
      return operand.slot ? slot(*operand.slot) : static_cast<std::int64_t>(operand.bits);
    }
  };

  static std::int64_t binary(ir::BinaryOp op, std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
    if (op == ir::BinaryOp::Add) return static_cast<std::int64_t>(a + b);
    if (op == ir::BinaryOp::Subtract) return static_cast<std::int64_t>(a - b);
    if (op == ir::BinaryOp::Multiply) return static_cast<std::int64_t>(a * b);
    if (op == ir::BinaryOp::BitAnd) return left & right;
    std::abort();
  }

  static std::int64_t evaluate(const ir::Expr& expr, Frame& frame) {
    if (auto* node = std::get_if<ir::Copy>(&expr)) return frame.value(node->value);
    if (auto* node = std::get_if<ir::Convert>(&expr)) return frame.value(node->value);
    if (auto* node = std::get_if<ir::Binary>(&expr))
      return binary(node->op, frame.value(node->left), frame.value(node->right));
    if (auto* node = std::get_if<ir::Compare>(&expr))
      return frame.value(node->left) < frame.value(node->right);
    std::abort();
  }

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
          return frame.slot(node.slot) = evaluate(node.value, frame), Flow::Next;
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
            frame.slot(node.variable) = start + k * step;
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
