// Lets a thread run on behind a bad index or value: each guard that is not proved, and what it guards, becomes
//
//     ok = u64(index) < u64(extent)
//     if ok: value = array[index]
//     else:  _note_index(site, axis, index, extent, noted); noted = True; value = 0
//
// A store or an atomic does nothing there, and an atomic's result is zero. A view by a bad index is one of
// nothing: it starts at the array's own start, and its extents are 0. Behind a fit the value's low bits go on, and the
// thread is noted in the same way. `noted` is a variable of the thread, by which it is counted once; device functions
// take it and return it.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::Stmt;

bool is_kept(const Stmt& stmt) {
  const std::optional<ir::GuardState> state = ir::guard_state(stmt);
  return state == ir::GuardState::Kept || state == ir::GuardState::Empty;
}

// Says of each function whether a thread may have a bad index or value in it, or in what it calls.
std::vector<bool> find_clamping(const ir::Module& module) {
  std::vector<bool> clamping(module.functions.size());
  for (bool more = true; std::exchange(more, false);)
    for (std::size_t id = 0; id < module.functions.size(); ++id) {
      if (clamping[id]) continue;
      clamping[id] = ir::any(module.functions[id].body, [&](const Stmt& stmt) {
        const auto* call = std::get_if<ir::Call>(&stmt.node);
        return is_kept(stmt) || (call && clamping[static_cast<std::size_t>(call->function)]);
      });
      more = more || clamping[id];
    }
  return clamping;
}

// Makes room for one more parameter behind the others; returns it.
ir::SlotId add_param(ir::Function& function, Type type) {
  const std::uint32_t place = function.param_count++;
  auto move = [&](ir::SlotId& slot) {
    if (static_cast<std::uint32_t>(slot) >= place)
      slot = static_cast<ir::SlotId>(static_cast<std::uint32_t>(slot) + 1);
  };
  auto move_operand = [&](Operand& operand) {
    if (operand.slot) move(*operand.slot);
  };
  function.slots.insert(function.slots.begin() + place, {"", type, ir::Slot::Kind::Param, function.span});
  ir::walk(function.body, [&](Stmt& stmt) {
    ir::visit_operands(stmt, move_operand);
    ir::visit_results(stmt, move);
  });
  for (ir::InlinedCall& call : function.inlined)
    for (ir::InlinedCall::Param& param : call.params) move_operand(param.value);
  return static_cast<ir::SlotId>(place);
}

class Clamper {
public:
  Clamper(ir::Function& function, std::vector<ir::KernelParam>& params, const std::vector<bool>& clamping)
      : function_(function), params_(params), clamping_(clamping) {}

  void run() {
    if (function_.is_kernel) {
      noted_ = add_slot(types::boolean, ir::Slot::Kind::Variable, function_.span);
    } else {
      noted_ = add_param(function_, types::boolean);
      params_.push_back({"", types::boolean, static_cast<std::uint32_t>(noted_)});
      function_.results.push_back(types::boolean);
      if (function_.body.empty() || !std::holds_alternative<ir::Return>(function_.body.back().node))
        function_.body.push_back({ir::Return{}, function_.span});
    }
    visit(function_.body);
    if (!function_.is_kernel) return;
    const Stmt first{ir::Assign{noted_, ir::Copy{ir::constant_bool(false)}}, function_.span};
    function_.body.insert(function_.body.begin(), first);
  }

private:
  // A guard that was come to in this body or one around it; without `inside` it is proved. Or a fit that is kept, which is
  // of no array.
  struct Test {
    ir::SiteId site;
    Operand array;
    int axis = 0;
    Operand index;
    std::optional<Operand> inside, extent;
    ir::FaultKind kind = ir::FaultKind::IndexOutOfRange;
    Span span;
    ir::ScopeId scope;
  };

  ir::SlotId add_slot(Type type, ir::Slot::Kind kind, Span span) {
    function_.slots.push_back({"", type, kind, span});
    return static_cast<ir::SlotId>(function_.slots.size() - 1);
  }

  Operand noted() const { return {types::boolean, noted_}; }

