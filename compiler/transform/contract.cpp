// Makes fused multiply-adds, here and not in LLVM: with its `contract` flag a device or a lane count would
// decide which product is fused, and results would differ. What is fused follows from the program's text
// alone:
//   * the product is f32 or f64, in a slot that is assigned once, and its one use in the function is an
//     operand of a `+` or `-` that stands after it in the same body, or deeper;
//   * a*b + c and c + a*b are fma(a, b, c); a*b - c is fma(a, b, -c); c - a*b is fma(-a, b, c);
//   * of a*b + c*d the left product is fused, as clang and nvcc do; the right one is rounded.
// A factor that the statements between product and use may assign is copied where the product stood.
#include <unordered_map>
#include <utility>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::BinaryOp;
using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

class Contractor {
public:
  explicit Contractor(ir::Function& function)
      : function_(function), definitions_(function), written_at_(function.slots.size()),
        products_(function.slots.size()) {}

  void run() {
    fuse_in(function_.body);
    if (!fused_.empty()) remove_products(function_.body);
  }

private:
  // A product that may still be fused, and the order of its statement.
  struct Product {
    Operand a, b;
    int place;
  };
  // The copies that a fused product's statement gives way to: of the factors that change before the use.
  using Copies = std::vector<std::pair<SlotId, Operand>>;

  // Walks in program order. A body that ends takes its products with it, so a product that is known stands
  // before the use, in the same body or an outer one.
  void fuse_in(Body& body) {
    std::vector<SlotId> found;
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      const int place = ++place_;
      note_loop_writes(stmt, place);
      if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) visit(*assign, stmt.span, place, found, result);
      ir::visit_results(stmt, [&](SlotId slot) { written_at_[index_of(slot)] = place; });
      ir::visit_bodies(stmt, [&](Body& inner) { fuse_in(inner); });
      result.push_back(std::move(stmt));
    }
    for (SlotId slot : found) products_[index_of(slot)].reset();
    body = std::move(result);
  }

  // Notes what a loop assigns anywhere: it may change between a product before the loop and a use inside.
  void note_loop_writes(const Stmt& stmt, int place) {
    if (!ir::is_loop(stmt)) return;
    ir::visit_bodies(stmt, [&](const Body& body) {
      ir::walk(body, [&](const Stmt& inner) {
        ir::visit_results(inner, [&](SlotId slot) { written_at_[index_of(slot)] = place; });
      });
    });
  }

  void visit(ir::Assign& assign, Span span, int place, std::vector<SlotId>& found, Body& before) {
    const auto* binary = std::get_if<ir::Binary>(&assign.value);
    if (!binary) return;
    if (binary->op == BinaryOp::Multiply && is_fusible(assign.slot)) {
      products_[index_of(assign.slot)] = Product{binary->left, binary->right, place};
      found.push_back(assign.slot);
    }
    const bool sum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Subtract;
    if (sum && (is_product(binary->left) || is_product(binary->right))) fuse(assign, span, before);
  }

  bool is_fusible(SlotId id) const {
    const ir::Slot& slot = function_.slots[index_of(id)];
    return (slot.type == types::f32 || slot.type == types::f64) && slot.kind != ir::Slot::Kind::Param &&
           definitions_.writes(id) == 1 && definitions_.reads(id) == 1;
  }

  bool is_product(const Operand& operand) const { return operand.slot && products_[index_of(*operand.slot)]; }

  // Turns a + or - of a product into an Fma, with the negation that it needs before it.
  void fuse(ir::Assign& sum, Span span, Body& before) {
    const ir::Binary binary = std::get<ir::Binary>(sum.value);
    const bool left = is_product(binary.left);
    const SlotId slot = left ? *binary.left.slot : *binary.right.slot;
    Product product = *std::exchange(products_[index_of(slot)], std::nullopt);
    Copies& copies = fused_[slot];
    keep(product.a, product.place, copies);
    keep(product.b, product.place, copies);
    Operand other = left ? binary.right : binary.left;
    if (binary.op == BinaryOp::Subtract) negate(left ? other : product.a, span, before);
    sum.value = ir::Fma{product.a, product.b, other};
  }

  // Copies a factor where the product stood if it may have been assigned since.
  void keep(Operand& factor, int product_place, Copies& copies) {
    if (!factor.slot || written_at_[index_of(*factor.slot)] <= product_place) return;
    const SlotId copy = add_temp(factor.type, function_.slots[index_of(*factor.slot)].span);
    copies.push_back({copy, factor});
    factor.slot = copy;
  }

  void negate(Operand& operand, Span span, Body& before) {
    if (!operand.slot) {
      operand = ir::constant_float(operand.type, -ir::float_value(operand));
      return;
    }
    const SlotId negative = add_temp(operand.type, span);
    before.push_back({ir::Assign{negative, ir::Unary{ir::UnaryOp::Negate, operand}}, span});
    operand.slot = negative;
  }

  SlotId add_temp(Type type, Span span) {
    function_.slots.push_back({"", type, ir::Slot::Kind::Temp, span});
    written_at_.push_back(0);
    products_.emplace_back();
    return static_cast<SlotId>(function_.slots.size() - 1);
  }

  void remove_products(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { remove_products(inner); });
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto found = assign ? fused_.find(assign->slot) : fused_.end();
      if (found == fused_.end()) {
        result.push_back(std::move(stmt));
        continue;
      }
      for (const auto& [copy, factor] : found->second)
        result.push_back({ir::Assign{copy, ir::Copy{factor}}, stmt.span});
    }
    body = std::move(result);
  }

  ir::Function& function_;
  ir::Definitions definitions_; // before anything was fused
  std::vector<int> written_at_;
  std::vector<std::optional<Product>> products_;
  std::unordered_map<SlotId, Copies> fused_;
  int place_ = 0;
};

} // namespace

void contract(ir::Module& module) {
  for (ir::Function& function : module.functions) Contractor(function).run();
}

} // namespace kern
