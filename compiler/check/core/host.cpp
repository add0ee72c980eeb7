// The statements that computed an operand are read back: what the thread would compute is what the host
// computes.
#include "compiler/check/core/host.h"

#include <algorithm>
#include <set>

#include "compiler/ir/definitions.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"

namespace kern::checker {

namespace {

using Op = ExpressionOp;
using Bodies = std::vector<const ir::Body*>; // innermost last

kern::Expression node(Op op, std::vector<kern::Expression> operands, std::int64_t value = 0) {
  kern::Expression result;
  result.op = op;
  result.value = value;
  result.operands = std::move(operands);
  return result;
}

// Says whether a float type holds every value of another type: half of its bits at least are its precision.
bool rounds_nothing(Type from, Type type) {
  int bits = bit_width(type->scalar), from_bits = bit_width(from->scalar);
  return is_float(from) ? from == type || from_bits < bits : 2 * from_bits <= bits;
}

// An integer as its type has it. The host's have 64 bits and wrap, as the widest of a kernel do.
kern::Expression wrapped(kern::Expression value, Type type) {
  bool stays = value.op == Op::Modulo || is_float(type) || bit_width(type->scalar) == 64;
  if (stays) return value;
  kern::Expression result = node(Op::Wrap, {std::move(value)});
  result.type = *ir::expression_type(type);
  return result;
}

// Says whether the host's operation, on 64 bits with a sign, finds the order of an operand to others: not
// where that may be a u64 beyond, except that it compares such a scalar.
bool has_order(Op op, Type type, const kern::Expression& operand) {
  if (type != types::u64) return true;
  bool compares = op >= Op::Equal && op <= Op::GreaterEqual;
  if (operand.op == Op::Constant) return operand.value >= 0;
  if (operand.op == Op::Scalar)
    return operand.type == ExpressionType::Bool ||
           (operand.type >= ExpressionType::U8 && (compares || operand.type != ExpressionType::U64));
  return operand.op == Op::Extent || operand.op == Op::BlockDim || operand.op == Op::GridDim;
}

bool needs_launch(const kern::Expression& expression) {
  return expression.op == Op::Scalar || expression.op == Op::Extent || expression.op == Op::BlockDim ||
         expression.op == Op::GridDim ||
         std::any_of(expression.operands.begin(), expression.operands.end(), needs_launch);
}

// The truth of a condition that no launch changes.
std::optional<bool> known_truth(const kern::Expression& condition) {
  if (needs_launch(condition)) return std::nullopt;
  std::optional<ExpressionValue> value = evaluate(condition, {});
  return value && !value->is_real ? std::optional(value->integer != 0) : std::nullopt;
}

// Says whether a function only computes: no memory, no loop, no check that may fail but fits, which stay with the thread, as
// the host goes on with the low bits. Each that it calls is looked at once: it may call itself.
bool only_computes(const ir::Module& module, ir::FunctionId id, std::set<ir::FunctionId>& seen) {
  if (!seen.insert(id).second) return true;
  return !ir::any(module.function(id).body, [&](const ir::Stmt& stmt) {
    if (const auto* call = std::get_if<ir::Call>(&stmt.node))
      return !only_computes(module, call->function, seen);
    return !std::holds_alternative<ir::Assign>(stmt.node) && !std::holds_alternative<ir::If>(stmt.node) &&
           !std::holds_alternative<ir::Return>(stmt.node) && !std::holds_alternative<ir::Fit>(stmt.node);
  });
}

// Reads what a kernel computes, or a device function that it calls.
struct Reader {
  const Checker& checker;
  const ir::Function& function = checker.function();
  int own_steps = 0;
  int& steps = own_steps; // of one expression, with what it calls: a guard against large trees
  // These are set for a called function, which is complete: its definitions, its caller and the call.
  const ir::Definitions* definitions = nullptr;
  Reader* caller = nullptr;
  const ir::Call* call = nullptr;
  const Bodies* caller_bodies = nullptr;

  using Result = std::optional<kern::Expression>;