  // Statements are made where the one at hand stands.
  Operand compute(Type type, ir::Expr expr, Body& out) {
    const Operand temp{type, add_slot(type, ir::Slot::Kind::Temp, span_)};
    out.push_back({ir::Assign{*temp.slot, std::move(expr)}, span_, scope_});
    return temp;
  }

  Operand is_inside(const Operand& index, const Operand& extent, Body& out) {
    const Operand place = compute(types::u64, ir::Convert{index}, out);
    const Operand end = compute(types::u64, ir::Convert{extent}, out);
    return compute(types::boolean, ir::Compare{ir::CompareOp::Less, place, end}, out);
  }

  void add_test(const ir::Guard& guard, Body& out) {
    Test test{guard.site, guard.array, guard.axis, guard.index, {}, {}, ir::FaultKind::IndexOutOfRange,
              span_,      scope_};
    if (guard.state == ir::GuardState::Kept || guard.state == ir::GuardState::Empty) {
      test.extent = compute(types::i64, ir::Extent{guard.array, guard.axis}, out);
      test.inside = is_inside(guard.index, *test.extent, out);
      pending_.push_back(tests_.size());
    }
    tests_.push_back(std::move(test));
  }

  void add_test(const ir::Fit& fit, Body& out) {
    const ir::FitTest range = ir::fit_test(fit.value.type, fit.type);
    Operand index = compute(types::i64, ir::Convert{fit.value}, out);
    const Operand offset = ir::constant_int(types::i64, static_cast<std::int64_t>(range.offset));
    index = compute(types::i64, ir::Binary{ir::BinaryOp::Add, index, offset}, out);
    const Operand extent = ir::constant_int(types::i64, static_cast<std::int64_t>(range.extent));
    const Operand inside = is_inside(index, extent, out);
    pending_.push_back(tests_.size());
    tests_.push_back({fit.site, {}, 0, index, inside, extent, ir::FaultKind::DoesNotFit, span_, scope_});
  }

  Body note_of(const Test& test) {
    const std::int64_t guard = static_cast<std::int64_t>(test.site) |
                               static_cast<std::int64_t>(test.axis) << 32 |
                               static_cast<std::int64_t>(test.kind) << 40;
    const Operand what = ir::constant_int(types::i64, guard);
    Body body;
    body.push_back(
        {ir::CallEffect{std::nullopt, Builtin::NoteIndex, {what, test.index, *test.extent, noted()}},
         test.span, test.scope});
    body.push_back({ir::Assign{noted_, ir::Copy{ir::constant_bool(true)}}, test.span, test.scope});
    return body;
  }

  // Notes each of the indices and values that were tested and not noted yet, where it is bad.
  void note_pending(Body& out) {
    for (const std::size_t number : std::exchange(pending_, {})) {
      const Test test = tests_[number];
      out.push_back({ir::If{*test.inside, {}, note_of(test)}, test.span, test.scope});
    }
  }

  // Returns what says that an index of an access is in range; nothing where that is proved. An index that
  // no guard stands before is tested here.
  std::optional<Operand> condition_of(const Operand& array, int axis, const Operand& index, Body& out) {
    for (std::size_t at = tests_.size(); at-- > 0;) {
      const Test& test = tests_[at];
      if (test.axis == axis && test.array == array && test.index == index) return test.inside;
    }
    return is_inside(index, compute(types::i64, ir::Extent{array, axis}, out), out);
  }

  static void join(std::optional<Operand>& all, std::optional<Operand> each, Clamper& self, Body& out) {
    if (!each) return;
    all = all ? self.compute(types::boolean, ir::Binary{ir::BinaryOp::BitAnd, *all, *each}, out) : *each;
  }

  std::optional<Operand> condition_of(const Operand& array, const std::vector<Operand>& indices, Body& out) {
    std::optional<Operand> all;
    for (std::size_t axis = 0; axis < indices.size(); ++axis)
      join(all, condition_of(array, static_cast<int>(axis), indices[axis], out), *this, out);
    return all;
  }

