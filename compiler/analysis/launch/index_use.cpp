// Follows thread and block indices through a kernel. The arguments are known, so every integer that does not
// depend on the thread is a number, and an index is an affine form over threadIdx, blockIdx and gridDim with
// numbers as coefficients: `i < y.size` becomes blockIdx.x * 256 + threadIdx.x - 1000 < 0, which says 1000
// threads. What is not affine is unknown and says nothing.
#include <algorithm>
#include <set>

#include "compiler/analysis/launch/index_use.h"
#include "compiler/analysis/threads/special_register.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"
#include "runtime/common/integers.h"

namespace kern {

namespace {

// The terms of an affine form: threadIdx, blockIdx and gridDim, of three axes each.
enum Term { thread_term = 0, block_term = 3, grid_term = 6, term_count = 9 };

struct Affine {
  std::array<std::int64_t, term_count> coefficients{};
  std::int64_t constant = 0;
  bool from_arguments = false; // the constant depends on an extent or a scalar argument

  bool is_constant() const {
    return std::all_of(coefficients.begin(), coefficients.end(), [](auto c) { return c == 0; });
  }
};
using Known = std::optional<Affine>;

Known number(std::int64_t value, bool from_arguments = false) { return Affine{{}, value, from_arguments}; }

// a + b * factor, in wrapping arithmetic: a wrapped bound is a wrong one in the kernel too.
Affine add(const Affine& a, const Affine& b, std::int64_t factor) {
  Affine sum = a;
  auto plus = [&](std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) +
                                     static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(factor));
  };
  for (std::size_t i = 0; i < term_count; ++i)
    sum.coefficients[i] = plus(a.coefficients[i], b.coefficients[i]);
  sum.constant = plus(a.constant, b.constant);
  sum.from_arguments |= b.from_arguments;
  return sum;
}

class Follower {
public:
  Follower(const ir::Function& kernel, std::span<const std::uint64_t> params,
           const std::array<std::uint64_t, 3>& block)
      : kernel_(kernel), params_(params), block_(block), values_(kernel.slots.size()), uses_(kernel),
        arrays_(kernel.slots.size()), definitions_(kernel.slots.size()) {}

  IndexUse run() {
    for (std::uint32_t i = 0; i < kernel_.param_count; ++i) take_param(ir::SlotId(i));
    ir::walk(kernel_.body, [&](const ir::Stmt& stmt) { visit(stmt); });
    return std::move(use_);
  }

private:
  void take_param(ir::SlotId slot) {
    std::uint32_t place = ir::block_slot(kernel_, slot);
    Type type = kernel_.slots[index_of(slot)].type;
    if (is_array(type))
      arrays_[index_of(slot)] = slot;
    else if (is_integer(type) || is_boolean(type))
      values_[index_of(slot)] = number(scalar_value(type, params_[place]), true);
  }

  static std::int64_t scalar_value(Type type, std::uint64_t bits) {
    int shift = 64 - bit_width(type->scalar);
    if (is_signed(type)) return static_cast<std::int64_t>(bits << shift) >> shift;
    return static_cast<std::int64_t>(bits << shift >> shift);
  }

  Known value(const ir::Operand& operand) const {
    if (operand.slot) return values_[index_of(*operand.slot)];
    if (is_integer(operand.type) || is_boolean(operand.type))
      return number(static_cast<std::int64_t>(operand.bits));
    return std::nullopt;
  }

  // The number at a place of the parameter block, for an array that is a parameter itself.
  Known array_part(const ir::Operand& array, int offset) const {
    if (!array.slot || !arrays_[index_of(*array.slot)]) return std::nullopt;
    std::uint32_t place = ir::block_slot(kernel_, *arrays_[index_of(*array.slot)]);
    return number(static_cast<std::int64_t>(params_[place + static_cast<std::uint32_t>(offset)]), true);
  }

  static Known term(std::size_t index) {
    Affine affine;
    affine.coefficients[index] = 1;
    return affine;
  }

  Known special_value(Builtin builtin) {
    const std::optional<SpecialRegister> read = special_register(builtin);
    if (!read) return std::nullopt;
    const std::size_t axis = read->axis;
    switch (read->kind) {
    case SpecialRegister::Kind::ThreadIndex: use_.thread[axis] = true; return term(thread_term + axis);
    case SpecialRegister::Kind::BlockIndex: use_.block[axis] = true; return term(block_term + axis);
    case SpecialRegister::Kind::GridDim: return term(grid_term + axis);
    case SpecialRegister::Kind::BlockDim: return number(static_cast<std::int64_t>(block_[axis]));
    case SpecialRegister::Kind::LaneId: break;
    }
    return std::nullopt;
  }

