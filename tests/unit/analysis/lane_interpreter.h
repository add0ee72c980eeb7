// Runs integer IR for the lanes of a vector the way lower/ does, from the shapes alone: a Uniform slot is one
// scalar, a Linear one its lane 0, control flow that is not varying a branch, the rest masks. What it prints
// must be what each thread prints.
#pragma once

#include "compiler/analysis/threads/shape.h"
#include "tests/unit/ir_interpreter.h"

namespace kern::test {

class LaneInterpreter {
public:
  using Mask = std::vector<bool>;

  LaneInterpreter(const ir::Function& function, const Shapes& shapes, int lanes, std::int64_t first_thread)
      : trace(static_cast<std::size_t>(lanes)), function_(function), shapes_(shapes),
        first_thread_(first_thread), slots_(function.slots.size(), std::vector<std::int64_t>(trace.size())) {}

  void run(const std::vector<std::int64_t>& args, const Mask& active) {
    for (std::size_t i = 0; i < args.size(); ++i) slots_[i].assign(trace.size(), args[i]);
    left_.assign(trace.size(), false);
    run(function_.body, active);
  }

  std::vector<std::vector<std::int64_t>> trace; // by lane
  int steps_left = 100'000;

private:
  struct Loop {
    Mask broken, continued;
  };

  static bool any(const Mask& mask) { return std::find(mask.begin(), mask.end(), true) != mask.end(); }

  std::int64_t value(const ir::Operand& operand, std::size_t lane) const {
    if (!operand.slot) return static_cast<std::int64_t>(operand.bits);
    const auto index = static_cast<std::size_t>(*operand.slot);
    const Shape shape = shapes_.slots[index];
    if (shape.kind == Shape::Kind::Varying) return slots_[index][lane];
    return wrap(operand.type, slots_[index][0] + static_cast<std::int64_t>(lane) * shape.step);
  }

  template <class Compute> void assign(ir::SlotId slot, const Mask& mask, const Compute& compute) {
    const auto index = static_cast<std::size_t>(slot);
    if (shapes_.slots[index].kind != Shape::Kind::Varying) {
      slots_[index][0] = compute(std::size_t{0}); // whether lane 0 is active or not
      return;
    }
    std::vector<std::int64_t> values = slots_[index];
    for (std::size_t lane = 0; lane < mask.size(); ++lane)
      if (mask[lane]) values[lane] = compute(lane);
    slots_[index] = values;
  }

  // Returns the lanes of `mask` that are still where they were.
  Mask here(const Mask& mask, std::size_t loops) const {
    Mask result = mask;
    for (std::size_t lane = 0; lane < mask.size(); ++lane) {
      if (left_[lane]) result[lane] = false;
      for (std::size_t i = 0; i < loops; ++i)
        if (loops_[i].broken[lane] || loops_[i].continued[lane]) result[lane] = false;
    }
    return result;
  }

  void run(const ir::Body& body, const Mask& entered) {
    for (const ir::Stmt& stmt : body) {
      const Mask mask = here(entered, loops_.size());
      if (!any(mask) || --steps_left <= 0) return;
      run(stmt, mask);
    }
  }

  void run(const ir::Stmt& stmt, const Mask& mask) {
    match(
        stmt.node,
        [&](const ir::Assign& node) {
          const Type type = function_.slots[static_cast<std::size_t>(node.slot)].type;
          assign(node.slot, mask, [&](std::size_t lane) {
            return compute(node.value, type, first_thread_ + static_cast<std::int64_t>(lane),
                           [&](const ir::Operand& operand) { return value(operand, lane); });
          });
        },
        [&](const ir::Print& node) {
          for (std::size_t lane = 0; lane < mask.size(); ++lane)
            for (const ir::Operand& arg : node.args)
              if (mask[lane]) trace[lane].push_back(value(arg, lane));
        },
        [&](const ir::If& node) { run_if(node, stmt, mask); },
        [&](const ir::While& node) { run_while(node, stmt, mask); },
        [&](const ir::For& node) { run_for(node, stmt, mask); },
        [&](const ir::Break&) { jump(stmt, mask, &Loop::broken); },
        [&](const ir::Continue&) { jump(stmt, mask, &Loop::continued); },
        [&](const ir::Return&) {
          for (std::size_t lane = 0; lane < mask.size(); ++lane)
            if (mask[lane]) left_[lane] = true;
        },
        [&](const auto&) { std::abort(); });
  }