  bool is_param(ir::SlotId slot) const { return static_cast<std::uint32_t>(slot) < function.param_count; }

  // A variable stands for its one assignment only.
  bool is_settled(ir::SlotId slot) const {
    const ir::Slot& info = function.slots[static_cast<std::size_t>(slot)];
    if (info.kind == ir::Slot::Kind::Temp || info.name.empty()) return true;
    if (definitions) return definitions->writes(slot) == 1 && definitions->is_steady(slot);
    auto local = checker.instance->locals.find(std::string_view(info.name));
    return local != checker.instance->locals.end() && local->second.sites <= 1;
  }

  const ir::Operand& argument(ir::SlotId param) const { return call->args[static_cast<std::size_t>(param)]; }

  Result read_param(const ir::Operand& operand) {
    if (!caller) return scalar(operand);
    if (definitions->writes(*operand.slot) > 0) return std::nullopt;
    return caller->read(argument(*operand.slot), *caller_bodies);
  }

  Result read(const ir::Operand& operand, const Bodies& bodies) {
    if (++steps > 200) return std::nullopt;
    if (!operand.slot) return constant(operand);
    if (is_param(*operand.slot)) return read_param(operand);
    if (!is_settled(*operand.slot)) return std::nullopt;
    for (std::size_t level = bodies.size(); level-- > 0;)
      for (std::size_t i = bodies[level]->size(); i-- > 0;) {
        const ir::Stmt& stmt = (*bodies[level])[i];
        const auto* assign = std::get_if<ir::Assign>(&stmt.node);
        if (assign && assign->slot == *operand.slot) return read_expr(assign->value, operand.type, bodies);
        if (const auto* called = std::get_if<ir::Call>(&stmt.node)) {
          auto result = std::find(called->results.begin(), called->results.end(), *operand.slot);
          if (result != called->results.end())
            return read_result(*called, static_cast<std::size_t>(result - called->results.begin()), bodies);
        }
        const auto* branch = std::get_if<ir::If>(&stmt.node);
        if (branch && assigns_last(branch->then_body, *operand.slot))
          return read_if(*branch, *operand.slot, bodies);
      }
    return std::nullopt;
  }

  // Reads a result of a device function that only computes.
  Result read_result(const ir::Call& called, std::size_t result, const Bodies& bodies) {
    const ir::Module& module = checker.context.module;
    const ir::Function& callee = module.function(called.function);
    std::set<ir::FunctionId> seen;
    if (!only_computes(module, called.function, seen)) return std::nullopt;
    ir::Definitions callee_definitions(callee);
    Reader inner{checker, callee, 0, steps, &callee_definitions, this, &called, &bodies};
    return inner.read_return({&callee.body}, {0}, result);
  }

  // Reads what is returned from a place on, which is the statement `next` of each body, innermost last.
  Result read_return(Bodies bodies, std::vector<std::size_t> next, std::size_t result) {
    if (++steps > 200) return std::nullopt;
    while (!bodies.empty() && next.back() == bodies.back()->size()) {
      bodies.pop_back();
      next.pop_back();
    }
    if (bodies.empty()) return std::nullopt;
    const ir::Stmt& stmt = (*bodies.back())[next.back()++];
    // A return in which an error was reported has no values.
    if (const auto* end = std::get_if<ir::Return>(&stmt.node))
      return result < end->values.size() ? read(end->values[result], bodies) : std::nullopt;
    auto returns = [](const ir::Stmt& inner) { return std::holds_alternative<ir::Return>(inner.node); };
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    if (!branch || !ir::any(stmt, returns)) return read_return(std::move(bodies), std::move(next), result);
    Result condition = read(branch->condition, bodies);
    auto way = [&](const ir::Body& body) {
      Bodies inner = bodies;
      std::vector<std::size_t> rest = next;
      inner.push_back(&body);
      rest.push_back(0);
      return read_return(std::move(inner), std::move(rest), result);
    };
    std::optional<bool> truth = condition ? known_truth(*condition) : std::nullopt;
    if (truth) return way(*truth ? branch->then_body : branch->else_body);
    Result yes = way(branch->then_body), no = way(branch->else_body);
    return condition && yes && no ? Result(node(Op::Select, {*condition, *yes, *no})) : std::nullopt;
  }

