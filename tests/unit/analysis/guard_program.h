// Writes small functions with guards and fits, and tells what became of each of them: one letter a guard, `p` proved
// or `k` kept.
#pragma once

#include <string>

#include "compiler/analysis/guards/guards.h"
#include "tests/unit/ir_builder.h"

namespace kern::test {

class GuardProgram {
public:
  ir::Module module;
  FunctionBuilder f{module, "k", true};

  ir::Operand array(std::string name, int rank = 1, ScalarKind element = ScalarKind::F32) {
    return f.param(std::move(name), module.types.array(element, rank));
  }
  ir::Operand local_array(std::vector<std::int64_t> extents) {
    auto rank = static_cast<int>(extents.size());
    ir::Operand result = f.temp(module.types.array(ScalarKind::F32, rank, AddressSpace::Local));
    write(assign(result, ir::LocalArray{std::move(extents)}));
    return result;
  }
  ir::Operand param(Type type) { return f.param("n", type); }
  ir::Operand variable(Type type) { return f.variable("v", type); }

  void write(ir::Stmt stmt) { (here_ ? *here_ : f.function().body).push_back(std::move(stmt)); }
  ir::Operand temp(Type type, ir::Expr expr) {
    ir::Operand result = f.temp(type);
    write(assign(result, std::move(expr)));
    return result;
  }
  ir::Operand op(ir::BinaryOp op, ir::Operand left, ir::Operand right) {
    return temp(left.type, ir::Binary{op, left, right});
  }
  ir::Operand add(ir::Operand left, ir::Operand right) { return op(ir::BinaryOp::Add, left, right); }
  ir::Operand sub(ir::Operand left, ir::Operand right) { return op(ir::BinaryOp::Subtract, left, right); }
  ir::Operand mul(ir::Operand left, ir::Operand right) { return op(ir::BinaryOp::Multiply, left, right); }
  ir::Operand compare(ir::CompareOp op, ir::Operand left, ir::Operand right) {
    return temp(types::boolean, ir::Compare{op, left, right});
  }
  ir::Operand less(ir::Operand left, ir::Operand right) { return compare(ir::CompareOp::Less, left, right); }
  ir::Operand convert(Type type, ir::Operand value) { return temp(type, ir::Convert{value}); }
  ir::Operand extent(ir::Operand array, int axis = 0) { return temp(types::i64, ir::Extent{array, axis}); }
  ir::Operand call(Builtin builtin, Type type, std::vector<ir::Operand> args = {}) {
    return temp(type, ir::CallPure{builtin, std::move(args)});
  }
  // Returns grid(1) as i64.
  ir::Operand grid() {
    ir::Operand block = convert(types::i64, call(Builtin::BlockIndexX, types::i32));
    ir::Operand size = convert(types::i64, call(Builtin::BlockDimX, types::i32));
    return add(mul(block, size), convert(types::i64, call(Builtin::ThreadIndexX, types::i32)));
  }
  // Returns gridsize(1) as i64.
  ir::Operand grid_size() {
    ir::Operand blocks = convert(types::i64, call(Builtin::GridDimX, types::i32));
    return mul(blocks, convert(types::i64, call(Builtin::BlockDimX, types::i32)));
  }
  void set(ir::Operand slot, ir::Operand value) { write(copy(slot, value)); }
  void guard(ir::Operand array, ir::Operand index, int axis = 0) {
    if (index.type != types::i64) index = convert(types::i64, index);
    module.sites.push_back({ir::FaultKind::IndexOutOfRange, {}, "", "", {}, {}});
    write(stmt(ir::Guard{array, axis, index, static_cast<ir::SiteId>(module.sites.size() - 1), {}, {}}));
  }
  // Returns the value in a type that may not hold it.
  ir::Operand fit(ir::Operand value, Type type) {
    module.sites.push_back({ir::fit_kind(value.type, type), {}, "", "", {}, {}});
    write(stmt(ir::Fit{value, type, static_cast<ir::SiteId>(module.sites.size() - 1)}));
    return convert(type, value);
  }
  template <class Write> ir::Body body(Write inner) {
    ir::Body result;
    ir::Body* outer = std::exchange(here_, &result);
    inner();
    here_ = outer;
    return result;
  }
  template <class Then> void when(ir::Operand condition, Then then) { write(if_(condition, body(then))); }
  template <class Then, class Else> void when(ir::Operand condition, Then then, Else otherwise) {
    ir::Body first = body(then);
    write(if_(condition, std::move(first), body(otherwise)));
  }
  // Loops while what `condition` returns is true; it is called to write the head.
  template <class Condition, class Inner> void loop(Condition condition, Inner inner) {
    ir::Operand test;
    ir::Body head = body([&] { test = condition(); });
    write(while_(std::move(head), test, body(inner)));
  }
  template <class Inner>
  void count(ir::Operand variable, ir::Operand start, ir::Operand step, ir::Operand count, Inner inner) {
    write(for_(variable, start, step, count, body(inner)));
  }

  std::string outcome() {
    std::string letters;
    const GuardProofs proofs = prove_guards(module, f.id);
    for (const GuardProof& proof : proofs.guards) letters += proof.proof.empty() ? 'k' : 'p';
    return letters;
  }

private:
  ir::Body* here_ = nullptr; // the body being written; the function's where there is none
};

} // namespace kern::test
