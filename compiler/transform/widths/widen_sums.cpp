// Widening of what is computed with a counter of constant bounds: an index made of it is computed as wide as an
// index is, where the narrow value does not wrap.
//
//     for j = 0 step 1 count 32: s: i32 = t + j; at: i64 = i64(s)
//         ->   s: i32 = t + j; s': i64 = i64(t) + i64(j); at = s'
//
// Such a loop is mostly unrolled, and then the counter's part is a constant of the address. Behind a conversion
// of a narrow sum LLVM does not see that: nothing says there that the sum does not wrap.
#include <unordered_map>
#include <unordered_set>

#include "compiler/analysis/threads/shape.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

bool is_narrow(Type type) { return is_scalar(type) && is_integer(type) && bit_width(type->scalar) < 64; }

class Widener {
public:
  Widener(ir::Module& module, ir::FunctionId id)
      : module_(module), id_(id), function_(module.functions[static_cast<std::size_t>(id)]),
        definitions_(function_) {}

  void run() {
    find_counters(function_.body);
    if (counters_.empty()) return;
    find(function_.body);
    if (!wanted_.empty()) rewrite(function_.body);
  }

private:
  // ---- What to widen ----

  void find_counters(const Body& body) {
    for (const Stmt& stmt : body) {
      const auto* loop = std::get_if<ir::For>(&stmt.node);
      bool is_constant = loop && !loop->start.slot && !loop->step.slot && !loop->count.slot;
      if (is_constant && is_narrow(type_of(loop->variable))) counters_.insert(loop->variable);
      ir::visit_bodies(stmt, [&](const Body& inner) { find_counters(inner); });
    }
  }

  // In the order of the program, so that what a sum is made of is found before it.
  void find(const Body& body) {
    for (const Stmt& stmt : body) {
      if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
        if (const Operand* source = widened(*assign); source && sums_.contains(*source->slot))
          want(*source->slot);
        if (is_sum(*assign)) sums_.insert(assign->slot);
      }
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      const bool is_rerun = branch && branch->is_rerun;
      ir::visit_bodies(stmt, [&](const Body& inner) {
        if (!is_rerun || &inner != &branch->then_body) find(inner);
      });
    }
  }

  Type type_of(SlotId slot) const { return function_.slots[static_cast<std::size_t>(slot)].type; }

  bool is_sum(const ir::Assign& assign) {
    const auto* binary = std::get_if<ir::Binary>(&assign.value);
    if (!binary || !is_narrow(type_of(assign.slot)) || definitions_.writes(assign.slot) != 1) return false;
    bool counts = of_counter(binary->left) || of_counter(binary->right);
    return counts && definitions_.is_steady(assign.slot) && !wraps(*binary, type_of(assign.slot));
  }

  bool of_counter(const Operand& operand) const {
    return operand.slot && (counters_.contains(*operand.slot) || sums_.contains(*operand.slot));
  }

  bool wraps(const ir::Binary& e, Type type) {
    Interval left = range_of(e.left), right = range_of(e.right);
    switch (e.op) {
    case ir::BinaryOp::Add:
      return !contains(type_interval(type), {left.low + right.low, left.high + right.high});
    case ir::BinaryOp::Subtract:
      return !contains(type_interval(type), {left.low - right.high, left.high - right.low});
    case ir::BinaryOp::Multiply: return !contains(type_interval(type), multiply(left, right));
    case ir::BinaryOp::Divide:
    case ir::BinaryOp::FloorDivide:
    case ir::BinaryOp::Modulo:
    case ir::BinaryOp::ShiftLeft:
    case ir::BinaryOp::ShiftRight:
    case ir::BinaryOp::BitAnd:
    case ir::BinaryOp::BitOr:
    case ir::BinaryOp::BitXor: return true;
    }
    return true;
  }

  // Ranges are looked for once, and only where there is something to ask.
  Interval range_of(const Operand& operand) {
    if (!shapes_) shapes_ = analyze_shapes(module_, id_, LaneFacts{});
    return shapes_->range_of(operand);
  }

  static const Operand* source_of(const ir::Assign& assign) {
    const auto* convert = std::get_if<ir::Convert>(&assign.value);
    return convert && convert->value.slot ? &convert->value : nullptr;
  }

  const Operand* widened(const ir::Assign& assign) const {
    return type_of(assign.slot) == types::i64 ? source_of(assign) : nullptr;
  }

  void want(SlotId slot) {
    if (!wanted_.insert(slot).second) return;
    const auto& binary = std::get<ir::Binary>(definitions_.sole_assign(slot)->value);
    for (const Operand* operand : {&binary.left, &binary.right})
      if (operand->slot && sums_.contains(*operand->slot)) want(*operand->slot);
  }

  // ---- Widening ----

  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      const bool is_rerun = branch && branch->is_rerun;
      ir::visit_bodies(stmt, [&](Body& inner) {
        if (!is_rerun || &inner != &branch->then_body) rewrite(inner);
      });
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign)
        if (const Operand* source = widened(*assign); source && wide_.contains(*source->slot))
          assign->value = ir::Copy{wide_.at(*source->slot)};
      const bool is_wanted = assign && wanted_.contains(assign->slot);
      const SlotId slot = assign ? assign->slot : SlotId{};
      const Span span = stmt.span;
      result.push_back(std::move(stmt));
      if (!is_wanted) continue;
      ir::Binary binary = std::get<ir::Binary>(std::get<ir::Assign>(result.back().node).value);
      binary.left = widen(binary.left, result, span);
      binary.right = widen(binary.right, result, span);
      wide_.emplace(slot, assign_new(binary, result, span));
    }
    body = std::move(result);
  }

  Operand widen(const Operand& operand, Body& body, Span span) {
    if (!operand.slot) return ir::constant_int(types::i64, ir::int_value(operand));
    auto found = wide_.find(*operand.slot);
    return found != wide_.end() ? found->second : assign_new(ir::Convert{operand}, body, span);
  }

  Operand assign_new(ir::Expr value, Body& body, Span span) {
    Operand result{types::i64, static_cast<SlotId>(function_.slots.size()), 0};
    function_.slots.push_back({"", types::i64, ir::Slot::Kind::Temp, span});
    body.push_back({ir::Assign{*result.slot, std::move(value)}, span});
    return result;
  }

  ir::Module& module_;
  ir::FunctionId id_;
  ir::Function& function_;
  ir::Definitions definitions_; // of the slots that were there
  std::optional<Shapes> shapes_;
  std::unordered_set<SlotId> counters_, sums_, wanted_;
  std::unordered_map<SlotId, Operand> wide_;
};

} // namespace

void widen_sums(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id)
    Widener(module, static_cast<ir::FunctionId>(id)).run();
}

} // namespace kern
