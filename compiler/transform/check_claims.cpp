// `return x` of a function whose results are the same in the whole block becomes
//
//     agreed = uniform(x)
//     check agreed == x            (or both are NaN)
//     return x
//
// The barrier in uniform() is one more for threads that meet in the function anyway.
#include <utility>

#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

class ClaimChecker {
public:
  ClaimChecker(ir::Module& module, ir::FunctionId id)
      : module_(module), function_(module.function(id)), id_(id) {}

  void run() { visit(function_.body); }

private:
  void visit(ir::Body& body) {
    ir::Body result;
    result.reserve(body.size());
    for (ir::Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](ir::Body& inner) { visit(inner); });
      if (const auto* last = std::get_if<ir::Return>(&stmt.node))
        for (const ir::Operand& value : last->values)
          if (value.slot && !is_array(value.type)) compare(value, stmt.span, result);
      result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

  ir::Operand add_temp(Type type, Span span) {
    function_.slots.push_back({"", type, ir::Slot::Kind::Temp, span});
    return {type, static_cast<ir::SlotId>(function_.slots.size() - 1)};
  }

  ir::Operand compute(Type type, ir::Expr expr, Span span, ir::Body& out) {
    const ir::Operand temp = add_temp(type, span);
    out.push_back({ir::Assign{*temp.slot, std::move(expr)}, span});
    return temp;
  }

  void compare(const ir::Operand& value, Span span, ir::Body& out) {
    const ir::Operand agreed = add_temp(value.type, span);
    out.push_back({ir::CallEffect{agreed.slot, Builtin::Uniform, {value}}, span});
    ir::Operand same = compute(types::boolean, ir::Compare{ir::CompareOp::Equal, agreed, value}, span, out);
    if (is_float(value.type)) {
      const ir::Operand is_nan =
          compute(types::boolean, ir::Compare{ir::CompareOp::NotEqual, value, value}, span, out);
      const ir::Operand was_nan =
          compute(types::boolean, ir::Compare{ir::CompareOp::NotEqual, agreed, agreed}, span, out);
      const ir::Operand both = compute(types::boolean, ir::Select{is_nan, was_nan, same}, span, out);
      same = both;
    }
    module_.sites.push_back({ir::FaultKind::ShadowUniform, span, function_.name, "", {}, id_});
    out.push_back({ir::Check{same, static_cast<ir::SiteId>(module_.sites.size() - 1), std::nullopt}, span});
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::FunctionId id_;
};

} // namespace

void check_claims(ir::Module& module, GuardMode mode) {
  if (mode != GuardMode::Shadow) return;
  for (std::size_t id = 0; id < module.functions.size(); ++id)
    if (module.functions[id].is_uniform) ClaimChecker(module, static_cast<ir::FunctionId>(id)).run();
}

} // namespace kern