  static Result constant(const ir::Operand& operand) {
    if (!is_scalar(operand.type) || is_complex(operand.type)) return std::nullopt;
    if (!is_float(operand.type)) return node(Op::Constant, {}, static_cast<std::int64_t>(operand.bits));
    kern::Expression result = node(Op::ConstantReal, {});
    result.real = ir::float_value(operand);
    return result;
  }

  Result scalar(const ir::Operand& operand) const {
    if (!ir::expression_type(operand.type)) return std::nullopt;
    return ir::scalar_expression(function, *operand.slot);
  }

  static const ir::Assign* assigns_last(const ir::Body& body, ir::SlotId slot) {
    const auto* assign = body.empty() ? nullptr : std::get_if<ir::Assign>(&body.back().node);
    return assign && assign->slot == slot ? assign : nullptr;
  }

  // Says whether an end of an `if` is what its condition is there: the condition itself, or that constant.
  static bool is_copy_of(const ir::Assign& end, const ir::Operand& condition, bool truth) {
    const auto* copy = std::get_if<ir::Copy>(&end.value);
    return copy && (copy->value == condition || copy->value == ir::constant_bool(truth));
  }

  // `a and b`, `a or b`, chained comparisons and `a if c else b`: variables that both ways of an `if` assign.
  Result read_if(const ir::If& branch, ir::SlotId slot, const Bodies& bodies) {
    const ir::Assign *yes = assigns_last(branch.then_body, slot), *no = assigns_last(branch.else_body, slot);
    Result condition = read(branch.condition, bodies);
    if (!yes || !no || !condition) return std::nullopt;
    Type type = function.slots[static_cast<std::size_t>(slot)].type;
    Bodies then_bodies = bodies, else_bodies = bodies;
    then_bodies.push_back(&branch.then_body);
    else_bodies.push_back(&branch.else_body);
    if (type != types::boolean) {
      Result yes_value = read_expr(yes->value, type, then_bodies),
             no_value = read_expr(no->value, type, else_bodies);
      if (!yes_value || !no_value) return std::nullopt;
      return node(Op::Select, {*condition, *yes_value, *no_value});
    }
    Result a = read_expr(yes->value, types::boolean, then_bodies);
    if (a && is_copy_of(*no, branch.condition, false)) return node(Op::And, {*condition, *a});
    Result b = read_expr(no->value, types::boolean, else_bodies);
    if (b && is_copy_of(*yes, branch.condition, true)) return node(Op::Or, {*condition, *b});
    if (!a || !b) return std::nullopt;
    kern::Expression taken = node(Op::And, {*condition, *a});
    kern::Expression other = node(Op::And, {node(Op::Not, {*condition}), *b});
    return node(Op::Or, {taken, other});
  }

  Result pair(Op op, const ir::Operand& left, const ir::Operand& right, const Bodies& bodies) {
    Result a = read(left, bodies), b = read(right, bodies);
    return a && b ? Result(node(op, {*a, *b})) : std::nullopt;
  }

  // The same where the order of numbers counts.
  Result ordered(Op op, const ir::Operand& left, const ir::Operand& right, const Bodies& bodies) {
    Result result = pair(op, left, right, bodies);
    bool is_exact = result && has_order(op, left.type, result->operands[0]) &&
                    has_order(op, right.type, result->operands[1]);
    if (result && !is_exact) result->type = ExpressionType::U64;
    return result;
  }

