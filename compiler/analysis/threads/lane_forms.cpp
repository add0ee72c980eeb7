// Integers do not wrap here. A base is a multiple of 32 wherever it matters, so the lanes of one warp do not lie on
// both sides of where a type wraps, but for arithmetic that nobody writes; what asks is a warning.
#include "compiler/analysis/threads/lane_forms.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/analysis/threads/special_register.h"
#include "compiler/builtins/builtins.h"
#include "compiler/support/overloaded.h"
#include "runtime/common/integers.h"

namespace kern {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 40; // of an offset
constexpr std::int64_t most_align = std::int64_t{1} << 20;
constexpr std::int64_t lanes = 32;

using Form = std::optional<LaneForm>;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Returns the greatest common divisor of two divisors of bases; 0 is the divisor of the base 0.
std::int64_t common(std::int64_t a, std::int64_t b) { return std::gcd(a, b); }

std::int64_t power_in(std::int64_t value) {
  return value == 0 ? most_align : std::min(most_align, value & -value);
}

bool is_constant(const LaneForm& form) { return form.align == 0 && form.is_uniform(); }

// The greatest known power of two that divides a value which is the same in all lanes.
std::int64_t align_of(const LaneForm& form) {
  const std::int64_t own = power_in(form.offsets[0]);
  return form.align == 0 ? own : std::min(own, form.align);
}

template <class Operation> Form each(std::int64_t align, const Operation& operation) {
  LaneForm result{align, {}, false};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    result.offsets[lane] = operation(lane);
    if (std::abs(result.offsets[lane]) > most) return std::nullopt;
  }
  return result;
}

Form sum(const LaneForm& a, const LaneForm& b, std::int64_t sign) {
  return each(common(a.align, b.align),
              [&](std::size_t lane) { return a.offsets[lane] + sign * b.offsets[lane]; });
}

Form product(const LaneForm& a, const LaneForm& b) {
  if (is_constant(b) && std::abs(b.offsets[0]) < most_align) {
    const std::int64_t factor = b.offsets[0];
    const std::int64_t align = factor == 0 ? 0 : std::min(most_align, a.align * power_in(factor));
    return each(align, [&](std::size_t lane) { return a.offsets[lane] * factor; });
  }
  if (is_constant(a) && std::abs(a.offsets[0]) < most_align) return product(b, a);
  if (a.is_uniform() && b.is_uniform())
    return LaneForms::same(std::min(most_align, align_of(a) * align_of(b)));
  return std::nullopt;
}

// Says whether the lanes lie in one piece of that many, whatever the base is.
bool in_one_piece(const LaneForm& form, std::int64_t piece) {
  return std::all_of(form.offsets.begin(), form.offsets.end(), [&](std::int64_t offset) {
    return floor_divide(offset, piece) == floor_divide(form.offsets[0], piece);
  });
}

// Returns the greatest known power of two that divides both the base and a divisor that is the same in all
// lanes.
std::int64_t piece_of(const LaneForm& form, const LaneForm& divisor) {
  const std::int64_t align = align_of(divisor);
  return form.align == 0 ? align : std::min(power_in(form.align), align);
}

// A divisor that is negative rounds the other way.
bool may_divide(const LaneForm& a, const LaneForm& b) {
  if (!b.is_uniform()) return false;
  return is_constant(b) ? b.offsets[0] > 0 : b.is_positive || a.is_uniform();
}

Form quotient(const LaneForm& a, const LaneForm& b) {
  if (!may_divide(a, b)) return std::nullopt;
  if (is_constant(b) && (a.align == 0 || a.align % b.offsets[0] == 0))
    return each(a.align / b.offsets[0],
                [&](std::size_t lane) { return floor_divide(a.offsets[lane], b.offsets[0]); });
  if (a.is_uniform() || in_one_piece(a, piece_of(a, b))) return LaneForms::same();
  return std::nullopt;
}

Form remainder(const LaneForm& a, const LaneForm& b) {
  if (!may_divide(a, b)) return std::nullopt;
  const auto rest = [](std::int64_t value, std::int64_t divisor) {
    return value - divisor * floor_divide(value, divisor);
  };
  if (is_constant(b) && (a.align == 0 || a.align % b.offsets[0] == 0))
    return each(0, [&](std::size_t lane) { return rest(a.offsets[lane], b.offsets[0]); });
  const std::int64_t piece = piece_of(a, b);
  if (!in_one_piece(a, piece)) return std::nullopt;
  return each(piece, [&](std::size_t lane) { return rest(a.offsets[lane], piece); });
}

// A mask of low bits is a remainder; one of all others takes it away.
Form masked(const LaneForm& a, const LaneForm& mask) {
  if (!is_constant(mask)) return std::nullopt;
  const std::int64_t bits = mask.offsets[0];
  const bool low = bits >= 0;
  const std::int64_t size = low ? bits + 1 : -bits;
  if (size <= 0 || size > most_align || !std::has_single_bit(static_cast<std::uint64_t>(size)))
    return std::nullopt;
  const Form rest = remainder(a, LaneForms::constant(size));
  return low || !rest ? rest : sum(a, *rest, -1);
}

