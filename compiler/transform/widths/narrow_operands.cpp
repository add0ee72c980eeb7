// An access in a loop of unknown length stays wide: its address steps by an addition in 64 bits, while a
// place in 32 would be widened and scaled each time. So does one whose index reads element 0 instead of none
// (transform/defer_guards.cpp): its choice in 32 bits takes loads out of flight. An access along one axis has
// no product to narrow.
#include <algorithm>
#include <limits>

#include "compiler/analysis/guards/small_values.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/widths/narrow.h"

namespace kern {

namespace {

constexpr std::int64_t unrolled_rounds = 64; // of a loop whose accesses become straight code

class Finder {
public:
  explicit Finder(const ir::Function& function) : definitions_(function) {
    for (std::uint32_t param = 0; param < function.param_count; ++param) {
      const Type type = function.slots[param].type;
      could_gain_.push_back(function.is_kernel && is_array(type) && type->rank >= 2 &&
                            type->space == AddressSpace::Global &&
                            definitions_.writes(ir::SlotId(param)) == 0);
    }
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      const auto* guard = std::get_if<ir::Guard>(&stmt.node);
      if (guard && guard->form == ir::GuardForm::Deferred && guard->index.slot)
        deferred_.insert(*guard->index.slot);
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* select = assign ? std::get_if<ir::Select>(&assign->value) : nullptr;
      if (select && select->condition.slot) selecting_.insert(*select->condition.slot);
    });
    visit(function.body, {});
  }

  std::vector<const ir::Stmt*> accesses;
  std::vector<const ir::Assign*> compares;
  std::vector<const ir::Assign*> products, quotients;

private:
  struct Place {
    bool in_long_loop = false;
    bool in_head = false; // of a while, whose rounds LLVM counts by what is compared there
  };

  bool is_straight(const ir::Stmt& stmt) const {
    const std::optional<ir::Element> access = ir::element_of(stmt);
    if (!access || !access->array.slot) return false;
    const auto param = static_cast<std::size_t>(*access->array.slot);
    auto is_deferred = [&](const ir::Operand& index) {
      return index.slot && deferred_.contains(*index.slot);
    };
    return param < could_gain_.size() && could_gain_[param] &&
           std::ranges::none_of(access->indices, is_deferred);
  }

  void visit(const ir::Body& body, Place place) {
    for (const ir::Stmt& stmt : body) visit(stmt, place);
  }

  void visit(const ir::Stmt& stmt, Place place) {
    if (!place.in_long_loop && is_straight(stmt)) accesses.push_back(&stmt);
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
      const auto* compare = std::get_if<ir::Compare>(&assign->value);
      const bool has_slot = compare && (compare->left.slot || compare->right.slot);
      if (has_slot && compare->left.type == types::i64 && !place.in_head &&
          !selecting_.contains(assign->slot))
        compares.push_back(assign);
      visit(*assign);
    } else if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
      if (!branch->is_rerun) visit(branch->then_body, place);
      visit(branch->else_body, place);
    } else if (const auto* loop = std::get_if<ir::While>(&stmt.node)) {
      vary(loop->head);
      vary(loop->body);
      visit(loop->head, {true, true});
      visit(loop->body, {true, place.in_head});
    } else if (const auto* rounds = std::get_if<ir::For>(&stmt.node)) {
      const bool is_short = !rounds->count.slot && ir::int_value(rounds->count) <= unrolled_rounds;
      if (!is_short) vary(rounds->body);
      varying_.insert(rounds->variable);
      visit(rounds->body, {place.in_long_loop || !is_short, place.in_head});
    }
  }

  // A product that a loop of unknown length changes stays wide: it becomes an addition there.
  void visit(const ir::Assign& assign) {
    bool varies = definitions_.writes(assign.slot) != 1;
    ir::visit_operands(assign.value, [&](const ir::Operand& operand) {
      varies = varies || (operand.slot && varying_.contains(*operand.slot));
    });
    const auto* binary = std::get_if<ir::Binary>(&assign.value);
    if (!varies) varying_.erase(assign.slot);
    if (!binary || binary->left.type != types::i64) return;
    const bool divides = binary->op == ir::BinaryOp::FloorDivide || binary->op == ir::BinaryOp::Modulo;
    if (divides && binary->left.slot && binary->right.slot) quotients.push_back(&assign);
    const bool is_product = binary->op == ir::BinaryOp::Multiply && binary->left.slot && binary->right.slot;
    if (is_product && !varies) products.push_back(&assign);
  }

  // Notes what the body of a loop of unknown length assigns, until it turns out to be the same in each round.
  void vary(const ir::Body& body) {
    ir::walk(body, [&](const ir::Stmt& stmt) {
      ir::visit_results(stmt, [&](ir::SlotId slot) { varying_.insert(slot); });
    });
  }

  ir::Definitions definitions_;
  std::unordered_set<ir::SlotId> varying_;
  std::vector<bool> could_gain_; // by parameter
  std::unordered_set<ir::SlotId> deferred_, selecting_;
};

} // namespace