  Result read_expr(const ir::Expr& expr, Type type, const Bodies& bodies) {
    if (const auto* copy = std::get_if<ir::Copy>(&expr)) return read(copy->value, bodies);
    if (const auto* extent = std::get_if<ir::Extent>(&expr)) return read_extent(*extent);
    if (const auto* call = std::get_if<ir::CallPure>(&expr)) return read_call(*call, bodies);
    if (const auto* compare = std::get_if<ir::Compare>(&expr))
      return ordered(compare_op(compare->op), compare->left, compare->right, bodies);
    if (const auto* unary = std::get_if<ir::Unary>(&expr)) return read_unary(*unary, bodies);
    if (const auto* convert = std::get_if<ir::Convert>(&expr)) return read_convert(*convert, type, bodies);
    if (const auto* binary = std::get_if<ir::Binary>(&expr)) return read_binary(*binary, type, bodies);
    if (const auto* choice = std::get_if<ir::Select>(&expr)) {
      Result condition = read(choice->condition, bodies);
      Result yes = read(choice->then_value, bodies), no = read(choice->else_value, bodies);
      if (!condition || !yes || !no) return std::nullopt;
      return node(Op::Select, {*condition, *yes, *no});
    }
    return std::nullopt;
  }

  Result read_unary(const ir::Unary& unary, const Bodies& bodies) {
    Result value = read(unary.value, bodies);
    if (!value) return std::nullopt;
    if (unary.op == ir::UnaryOp::BitNot) {
      if (!is_integer(unary.value.type)) return std::nullopt;
      return wrapped(node(Op::Subtract, {node(Op::Constant, {}, -1), *value}), unary.value.type);
    }
    if (unary.op == ir::UnaryOp::Not) return node(Op::Not, {*value});
    return wrapped(node(Op::Negate, {*value}), unary.value.type);
  }

  // Sums of reals are the thread's: it rounds as its type says, and may contract them.
  Result read_binary(const ir::Binary& binary, Type type, const Bodies& bodies) {
    bool shifts = binary.op == ir::BinaryOp::ShiftLeft || binary.op == ir::BinaryOp::ShiftRight;
    if (shifts) return read_shift(binary, type, bodies);
    std::optional<Op> op = binary_op(binary.op);
    if (!op || is_float(type)) return std::nullopt;
    bool divides = *op == Op::FloorDivide || *op == Op::Modulo;
    Result result = divides ? ordered(*op, binary.left, binary.right, bodies)
                            : pair(*op, binary.left, binary.right, bodies);
    return result ? Result(wrapped(std::move(*result), type)) : std::nullopt;
  }

  // A shift by a constant multiplies by a power of two, or divides by it and rounds down.
  Result read_shift(const ir::Binary& binary, Type type, const Bodies& bodies) {
    if (binary.right.slot || !is_integer(type)) return std::nullopt;
    auto count = static_cast<std::int64_t>(binary.right.bits);
    Result value = read(binary.left, bodies);
    if (!value || count < 0 || count >= std::min(bit_width(type->scalar), 63)) return std::nullopt;
    bool is_left = binary.op == ir::BinaryOp::ShiftLeft;
    kern::Expression result = node(is_left ? Op::Multiply : Op::FloorDivide,
                                   {*value, node(Op::Constant, {}, std::int64_t{1} << count)});
    if (!is_left && !has_order(Op::FloorDivide, type, *value)) result.type = ExpressionType::U64;
    return wrapped(std::move(result), type);
  }

  Result read_convert(const ir::Convert& convert, Type type, const Bodies& bodies) {
    Type from = convert.value.type;
    if (type == types::boolean || !is_scalar(from) || is_complex(from) || is_complex(type))
      return std::nullopt;
    bool is_exact = is_float(type) ? rounds_nothing(from, type) : !is_float(from);
    Result value = is_exact ? read(convert.value, bodies) : std::nullopt;
    // A u64 scalar is read as its bits from here on.
    if (value && value->op == Op::Scalar && value->type == ExpressionType::U64 && type == types::i64)
      value->type = ExpressionType::I64;
    if (!value || is_float(type) || is_boolean(from) || keeps_value(from, type)) return value;
    return wrapped(std::move(*value), type);
  }