Form shifted(const LaneForm& a, const LaneForm& count, bool left) {
  if (!is_constant(count) || count.offsets[0] < 0 || count.offsets[0] > 20) return std::nullopt;
  const LaneForm power = LaneForms::constant(std::int64_t{1} << count.offsets[0]);
  return left ? product(a, power) : quotient(a, power);
}

// Says whether all lanes answer a comparison of a form with 0 alike.
bool answers_alike(ir::CompareOp op, const LaneForm& form) {
  if (form.is_uniform()) return true;
  const std::int64_t piece = form.align == 0 ? 0 : power_in(form.align);
  const auto sign_of = [&](std::int64_t offset) {
    return piece == 0 ? (offset < 0 ? -1 : 0) : floor_divide(offset, piece);
  };
  const auto all = [&](std::int64_t shift) {
    return std::all_of(form.offsets.begin(), form.offsets.end(), [&](std::int64_t offset) {
      return sign_of(offset + shift) == sign_of(form.offsets[0] + shift);
    });
  };
  switch (op) {
  case ir::CompareOp::Less:
  case ir::CompareOp::GreaterEqual: return all(0);
  case ir::CompareOp::LessEqual:
  case ir::CompareOp::Greater: return all(-1);
  case ir::CompareOp::Equal:
  case ir::CompareOp::NotEqual:
    return std::none_of(form.offsets.begin(), form.offsets.end(),
                        [&](std::int64_t offset) { return piece == 0 ? offset == 0 : offset % piece == 0; });
  }
  return false;
}

bool has_negative(const LaneForm& form) {
  return std::any_of(form.offsets.begin(), form.offsets.end(),
                     [](std::int64_t offset) { return offset < 0; });
}

Form binary(ir::BinaryOp op, const LaneForm& a, const LaneForm& b) {
  switch (op) {
  case ir::BinaryOp::Add: return sum(a, b, 1);
  case ir::BinaryOp::Subtract: return sum(a, b, -1);
  case ir::BinaryOp::Multiply: return product(a, b);
  case ir::BinaryOp::FloorDivide: return quotient(a, b);
  case ir::BinaryOp::Modulo: return remainder(a, b);
  case ir::BinaryOp::BitAnd: {
    const Form result = masked(a, b);
    return result ? result : masked(b, a);
  }
  case ir::BinaryOp::ShiftLeft: return shifted(a, b, true);
  case ir::BinaryOp::ShiftRight: return shifted(a, b, false);
  case ir::BinaryOp::Divide:
  case ir::BinaryOp::BitOr:
  case ir::BinaryOp::BitXor: return std::nullopt;
  }
  return std::nullopt;
}

// A block of which each warp is whole rows, part of one, or a piece of the only one there is.
bool lies_by_rows(const std::array<std::int64_t, 3>& block) {
  return block[0] % lanes == 0 || block[1] * block[2] == 1;
}

} // namespace

bool LaneForm::is_uniform() const {
  return std::all_of(offsets.begin(), offsets.end(),
                     [&](std::int64_t offset) { return offset == offsets[0]; });
}

std::optional<bool> last_lanes(ir::CompareOp op, const LaneForm& left, const LaneForm& right) {
  const Form difference = sum(left, right, -1);
  if (!difference) return std::nullopt;
  const bool is_order = op != ir::CompareOp::Equal && op != ir::CompareOp::NotEqual;
  const bool holds_above = op == ir::CompareOp::Greater || op == ir::CompareOp::GreaterEqual;
  const auto& offsets = difference->offsets;
  if (is_order && std::is_sorted(offsets.begin(), offsets.end())) return holds_above;
  if (is_order && std::is_sorted(offsets.rbegin(), offsets.rend())) return !holds_above;
  return std::nullopt;
}

LaneForm LaneForms::same(std::int64_t align) { return {align, {}, false}; }

LaneForm LaneForms::constant(std::int64_t value) {
  LaneForm form;
  form.offsets.fill(value);
  return form;
}

LaneForms::LaneForms(const ir::Module& module, const ir::Function& function) : module_(module) {
  if (function.is_kernel) {
    block_ = function.options.block;
    return;
  }
  is_known_ = std::all_of(module.functions.begin(), module.functions.end(), [](const ir::Function& each) {
    return !each.options.block || lies_by_rows(*each.options.block);
  });
}

std::optional<LaneForm> LaneForms::thread_index(std::size_t axis) const {
  const auto lane_plus = [](std::int64_t align) {
    return each(align, [](std::size_t lane) { return static_cast<std::int64_t>(lane); });
  };
  if (!is_known_) return std::nullopt;
  if (!block_ || lies_by_rows(*block_)) return axis == 0 ? lane_plus(lanes) : Form(same());
  // `before` threads make one step along the axis, `around` one of the next.
  const std::array<std::int64_t, 3>& block = *block_;
  const std::int64_t before = axis == 0 ? 1 : axis == 1 ? block[0] : block[0] * block[1];
  const std::int64_t around = before * block[axis];
  const bool is_last = axis == 2 || (axis == 1 && block[2] == 1);
  if (before % lanes == 0) return same();
  if (lanes % before != 0) return std::nullopt;
  const auto step = [&](std::size_t lane) { return static_cast<std::int64_t>(lane) / before; };
  if (is_last || around % lanes == 0) return each(lanes / before, step);
  if (lanes % around != 0) return std::nullopt;
  return each(0, [&](std::size_t lane) { return step(lane) % block[axis]; });
}

