// Everything that is written goes through emit(), which counts.
#include "compiler/check/core/emitter.h"

#include <algorithm>
#include <iterator>

#include "compiler/check/core/complex.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/support/limits.h"
#include "compiler/values/fold.h"

namespace kern::checker {

// Ends the work on a function. What is too much for the whole module is told once.
bool Emitter::overflow(const DiagnosticKind<std::int64_t>& kind, std::size_t limit, Span span) {
  overflowed_ = true;
  report(span, kind, static_cast<std::int64_t>(limit));
  return false;
}

static Span first_place(Context& context, Span span) {
  if (!context.too_large) context.too_large = span;
  return *context.too_large;
}

bool Emitter::count_statement(Span span) {
  if (overflowed_) return false;
  Span whole = instance ? instance->function->def->name_span : span;
  if (++statements_ > limits::ir_statements)
    return overflow(diag::too_many_statements, limits::ir_statements, whole);
  if (context.statements + statements_ <= limits::module_statements) return true;
  return overflow(diag::module_too_large, limits::module_statements, first_place(context, whole));
}

bool Emitter::count_steps(std::size_t steps, Span span) {
  if (overflowed_) return false;
  context.steps += steps;
  if (context.steps <= limits::check_steps) return true;
  return overflow(diag::too_much_work, limits::check_steps, first_place(context, span));
}

void Emitter::emit(decltype(ir::Stmt::node) node, Span span) {
  auto take_hint = [&](auto* access) {
    if (access) access->hint = std::exchange(hint_, ir::CacheHint::None);
  };
  if (hint_ != ir::CacheHint::None)
    take_hint(std::get_if<ir::Load>(&node)), take_hint(std::get_if<ir::Store>(&node));
  if (count_statement(span)) body_->push_back({std::move(node), span});
}

ir::SlotId Emitter::new_slot(std::string name, Type type, ir::Slot::Kind kind, Span span) {
  function_.slots.push_back({std::move(name), type, kind, span});
  return static_cast<ir::SlotId>(function_.slots.size() - 1);
}

ir::Operand Emitter::temp(Type type, ir::Expr expr, Span span) {
  ir::SlotId slot = new_slot("", type, ir::Slot::Kind::Temp, span);
  emit(ir::Assign{slot, std::move(expr)}, span);
  return slot_operand(slot);
}

ir::Operand Emitter::variable(Type type, Span span) {
  return slot_operand(new_slot("", type, ir::Slot::Kind::Variable, span));
}

void Emitter::assign(ir::SlotId slot, ir::Operand value, Span span) {
  if (value.slot == slot) return;
  emit(ir::Assign{slot, ir::Copy{value}}, span);
}

// Returns the slot that a statement assigns if that is all it does to slots.
static ir::SlotId* result_of(ir::Stmt& stmt) {
  if (auto* assign = std::get_if<ir::Assign>(&stmt.node)) return &assign->slot;
  if (auto* load = std::get_if<ir::Load>(&stmt.node)) return &load->slot;
  if (auto* atomic = std::get_if<ir::Atomic>(&stmt.node)) return atomic->slot ? &*atomic->slot : nullptr;
  if (auto* call = std::get_if<ir::CallEffect>(&stmt.node)) return call->slot ? &*call->slot : nullptr;
  return nullptr;
}

// The last statement may have just computed the value into a temporary: then it assigns the slot instead.
void Emitter::retarget(ir::SlotId slot, ir::Operand value, Span span) {
  bool is_temp = value.slot && this->slot(*value.slot).kind == ir::Slot::Kind::Temp && !body_->empty();
  ir::SlotId* result = is_temp ? result_of(body_->back()) : nullptr;
  if (!result || *result != *value.slot || slot_operand(slot).type != value.type)
    return assign(slot, value, span);
  *result = slot;
  if (static_cast<std::size_t>(*value.slot) + 1 == function_.slots.size()) function_.slots.pop_back();
}

ir::Body Emitter::body_of(const std::function<void()>& write) {
  ir::Body inner;
  write_into(inner, write);
  return inner;
}

void Emitter::write_into(ir::Body& inner, const std::function<void()>& write) {
  ir::Body* outer = std::exchange(body_, &inner);
  outer_bodies_.push_back(outer);
  write();
  outer_bodies_.pop_back();
  body_ = outer;
}

void Emitter::append(ir::Body body) { std::ranges::move(body, std::back_inserter(*body_)); }

std::vector<const ir::Body*> Emitter::open_bodies() const {
  std::vector<const ir::Body*> bodies = outer_bodies_;
  bodies.push_back(body_);
  return bodies;
}

void Emitter::make_contract(kern::Expression condition) {
  auto& check = std::get<ir::Check>(body_->back().node);
  check.contract = static_cast<std::uint32_t>(function_.contracts.size());
  function_.contracts.push_back({std::move(condition), check.site});
}

ir::Operand Emitter::unary(ir::UnaryOp op, ir::Operand value, Span span) {
  if (std::optional<ir::Operand> folded = fold_unary(op, value)) return *folded;
  return temp(value.type, ir::Unary{op, value}, span);
}

ir::Operand Emitter::pure(Builtin builtin, Type type, std::vector<ir::Operand> args, Span span) {
  if (std::optional<ir::Operand> folded = fold_builtin(builtin, type, args)) return *folded;
  return temp(type, ir::CallPure{builtin, std::move(args)}, span);
}

ir::Operand Emitter::binary(ir::BinaryOp op, ir::Operand left, ir::Operand right, Span span) {
  if (std::optional<ir::Operand> folded = fold_binary(op, left, right)) return *folded;
  bool right_is_int = !right.slot && is_integer(right.type);
  bool neutral = right_is_int &&
                 ((right.bits == 0 && (op == ir::BinaryOp::Add || op == ir::BinaryOp::Subtract)) ||
                  (right.bits == 1 && (op == ir::BinaryOp::Multiply || op == ir::BinaryOp::FloorDivide)));
  if (neutral) return left;
  bool keeps = op == ir::BinaryOp::BitAnd;
  bool bools = is_boolean(left.type) && (op == ir::BinaryOp::BitAnd || op == ir::BinaryOp::BitOr);
  if (bools && !left.slot) return (left.bits != 0) == keeps ? right : left;
  return temp(left.type, ir::Binary{op, left, right}, span);
}

ir::Operand Emitter::compare(ir::CompareOp op, ir::Operand left, ir::Operand right, Span span) {
  if (std::optional<ir::Operand> folded = fold_compare(op, left, right)) return *folded;
  return temp(types::boolean, ir::Compare{op, left, right}, span);
}

ir::Operand Emitter::select(ir::Operand condition, ir::Operand yes, ir::Operand no, Span span) {
  if (!condition.slot) return condition.bits != 0 ? yes : no;
  if (yes == no) return yes;
  return temp(yes.type, ir::Select{condition, yes, no}, span);
}

ir::Operand Emitter::extent(ir::Operand array, int axis, Span span) {
  return temp(types::i64, ir::Extent{array, axis}, span);
}

ir::SiteId Emitter::site(ir::FaultKind kind, Span span, std::string array, const ir::Operand* base) {
  ir::Site site{kind, span, std::move(array), "", {}, {}};
  if (base && base->slot) {
    const ir::Slot& slot = this->slot(*base->slot);
    if (slot.kind == ir::Slot::Kind::Param && instance && instance->is_kernel) site.param = slot.name;
  }
  if (instance && instance->id) site.function = *instance->id;
  context.module.sites.push_back(std::move(site));
  return static_cast<ir::SiteId>(context.module.sites.size() - 1);
}

void Emitter::check_condition(ir::Operand condition, ir::FaultKind kind, Span span, std::string words) {
  if (!condition.slot && condition.bits != 0) return;
  emit(ir::Check{condition, site(kind, span, std::move(words)), std::nullopt}, span);
}

ir::Operand Emitter::plain_cast(ir::Operand value, Type type, Span span) {
  if (value.type == type) return value;
  if (is_complex(type) || is_complex(value.type)) return convert_complex(*this, value, type, span);
  if (std::optional<ir::Operand> folded = fold_convert(value, type)) return *folded;
  if (is_boolean(type)) {
    ir::Operand zero =
        is_float(value.type) ? ir::constant_float(value.type, 0) : ir::constant_int(value.type, 0);
    return compare(ir::CompareOp::NotEqual, value, zero, span);
  }
  return temp(type, ir::Convert{value}, span);
}

} // namespace kern::checker
