// Random structured functions over a few i64 variables: nested ifs and loops with breaks, continues, returns
// and prints.
#pragma once

#include <random>

#include "tests/unit/ir_builder.h"

namespace kern::test {

class RandomBody {
public:
  // `variables` are what the body reads and assigns; `callee` is called where it is given (one argument, one
  // result).
  RandomBody(unsigned seed, FunctionBuilder& f, std::vector<ir::Operand> variables, bool returns,
             std::optional<ir::FunctionId> callee = {}, bool barriers = false)
      : random_(seed), f_(f), variables_(std::move(variables)), returns_(returns), callee_(callee),
        barriers_(barriers) {}

  ir::Body body(int depth, bool in_loop) {
    ir::Body result;
    for (int i = 0, n = 1 + pick(4); i < n; ++i) {
      add(result, depth, in_loop);
      if (std::holds_alternative<ir::Break>(result.back().node)) break;
    }
    return result;
  }

private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  const ir::Operand& variable() {
    return variables_[static_cast<std::size_t>(pick(static_cast<int>(variables_.size())))];
  }
  ir::Operand operand() { return pick(3) ? variable() : i64(pick(7) - 2); }
  ir::Operand condition(ir::Body& before) {
    ir::Operand result = f_.temp(types::boolean);
    append(before, compare(result, ir::CompareOp::Less, operand(), operand()));
    return result;
  }
  ir::Stmt print() {
    ir::Operand value = operand();
    return stmt(ir::Print{{"", ""}, {value}, {}});
  }
  ir::Stmt leave() {
    return return_(f_.function().results.empty() ? std::vector<ir::Operand>{} : std::vector{operand()});
  }

  void add(ir::Body& out, int depth, bool in_loop) {
    const int kind = pick(depth > 0 ? 14 : 8);
    if (kind <= 2) return append(out, binary(variable(), ir::BinaryOp::Add, operand(), operand()));
    if (kind == 3) return append(out, barriers_ ? syncthreads() : print());
    if (kind == 4 && callee_) return append(out, call({variable()}, *callee_, {operand()}));
    if (kind == 5 && in_loop) return append(out, pick(2) ? break_() : continue_());
    if (kind == 6 && returns_) return append(out, leave());
    if (kind <= 7) return append(out, print());
    if (kind <= 10) {
      ir::Operand test = condition(out);
      return append(out,
                    if_(test, body(depth - 1, in_loop), pick(2) ? body(depth - 1, in_loop) : ir::Body{}));
    }
    if (kind <= 12)
      return append(out, for_(variable(), operand(), operand(), i64(pick(4)), body(depth - 1, true)));
    ir::Body head;
    ir::Operand test = condition(head);
    append(out, while_(std::move(head), test, body(depth - 1, true)));
  }

  std::mt19937 random_;
  FunctionBuilder& f_;
  std::vector<ir::Operand> variables_;
  bool returns_;
  std::optional<ir::FunctionId> callee_;
  bool barriers_;
};

} // namespace kern::test