  // Division and kin: of numbers only.
  static Known of_numbers(ir::BinaryOp op, const Affine& a, const Affine& b) {
    if (!a.is_constant() || !b.is_constant()) return std::nullopt;
    std::int64_t x = a.constant, y = b.constant;
    bool from = a.from_arguments || b.from_arguments;
    if (op == ir::BinaryOp::BitAnd) return number(x & y, from);
    if (op == ir::BinaryOp::ShiftRight && y >= 0 && y < 64) return number(x >> y, from);
    if ((op != ir::BinaryOp::FloorDivide && op != ir::BinaryOp::Modulo) || y <= 0) return std::nullopt;
    return number(op == ir::BinaryOp::Modulo ? floor_modulo(x, y) : floor_divide(x, y), from);
  }

  Known binary(const ir::Binary& expr) const {
    Known a = value(expr.left), b = value(expr.right);
    if (!a || !b) return std::nullopt;
    switch (expr.op) {
    case ir::BinaryOp::Add: return add(*a, *b, 1);
    case ir::BinaryOp::Subtract: return add(*a, *b, -1);
    case ir::BinaryOp::Multiply:
      if (!b->is_constant()) std::swap(a, b);
      if (!b->is_constant()) return std::nullopt;
      {
        Affine product = add(Affine{}, *a, b->constant);
        product.from_arguments = a->from_arguments || b->from_arguments;
        return product;
      }
    case ir::BinaryOp::ShiftLeft:
      if (!b->is_constant() || b->constant < 0 || b->constant > 62) return std::nullopt;
      return add(Affine{}, *a, std::int64_t(1) << b->constant);
    case ir::BinaryOp::FloorDivide:
    case ir::BinaryOp::Modulo:
    case ir::BinaryOp::ShiftRight:
    case ir::BinaryOp::BitAnd: return of_numbers(expr.op, *a, *b);
    case ir::BinaryOp::Divide:
    case ir::BinaryOp::BitOr:
    case ir::BinaryOp::BitXor: return std::nullopt;
    }
    return std::nullopt;
  }

  Known pure_call(const ir::CallPure& call) {
    const bool is_min = call.builtin == Builtin::Min, is_max = call.builtin == Builtin::Max;
    if ((!is_min && !is_max) || call.args.size() != 2) return special_value(call.builtin);
    Known a = value(call.args[0]), b = value(call.args[1]);
    if (!a || !b || !a->is_constant() || !b->is_constant()) return std::nullopt;
    std::int64_t chosen = is_min ? std::min(a->constant, b->constant) : std::max(a->constant, b->constant);
    return number(chosen, a->from_arguments || b->from_arguments);
  }

  Known evaluate(const ir::Expr& expr, Type type) {
    return match(
        expr, [&](const ir::Copy& e) { return value(e.value); },
        [&](const ir::Unary& e) {
          Known a = value(e.value);
          return a && e.op == ir::UnaryOp::Negate ? Known(add(Affine{}, *a, -1)) : std::nullopt;
        },
        [&](const ir::Binary& e) { return binary(e); },
        // An index is far from the ends of its type, or the kernel is wrong anyway.
        [&](const ir::Convert& e) { return is_integer(type) ? value(e.value) : std::nullopt; },
        [&](const ir::CallPure& e) { return pure_call(e); },
        [&](const ir::Extent& e) { return array_part(e.array, 1 + e.axis); },
        [&](const ir::Stride& e) { return array_part(e.array, 1 + e.array.type->rank + e.axis); },
        [&](const ir::Select& e) { return known_choice(e); }, [](const auto&) { return Known(); });
  }

  Known known_choice(const ir::Select& select) const {
    Known condition = value(select.condition);
    if (!condition || !condition->is_constant()) return std::nullopt;
    return value(condition->constant ? select.then_value : select.else_value);
  }