  // The access, where all of its indices are in range; else its result is zero.
  void clamp(Stmt stmt, const Operand& array, const std::vector<Operand>& indices,
             std::optional<ir::SlotId> result, Body& out) {
    const std::optional<Operand> inside = condition_of(array, indices, out);
    if (!inside) {
      note_pending(out);
      out.push_back(std::move(stmt));
      return;
    }
    Body otherwise;
    const bool is_one = pending_.size() == 1 && tests_[pending_[0]].inside == inside;
    if (is_one) {
      otherwise = note_of(tests_[std::exchange(pending_, {})[0]]);
    } else {
      note_pending(out);
    }
    if (result) {
      ir::Slot& slot = function_.slots[static_cast<std::size_t>(*result)];
      if (slot.kind == ir::Slot::Kind::Temp) slot.kind = ir::Slot::Kind::Variable;
      const Operand zero{slot.type, std::nullopt, 0};
      otherwise.push_back({ir::Assign{*result, ir::Copy{zero}}, span_, scope_});
    }
    ir::If chosen{*inside, {}, std::move(otherwise)};
    chosen.then_body.push_back(std::move(stmt));
    out.push_back({std::move(chosen), span_, scope_});
  }

  void clamp_view(ir::View& view, Body& out) {
    std::optional<Operand> inside;
    for (std::size_t axis = 0; axis < view.axes.size(); ++axis)
      if (view.axes[axis].kind == ir::ViewAxis::Kind::Index)
        join(inside, condition_of(view.array, static_cast<int>(axis), view.axes[axis].start, out), *this,
             out);
    note_pending(out);
    if (!inside) return;
    const Operand zero = ir::constant_int(types::i64, 0);
    for (ir::ViewAxis& axis : view.axes) {
      axis.start = compute(types::i64, ir::Select{*inside, axis.start, zero}, out);
      if (axis.kind == ir::ViewAxis::Kind::Range)
        axis.count = compute(types::i64, ir::Select{*inside, axis.count, zero}, out);
    }
  }

  void visit(Stmt stmt, Body& out) {
    span_ = stmt.span;
    scope_ = stmt.scope;
    if (auto* guard = std::get_if<ir::Guard>(&stmt.node)) {
      const bool stays = !is_kept(stmt);
      add_test(*guard, out);
      if (stays) out.push_back(std::move(stmt));
      return;
    }
    if (const auto* fit = std::get_if<ir::Fit>(&stmt.node); fit && is_kept(stmt)) return add_test(*fit, out);
    if (auto* load = std::get_if<ir::Load>(&stmt.node)) {
      const ir::Load access = *load;
      return clamp(std::move(stmt), access.array, access.indices, access.slot, out);
    }
    if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
      const ir::Store access = *store;
      return clamp(std::move(stmt), access.array, access.indices, std::nullopt, out);
    }
    if (auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) {
      const ir::Atomic access = *atomic;
      return clamp(std::move(stmt), access.array, access.indices, access.slot, out);
    }
    if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
      // Nobody can tell whether a note comes before or behind what is only computed.
      if (auto* view = std::get_if<ir::View>(&assign->value)) clamp_view(*view, out);
      out.push_back(std::move(stmt));
      return;
    }
    note_pending(out);
    if (auto* call = std::get_if<ir::Call>(&stmt.node);
        call && clamping_[static_cast<std::size_t>(call->function)]) {
      call->args.push_back(noted());
      call->results.push_back(noted_);
    }
    if (auto* last = std::get_if<ir::Return>(&stmt.node); last && !function_.is_kernel)
      last->values.push_back(noted());
    ir::visit_bodies(stmt, [&](Body& inner) { visit(inner); });
    out.push_back(std::move(stmt));
  }

  void visit(Body& body) {
    const std::size_t known = tests_.size();
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) visit(std::move(stmt), result);
    note_pending(result);
    tests_.resize(known);
    body = std::move(result);
  }

  ir::Function& function_;
  std::vector<ir::KernelParam>& params_; // of the source
  const std::vector<bool>& clamping_;
  ir::SlotId noted_{};
  std::vector<Test> tests_;
  std::vector<std::size_t> pending_; // of them, those that are to be noted where they are bad
  Span span_{};
  ir::ScopeId scope_{};
};

} // namespace

void clamp_guards(ir::Module& module) {
  if (!module.clamps) return;
  const std::vector<bool> clamping = find_clamping(module);
  for (std::size_t id = 0; id < module.functions.size(); ++id)
    if (clamping[id]) Clamper(module.functions[id], module.params[id], clamping).run();
}

} // namespace kern
