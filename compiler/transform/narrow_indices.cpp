// Narrowing of index arithmetic: an access to an array whose places all fit 32 bits takes its indices as i32, and what
// fits an i32 is compared as one.
//
//     c: bool = i < n; if c: v: f32 = load u[i, j]
//         ->   p: i32 = i32(i); q: i32 = i32(n); c: bool = p < q; if c: r: i32 = i32(i); s: i32 = i32(j); v: f32 = load u[r, s]
#include "compiler/analysis/narrow_indices.h"

#include <utility>

#include "compiler/ir/walk.h"
#include "compiler/transform/assign_new.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::Stmt;

class Narrower {
public:
  Narrower(ir::Function& function, NarrowIndices found) : function_(function), found_(std::move(found)) {
    rewrite(function.body);
  }

private:
  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { rewrite(inner); });
      rewrite(stmt, result);
      result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

  void rewrite(Stmt& stmt, Body& before) {
    auto narrow = [&](std::vector<Operand>& indices) {
      for (Operand& index : indices) index = as_narrow(index, stmt, before);
    };
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) rewrite(*assign, stmt, before);
    if (!found_.accesses.contains(&stmt)) return;
    if (auto* load = std::get_if<ir::Load>(&stmt.node)) narrow(load->indices);
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) narrow(store->indices);
    if (auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) narrow(atomic->indices);
  }

  void rewrite(ir::Assign& assign, const Stmt& at, Body& before) {
    if (found_.compares.contains(&assign)) {
      auto& compare = std::get<ir::Compare>(assign.value);
      for (Operand* operand : {&compare.left, &compare.right}) *operand = as_narrow(*operand, at, before);
    } else if (found_.products.contains(&assign)) {
      auto& product = std::get<ir::Binary>(assign.value);
      for (Operand* operand : {&product.left, &product.right})
        *operand =
            assign_new(function_, ir::Convert{as_narrow(*operand, at, before)}, types::i64, at, before);
    } else if (const auto found = found_.quotients.find(&assign); found != found_.quotients.end()) {
      const Type type = found->second;
      auto quotient = std::get<ir::Binary>(assign.value);
      for (Operand* operand : {&quotient.left, &quotient.right})
        *operand = assign_new(function_, ir::Convert{*operand}, type, at, before);
      assign.value = ir::Convert{assign_new(function_, quotient, type, at, before)};
    }
  }

  Operand as_narrow(const Operand& operand, const Stmt& at, Body& before) {
    if (!operand.slot) return ir::constant_int(types::i32, static_cast<std::int32_t>(ir::int_value(operand)));
    return assign_new(function_, ir::Convert{operand}, types::i32, at, before);
  }

  ir::Function& function_;
  NarrowIndices found_;
};

} // namespace

void narrow_indices(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    NarrowIndices found = find_narrow_indices(module, static_cast<ir::FunctionId>(id));
    const bool finds_any = !found.accesses.empty() || !found.compares.empty() || !found.products.empty() ||
                           !found.quotients.empty();
    if (finds_any) Narrower(module.functions[id], std::move(found));
  }
}

} // namespace kern