  // The affine form is one of whole threads of the grid (k * (blockIdx * blockDim + threadIdx)), or does not
  // hold threadIdx.
  bool is_proper(const Affine& affine) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int64_t thread = affine.coefficients[thread_term + axis];
      auto whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(thread) * block_[axis]);
      if (thread != 0 && affine.coefficients[block_term + axis] != whole) return false;
    }
    return true;
  }

  void cooperate(std::string_view why) {
    if (!use_.cooperates) use_.why = why;
    use_.cooperates = true;
  }

  // Reports a bound: `affine` < 0 holds for as many threads, or blocks, of one axis.
  void bound(const Affine& affine) {
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
      auto index = static_cast<std::size_t>(i);
      if (affine.coefficients[grid_term + index] != 0) return;
      if (affine.coefficients[thread_term + index] == 0 && affine.coefficients[block_term + index] == 0)
        continue;
      if (axis >= 0) return; // of two axes at once
      axis = i;
    }
    if (axis < 0 || !is_proper(affine)) return;
    auto index = static_cast<std::size_t>(axis);
    std::int64_t thread = affine.coefficients[thread_term + index],
                 block = affine.coefficients[block_term + index];
    std::int64_t step = thread != 0 ? thread : block;
    if (step <= 0) return;
    // The least number of them for which step * index + constant >= 0 at the end.
    std::int64_t most = affine.constant >= 0 ? 0 : (-affine.constant + step - 1) / step;
    std::optional<std::int64_t>& kept = (thread != 0 ? use_.threads_tested : use_.blocks_tested)[index];
    kept = std::max(kept.value_or(0), most);
  }

  // A test of an index: `i < n` and what an early return writes as `i >= n`. The second form counts only
  // where the number comes from the arguments, because `i > 0` is no bound.
  void compare(const ir::Compare& test) {
    Known a = value(test.left), b = value(test.right);
    if (!a || !b) return;
    Affine less = add(*a, *b, -1), greater = add(*b, *a, -1), one = *number(1);
    switch (test.op) {
    case ir::CompareOp::Less: both_ways(less, add(greater, one, -1)); return;
    case ir::CompareOp::LessEqual: both_ways(add(less, one, -1), greater); return;
    case ir::CompareOp::Greater: both_ways(greater, add(less, one, -1)); return;
    case ir::CompareOp::GreaterEqual: both_ways(add(greater, one, -1), less); return;
    case ir::CompareOp::Equal:
    case ir::CompareOp::NotEqual: return;
    }
  }

  // `holds` < 0 where the test is true, `fails` < 0 where it is false.
  void both_ways(const Affine& holds, const Affine& fails) {
    bound(holds);
    if (fails.from_arguments) bound(fails);
  }

  // A loop over range(grid(1), n, gridsize(1)) says n: the count of its trips was computed from n - start.
  void loop(const ir::For& loop) {
    Known start = value(loop.start);
    if (!start || start->is_constant() || !loop.count.slot) return;
    std::vector<ir::SlotId> open = {*loop.count.slot};
    for (int steps = 0; !open.empty() && steps < 32; ++steps) {
      ir::SlotId slot = open.back();
      open.pop_back();
      for (const ir::Expr* definition : definitions_[index_of(slot)]) {
        const auto* difference = std::get_if<ir::Binary>(definition);
        if (difference && difference->op == ir::BinaryOp::Subtract) {
          Known stop = value(difference->left), from = value(difference->right);
          if (stop && from && stop->is_constant() && !from->is_constant()) bound(add(*from, *stop, -1));
        }
        ir::visit_operands(ir::Stmt{ir::Assign{slot, *definition}, {}}, [&](const ir::Operand& operand) {
          if (operand.slot) open.push_back(*operand.slot);
        });
      }
    }
  }

  void assign(const ir::Assign& assign, const ir::Stmt& stmt) {
    Type type = kernel_.slots[index_of(assign.slot)].type;
    definitions_[index_of(assign.slot)].push_back(&assign.value);
    if (is_array(type)) {
      const auto* copy = std::get_if<ir::Copy>(&assign.value);
      if (copy && copy->value.slot && uses_.writes(assign.slot) == 1)
        arrays_[index_of(assign.slot)] = arrays_[index_of(*copy->value.slot)];
      if (std::holds_alternative<ir::SharedArray>(assign.value)) cooperate("has shared arrays");
      return read_all(stmt);
    }
    if (const auto* test = std::get_if<ir::Compare>(&assign.value)) compare(*test);
    Known known = evaluate(assign.value, type);
    if (!known) read_all(stmt);
    // A variable that is assigned again counts only by a start that is an index: `i = grid(1)`, then
    // `i += gridsize(1)`.
    if (uses_.writes(assign.slot) > 1 && (seen_.contains(assign.slot) || (known && known->is_constant())))
      known.reset();
    if (!seen_.contains(assign.slot)) values_[index_of(assign.slot)] = known;
    seen_.insert(assign.slot);
  }

  // Whatever reads an index that is not one of the whole grid makes the block's shape matter.
  void read_all(const ir::Stmt& stmt) {
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      Known known = value(operand);
      if (known && !is_proper(*known)) cooperate("uses threadIdx for more than its index in the grid");
    });
  }

  void visit(const ir::Stmt& stmt) {
    if (const auto* node = std::get_if<ir::Assign>(&stmt.node)) return assign(*node, stmt);
    if (const auto* node = std::get_if<ir::For>(&stmt.node)) loop(*node);
    if (const auto* node = std::get_if<ir::CallEffect>(&stmt.node))
      if (is_barrier(row(node->builtin).effects)) cooperate("has barriers");
    read_all(stmt);
  }

  const ir::Function& kernel_;
  std::span<const std::uint64_t> params_;
  std::array<std::uint64_t, 3> block_;
  std::vector<Known> values_;
  ir::Definitions uses_;
  std::vector<std::optional<ir::SlotId>> arrays_; // the parameter that an array slot is
  std::vector<std::vector<const ir::Expr*>> definitions_;
  std::set<ir::SlotId> seen_; // assigned before
  IndexUse use_;
};

} // namespace

IndexUse analyze_indices(const ir::Function& kernel, std::span<const std::uint64_t> params,
                         const std::array<std::uint64_t, 3>& block) {
  return Follower(kernel, params, block).run();
}

} // namespace kern