std::optional<LaneForm> LaneForms::thread_value(Builtin builtin) const {
  const auto extent = [&](std::size_t axis) -> Form {
    if (block_) return constant((*block_)[axis]);
    LaneForm form = same(axis == 0 && is_known_ ? lanes : 1);
    form.is_positive = true;
    return form;
  };
  const std::optional<SpecialRegister> read = special_register(builtin);
  if (!read) return std::nullopt;
  switch (read->kind) {
  case SpecialRegister::Kind::ThreadIndex: return thread_index(read->axis);
  case SpecialRegister::Kind::BlockDim: return extent(read->axis);
  case SpecialRegister::Kind::LaneId:
    return each(0, [](std::size_t lane) { return static_cast<std::int64_t>(lane); });
  case SpecialRegister::Kind::BlockIndex:
  case SpecialRegister::Kind::GridDim: break; // the same in all lanes
  }
  return std::nullopt;
}

std::optional<LaneForm> LaneForms::evaluate(const ir::Expr& expr, Type type, const Lookup& lookup) const {
  const auto in_type = [](const Form& form, Type of) -> Form {
    if (!form || !is_integer(of)) return std::nullopt;
    return !is_signed(of) && has_negative(*form) ? std::nullopt : form;
  };
  return match(
      expr, [&](const ir::Copy& e) { return lookup(e.value); },
      [&](const ir::Convert& e) {
        const bool keeps = is_integer(e.value.type) && is_integer(type) && bit_width(type->scalar) >= 32;
        return keeps ? in_type(lookup(e.value), type) : std::nullopt;
      },
      [&](const ir::Unary& e) -> Form {
        const Form value = lookup(e.value);
        if (!value) return std::nullopt;
        if (e.op == ir::UnaryOp::Not && value->is_uniform()) return same();
        return e.op == ir::UnaryOp::Negate ? in_type(sum(constant(0), *value, -1), type) : std::nullopt;
      },
      [&](const ir::Binary& e) -> Form {
        const Form a = lookup(e.left), b = lookup(e.right);
        return a && b && is_integer(type) ? in_type(binary(e.op, *a, *b), type) : std::nullopt;
      },
      [&](const ir::Compare& e) -> Form {
        const Form a = lookup(e.left), b = lookup(e.right);
        const Form difference = a && b && is_integer(e.left.type) ? sum(*a, *b, -1) : std::nullopt;
        return difference && answers_alike(e.op, *difference) ? Form(same()) : std::nullopt;
      },
      [&](const ir::CallPure& e) { return thread_value(e.builtin); }, [](const auto&) -> Form { return {}; });
}

std::vector<std::optional<LaneForm>>
LaneForms::results(const ir::Function& callee, const std::vector<std::optional<LaneForm>>& args) const {
  std::vector<Form> forms(callee.slots.size()), none(callee.results.size());
  std::copy_n(args.begin(), std::min(args.size(), forms.size()), forms.begin());
  const Lookup lookup = [&](const ir::Operand& operand) -> Form {
    if (operand.slot) return forms[static_cast<std::size_t>(*operand.slot)];
    return is_integer(operand.type) ? Form(constant(ir::int_value(operand))) : std::nullopt;
  };
  for (const ir::Stmt& stmt : callee.body) {
    if (const auto* last = std::get_if<ir::Return>(&stmt.node)) {
      for (std::size_t i = 0; i < last->values.size(); ++i) none[i] = lookup(last->values[i]);
      return none;
    }
    if (const auto* call = std::get_if<ir::Call>(&stmt.node)) {
      std::vector<Form> inner;
      for (const ir::Operand& arg : call->args) inner.push_back(lookup(arg));
      inner = results(module_.function(call->function), inner);
      for (std::size_t i = 0; i < call->results.size(); ++i)
        forms[static_cast<std::size_t>(call->results[i])] = inner[i];
      continue;
    }
    // What does not fit is a fault, and else nothing changes.
    if (std::holds_alternative<ir::Fit>(stmt.node)) continue;
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (!assign) return none;
    const auto slot = static_cast<std::size_t>(assign->slot);
    forms[slot] = evaluate(assign->value, callee.slots[slot].type, lookup);
  }
  return none;
}

std::optional<LaneForm> LaneForms::progression(const LaneForm& start, const LaneForm& step) const {
  if (!step.is_uniform()) return std::nullopt;
  LaneForm form = start;
  form.align = common(start.align, align_of(step));
  return form;
}

} // namespace kern