// The sum takes (extent - 1) * stride, so an array without elements may hold to it or not: there is no place in it.
std::vector<Expression> span_facts(const ir::Function& kernel, std::uint32_t param) {
  const Type type = kernel.slots[param].type;
  std::vector<Expression> facts;
  std::optional<Expression> sum;
  for (int axis = 0; axis < type->rank; ++axis) {
    facts.push_back(small_extent_fact(kernel, param, axis));
    Expression last = ir::binary_expression(
        ExpressionOp::Subtract, ir::axis_expression(kernel, ir::SlotId(param), ExpressionOp::Extent, axis),
        ir::constant_expression(1));
    if (axis != type->rank - 1 || type->layout != Layout::COrder) {
      const Expression stride = ir::axis_expression(kernel, ir::SlotId(param), ExpressionOp::Stride, axis);
      facts.push_back(ir::binary_expression(ExpressionOp::GreaterEqual, stride, ir::constant_expression(0)));
      facts.push_back(
          ir::binary_expression(ExpressionOp::LessEqual, stride, ir::constant_expression(small_extent)));
      last = ir::binary_expression(ExpressionOp::Multiply, std::move(last), stride);
    }
    sum = sum ? ir::binary_expression(ExpressionOp::Add, std::move(*sum), std::move(last)) : std::move(last);
  }
  facts.push_back(ir::binary_expression(ExpressionOp::LessEqual, std::move(*sum),
                                        ir::constant_expression(std::numeric_limits<std::int32_t>::max())));
  return facts;
}

Expression small_extent_fact(const ir::Function& kernel, std::uint32_t param, int axis) {
  return ir::binary_expression(ExpressionOp::LessEqual,
                               ir::axis_expression(kernel, ir::SlotId(param), ExpressionOp::Extent, axis),
                               ir::constant_expression(small_extent));
}

bool has_fact(const ir::Function& kernel, const Expression& fact) {
  return std::ranges::find(kernel.facts, fact) != kernel.facts.end();
}

std::vector<std::uint32_t> find_narrowable_params(const ir::Function& kernel) {
  std::vector<std::uint32_t> params;
  for (const ir::Stmt* stmt : Finder(kernel).accesses)
    params.push_back(static_cast<std::uint32_t>(*ir::element_of(*stmt)->array.slot));
  std::ranges::sort(params);
  params.erase(std::ranges::unique(params).begin(), params.end());
  return params;
}

void find_narrow_operands(const ir::Function& function, const LazySmall& small, Narrow& result) {
  // Facts alone bound extents, and without extents nothing is gained.
  if (function.facts.empty()) return;
  const Finder found(function);
  std::vector<std::optional<bool>> spans(function.param_count);
  for (const ir::Stmt* stmt : found.accesses) {
    const auto param = static_cast<std::uint32_t>(*ir::element_of(*stmt)->array.slot);
    if (!spans[param])
      spans[param] = std::ranges::all_of(span_facts(function, param),
                                         [&](const Expression& fact) { return has_fact(function, fact); });
    if (*spans[param]) result.accesses.insert(stmt);
  }
  if (found.compares.empty() && found.products.empty() && found.quotients.empty()) return;
  auto are_small = [&](const auto& node) {
    return small().operands.contains(&node.left) && small().operands.contains(&node.right);
  };
  for (const ir::Assign* assign : found.compares)
    if (are_small(std::get<ir::Compare>(assign->value))) result.compares.insert(assign);
  for (const ir::Assign* assign : found.products)
    if (are_small(std::get<ir::Binary>(assign->value))) result.products.insert(assign);
  for (const ir::Assign* assign : found.quotients) {
    const auto& quotient = std::get<ir::Binary>(assign->value);
    // What a division by zero gives, or that of the least i32 by -1, is a matter of the type.
    if (!small().operands.contains(&quotient.left) || !small().naturals.contains(&quotient.right)) continue;
    result.quotients.emplace(assign, small().naturals.contains(&quotient.left) ? types::u32 : types::i32);
  }
}

} // namespace kern
