// What is computed in 64 bits, by its type, and does with 32: a GPU has registers of 32 bits, and of a CPU's vectors each
// holds twice as many. The walk that proves guards proves that values fit; it is made once a function, and only where something
// could gain.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/guards/small_values.h"
#include "compiler/ir/ir.h"

namespace kern {

enum class NarrowFor : std::uint8_t { Cpu, Gpu };

struct Narrow {
  // By slot: variables and temporaries of type i64 that an i32 holds. None is part of an index: addresses have 64 bits.
  std::vector<bool> slots;
  std::size_t counters = 0; // how many of these a loop of a GPU's code counts in, or assigns
  // Assigns of quotients of two such slots, which fit as well but for that of the least i32 and -1.
  std::unordered_set<const ir::Assign*> turning;
  // For a GPU: operands of Compares, and counts of Fors, that fit an i32.
  std::unordered_set<const void*> small_operands;
  // For a variant of a GPU's code, by its facts: accesses whose indices may be given as i32; Compares and products of i64s that fit
  // one, worth it by themselves; quotients and remainders of such, with the type of 32 bits to compute them in.
  std::unordered_set<const ir::Stmt*> accesses;
  std::unordered_set<const ir::Assign*> compares, products;
  std::unordered_map<const ir::Assign*, Type> quotients;
};

Narrow find_narrow(const ir::Module& module, ir::FunctionId id, NarrowFor target);
// Says whether a GPU's code has variables of type i64 that are assigned in a loop and of which no index is made.
bool has_counters(const ir::Function& function);

// The halves of find_narrow; `small` makes the walk when it is first called.
using LazySmall = std::function<const SmallValues&()>;
void find_narrow_slots(const ir::Module& module, const ir::Function& function, NarrowFor target,
                       const LazySmall& small, Narrow& result);
void find_narrow_operands(const ir::Function& function, const LazySmall& small, Narrow& result);

// Says whether 32 bits compute an expression of i64s, or one that was narrower: given that the result and all operands that are one
// value of a choice, or of an operator, fit an i32. The count of a shift is no such operand.
bool is_narrowable(const ir::Expr& expr);
// Calls a function with each of these operands.
template <class AnyExpr, class Visit> void visit_narrowed(AnyExpr& expr, const Visit& visit) {
  if (auto* copy = std::get_if<ir::Copy>(&expr)) visit(copy->value);
  if (auto* unary = std::get_if<ir::Unary>(&expr)) visit(unary->value);
  if (auto* binary = std::get_if<ir::Binary>(&expr)) {
    visit(binary->left);
    if (binary->op != ir::BinaryOp::ShiftLeft && binary->op != ir::BinaryOp::ShiftRight) visit(binary->right);
  }
  if (auto* select = std::get_if<ir::Select>(&expr)) {
    visit(select->then_value);
    visit(select->else_value);
  }
  if (auto* call = std::get_if<ir::CallPure>(&expr))
    for (auto& arg : call->args) visit(arg);
}
// Says whether 32 bits compute an expression whose result fits, where `fits` says of each of these operands whether it does.
template <class Fits> bool is_narrowed(const ir::Expr& expr, const Fits& fits) {
  bool all = is_narrowable(expr);
  if (all) visit_narrowed(expr, [&](const ir::Operand& operand) { all = all && fits(operand); });
  return all;
}

inline constexpr std::int64_t small_extent = 1 << 30; // of an axis, where a variant promises it; strides too

// Returns what a launch tests of an array parameter so that every place in it, and each sum on the way there, fits
// an i32: no stride is negative, the last element is within 2^31 elements of the first one, and neither extents
// nor strides are so large that this sum could wrap.
std::vector<Expression> span_facts(const ir::Function& kernel, std::uint32_t param);
// Returns that an extent is small enough for what is computed of it to fit an i32: a tile more, or a block.
Expression small_extent_fact(const ir::Function& kernel, std::uint32_t param, int axis);
// Says whether a kernel's launch has tested a fact.
bool has_fact(const ir::Function& kernel, const Expression& fact);
// Returns the array parameters that have accesses which gain by span_facts.
std::vector<std::uint32_t> find_narrowable_params(const ir::Function& kernel);

} // namespace kern