  Result read_extent(const ir::Extent& extent) const {
    if (!extent.array.slot || !is_param(*extent.array.slot)) return std::nullopt;
    if (caller) {
      if (definitions->writes(*extent.array.slot) > 0) return std::nullopt;
      return caller->read_extent({argument(*extent.array.slot), extent.axis});
    }
    kern::Expression result = node(Op::Extent, {}, ir::block_slot(function, *extent.array.slot));
    result.axis = extent.axis;
    result.rank = extent.array.type->rank;
    return result;
  }

  Result read_call(const ir::CallPure& call, const Bodies& bodies) {
    std::string_view name = row(call.builtin).name;
    bool is_block = name.starts_with("blockDim."), is_grid = name.starts_with("gridDim.");
    if (is_block || is_grid)
      return ir::launch_expression(is_block ? Op::BlockDim : Op::GridDim, name.back() - 'x');
    if (call.builtin == Builtin::Abs) return read_abs(call.args[0], bodies);
    if (call.builtin == Builtin::Min) return ordered(Op::Minimum, call.args[0], call.args[1], bodies);
    if (call.builtin == Builtin::Max) return ordered(Op::Maximum, call.args[0], call.args[1], bodies);
    return std::nullopt;
  }

  Result read_abs(const ir::Operand& operand, const Bodies& bodies) {
    Result value = read(operand, bodies);
    if (!value || is_complex(operand.type)) return std::nullopt;
    if (is_integer(operand.type) && !is_signed(operand.type)) return value;
    return wrapped(node(Op::Maximum, {*value, node(Op::Negate, {*value})}), operand.type);
  }

  static Op compare_op(ir::CompareOp op) {
    switch (op) {
    case ir::CompareOp::Equal: return Op::Equal;
    case ir::CompareOp::NotEqual: return Op::NotEqual;
    case ir::CompareOp::Less: return Op::Less;
    case ir::CompareOp::LessEqual: return Op::LessEqual;
    case ir::CompareOp::Greater: return Op::Greater;
    case ir::CompareOp::GreaterEqual: return Op::GreaterEqual;
    }
    return Op::Equal;
  }

  static std::optional<Op> binary_op(ir::BinaryOp op) {
    switch (op) {
    case ir::BinaryOp::Add: return Op::Add;
    case ir::BinaryOp::Subtract: return Op::Subtract;
    case ir::BinaryOp::Multiply: return Op::Multiply;
    case ir::BinaryOp::FloorDivide: return Op::FloorDivide;
    case ir::BinaryOp::Modulo: return Op::Modulo;
    case ir::BinaryOp::Divide:
    case ir::BinaryOp::ShiftLeft:
    case ir::BinaryOp::ShiftRight: return std::nullopt;
    case ir::BinaryOp::BitAnd: return Op::BitAnd;
    case ir::BinaryOp::BitOr: return Op::BitOr;
    case ir::BinaryOp::BitXor: return Op::BitXor;
    }
    return std::nullopt;
  }
};

} // namespace

// Threads compute an extent with integers, and both ways of a conditional one: no way may divide.
static bool suits_threads(const kern::Expression& expression, bool is_conditional = false) {
  is_conditional = is_conditional || expression.op == Op::Select;
  bool is_real = expression.op == Op::ConstantReal ||
                 (expression.op == Op::Scalar && expression.type >= ExpressionType::F32);
  bool divides = expression.op == Op::FloorDivide || expression.op == Op::Modulo;
  if (is_real || (divides && is_conditional)) return false;
  return std::all_of(expression.operands.begin(), expression.operands.end(),
                     [&](const kern::Expression& operand) { return suits_threads(operand, is_conditional); });
}

std::optional<kern::Expression> host_extent(const Checker& checker, const ir::Operand& operand) {
  std::optional<kern::Expression> extent = host_expression(checker, operand);
  return extent && suits_threads(*extent) ? extent : std::nullopt;
}

std::optional<kern::Expression> host_expression(const Checker& checker, const ir::Operand& operand) {
  if (!checker.instance) return std::nullopt;
  return Reader{checker}.read(operand, checker.open_bodies());
}

} // namespace kern::checker