  // Splits a mask by a condition; a condition that is not varying is that of lane 0.
  Mask holds(const ir::Operand& condition, const Mask& mask, bool varying) const {
    Mask result = mask;
    for (std::size_t lane = 0; lane < mask.size(); ++lane)
      result[lane] = mask[lane] && value(condition, varying ? lane : 0) != 0;
    return result;
  }

  void run_if(const ir::If& node, const ir::Stmt& stmt, const Mask& mask) {
    const Mask then_mask = holds(node.condition, mask, shapes_.control(stmt).varying);
    Mask else_mask = mask;
    for (std::size_t lane = 0; lane < mask.size(); ++lane) else_mask[lane] = mask[lane] && !then_mask[lane];
    if (any(then_mask)) run(node.then_body, then_mask);
    if (any(else_mask)) run(node.else_body, else_mask);
  }

  // A jump that is not varying is a branch: it takes along every lane that is in the iteration, and a break
  // also those that wait for the next one.
  void jump(const ir::Stmt& stmt, const Mask& mask, Mask Loop::* which) {
    Mask taken = mask;
    for (std::size_t lane = 0; lane < mask.size() && !shapes_.control(stmt).varying; ++lane)
      taken[lane] = iterations_.back()[lane] && !left_[lane] && !loops_.back().broken[lane];
    for (std::size_t lane = 0; lane < mask.size(); ++lane)
      if (taken[lane]) (loops_.back().*which)[lane] = true;
  }

  // Starts an iteration; returns the lanes that are in it.
  Mask next_iteration(const Mask& mask) {
    loops_.back().continued.assign(mask.size(), false);
    return iterations_.back() = here(mask, loops_.size());
  }

  void run_while(const ir::While& node, const ir::Stmt& stmt, const Mask& entered) {
    loops_.push_back({Mask(entered.size()), Mask(entered.size())});
    iterations_.push_back(entered);
    Mask mask = entered;
    while (--steps_left > 0) {
      mask = next_iteration(mask);
      if (!any(mask)) break;
      run(node.head, mask);
      mask = iterations_.back() =
          holds(node.condition, here(mask, loops_.size()), shapes_.control(stmt).varying);
      if (!any(mask)) break;
      run(node.body, mask);
    }
    loops_.pop_back();
    iterations_.pop_back();
  }

  void run_for(const ir::For& node, const ir::Stmt& stmt, const Mask& entered) {
    std::vector<std::int64_t> start, step, count;
    for (std::size_t lane = 0; lane < entered.size(); ++lane) {
      start.push_back(value(node.start, lane));
      step.push_back(value(node.step, lane));
      count.push_back(value(node.count, shapes_.control(stmt).varying ? lane : 0));
    }
    loops_.push_back({Mask(entered.size()), Mask(entered.size())});
    iterations_.push_back(entered);
    const Type type = function_.slots[static_cast<std::size_t>(node.variable)].type;
    for (std::int64_t k = 0; --steps_left > 0; ++k) {
      Mask mask = entered;
      for (std::size_t lane = 0; lane < mask.size(); ++lane) mask[lane] = mask[lane] && k < count[lane];
      mask = next_iteration(mask);
      if (!any(mask)) break;
      assign(node.variable, mask, [&](std::size_t lane) { return wrap(type, start[lane] + k * step[lane]); });
      run(node.body, mask);
    }
    loops_.pop_back();
    iterations_.pop_back();
  }

  const ir::Function& function_;
  const Shapes& shapes_;
  std::int64_t first_thread_;
  std::vector<std::vector<std::int64_t>> slots_; // by slot, by lane; lane 0's where it is a scalar
  Mask left_;
  std::vector<Loop> loops_;
  std::vector<Mask> iterations_; // of each loop, the lanes in the present iteration
};

} // namespace kern::test
