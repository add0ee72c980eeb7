// Locals that are assigned only literals, arithmetic of them and of such locals. In the rounds of inference what
// is read of one has the type of a literal and knows which locals that comes from; whatever it meets notes its
// type with them. Only between rounds is anything decided, for all of them at once: so the order of statements
// does not matter.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"

namespace kern::checker {

namespace {

// Says whether a value of the running program has no type yet but that of a literal.
bool is_open(const Value& value) { return value.kind == ValueKind::Runtime && is_literal(value.type); }

bool waits(const Value& value) {
  return value.waits || is_unknown(value) || std::ranges::any_of(value.elements, waits);
}

template <class Visit> void each_leaf(const Value& value, const Visit& visit) {
  if (is_literal(value)) visit(value);
  for (const Value& element : value.elements) each_leaf(element, visit);
}

// Visits the literals that a value may be; none where it is anything else.
template <class Visit> void each_literal(const Value& value, const Visit& visit) {
  bool is_one = is_literal(value) || value.kind == ValueKind::Choice || value.kind == ValueKind::Element;
  if (is_one) each_leaf(value, visit);
}

void extend(LiteralUse& use, WideInt value, Span place) {
  if (value < use.least.value) use.least = {value, place};
  if (value > use.greatest.value) use.greatest = {value, place};
}

void extend(LiteralUse& use, const Value& literal) {
  if (is_int_literal(literal)) return extend(use, literal.integer, literal.span);
  for (double part : {literal.real(), literal.imaginary()})
    if (std::isfinite(part)) use.magnitude = std::max(use.magnitude, std::fabs(part));
}

std::span<Local* const> locals_of(const Value& value) {
  return value.literals ? std::span<Local* const>(*value.literals) : std::span<Local* const>();
}

bool is_before(Span a, Span b) { return a.file == b.file && a.begin < b.begin; }

void add_meeting(LiteralUse& use, const Meeting& meeting) {
  auto known = std::ranges::find(use.meetings, meeting.type, &Meeting::type);
  if (known == use.meetings.end()) return use.meetings.push_back(meeting);
  known->binds = known->binds || meeting.binds;
  if (is_before(meeting.place, known->place)) known->place = meeting.place;
}

void add_locals(Context& context, Value& result, const Value& operand) {
  if (!operand.literals || !result.literals) {
    result.literals = result.literals ? result.literals : operand.literals;
    return;
  }
  std::vector<Local*> both;
  std::ranges::set_union(*result.literals, *operand.literals, std::back_inserter(both), std::less<>());
  result.literals = &*context.literal_lists.insert(std::move(both)).first;
}

bool takes_part(const BuiltinParam& param, std::size_t variable) {
  bool has_variable = param.kind == BuiltinParamKind::Variable || param.kind == BuiltinParamKind::ArrayOf;
  return has_variable && param.variable == variable;
}

} // namespace

bool has_open_part(const Value& value) {
  return is_open(value) || std::ranges::any_of(value.elements, has_open_part);
}

// ---- What is read of them, and what follows from it ----

void mark_waiting(Value& value) {
  if (is_open(value)) value.waits = true;
  for (Value& element : value.elements) mark_waiting(element);
}

void mark_read(const Checker& checker, Value& value, Local& local) {
  if (is_tuple(value) || checker.rules.types_literals) return mark_waiting(value);
  if (is_open(value) || (checker.final && local.literal.is_decided))
    value.literals = &*checker.context.literal_lists.insert({&local}).first;
}

std::optional<Value> undecided(Checker& checker, Type type, std::span<const Value* const> operands,
                               Span span) {
  bool any =
      std::ranges::any_of(operands, [](const Value* operand) { return operand->waits || operand->literals; });
  if (checker.final || !is_literal(type) || !any) return std::nullopt;
  Value result = runtime_value(checker.variable(type, span), span);
  for (const Value* operand : operands) {
    result.waits = result.waits || operand->waits;
    add_locals(checker.context, result, *operand);
  }
  return result;
}

std::optional<Value> undecided_operation(Checker& checker, ast::BinaryOp op, Type type, const Value& left,
                                         const Value& right, Span span) {
  if (checker.final) return std::nullopt;
  if (op == ast::BinaryOp::ShiftLeft || op == ast::BinaryOp::ShiftRight) {
    // The count says nothing, but a literal that is shifted takes the count's type.
    if (is_open(left)) return undecided(checker, left.type, std::array<const Value*, 1>{&left}, span);
    if (!is_open(right) || !is_literal(left.type)) return std::nullopt;
    Value result = runtime_value(checker.variable(left.type, span), span);
    result.waits = true;
    return result;
  }
  if (is_open(left) && is_boolean(right.type)) type = left.type;
  if (is_open(right) && is_boolean(left.type)) type = right.type;
  return undecided(checker, type, std::array{&left, &right}, span);
}

std::optional<Value> undecided_call(Checker& checker, Builtin builtin, const BuiltinMatch& match,
                                    const std::vector<Value>& values, Span span) {
  const BuiltinSignature& taken = signature(builtin);
  if (checker.final || taken.result_count != 1 || taken.results[0].variable < 0) return std::nullopt;
  auto variable = static_cast<std::size_t>(taken.results[0].variable);
  Type joined = types::unknown;
  std::vector<const Value*> operands;
  for (const BoundArgument& bound : match.arguments) {
    const BuiltinParam& param = taken.params[bound.param];
    if (!takes_part(param, variable) || !bound.argument) continue;
    const Value& value = values[*bound.argument];
    if (is_number(value) && is_boolean(value.type)) continue;
    if (!is_number(value) || !is_literal(value.type)) return std::nullopt;
    joined = join(joined, value.type).value_or(joined);
    operands.push_back(&value);
  }
  bool follows = joined != types::unknown && default_type(joined) == match.type_args[variable];
  return follows ? undecided(checker, joined, operands, span) : std::nullopt;
}

void keep_literal_locals(const Checker& checker, Value& result, std::span<const Value* const> operands) {
  if (!checker.final) return;
  // Beside one that has the type anyway it is no cause of it.
  for (const Value* operand : operands)
    if (operand->type == result.type && !operand->literals && !is_constant_number(*operand)) return;
  for (const Value* operand : operands)
    if (operand->literals && operand->type == result.type) add_locals(checker.context, result, *operand);
}

// ---- What they meet ----

void note_meeting(Checker& checker, const Value& value, Type type, Span place, bool binds) {
  if (is_tuple(value) && is_tuple(type) && value.elements.size() == type->elements.size())
    for (std::size_t i = 0; i < value.elements.size(); ++i)
      note_meeting(checker, value.elements[i], type->elements[i], place, binds);
  // An integer is an i64, whatever it meets.
  if (!is_open(value) || value.type == types::int_literal || checker.final || !is_scalar(type)) return;
  // A real number stays one beside a complex one, and a complex number beside a real one.
  if (is_complex(type) && value.type != types::complex_literal) type = part_type(type);
  if (is_float(type) && value.type == types::complex_literal) type = complex_of(type);
  if (is_float(type) || is_complex(type))
    for (Local* local : locals_of(value)) add_meeting(local->literal, {type, place, binds});
}

static void note_operand(Checker& checker, const Value& value, const Value& other, bool binds = true) {
  if (!is_open(value) || checker.final) return;
  each_literal(other, [&](const Value& literal) {
    for (Local* local : locals_of(value)) extend(local->literal, literal);
  });
  if (other.kind == ValueKind::Runtime) note_meeting(checker, value, other.type, other.span, binds);
}

void note_operands_meet(Checker& checker, const Value& left, const Value& right, bool binds) {
  note_operand(checker, left, right, binds);
  note_operand(checker, right, left, binds);
}

void note_arguments_meet(Checker& checker, Builtin builtin, const BuiltinMatch& match,
                         const std::vector<Value>& values, Span span) {
  if (checker.final ||
      std::ranges::none_of(values, [](const Value& value) { return value.literals != nullptr; }))
    return;
  std::span<const BuiltinParam> params = signature(builtin).parameters();
  for (const BoundArgument& bound : match.arguments) {
    const BuiltinParam& param = params[bound.param];
    if (!bound.argument) continue;
    const Value& value = values[*bound.argument];
    if (param.kind == BuiltinParamKind::Scalar) note_meeting(checker, value, bound.type, value.span);
    if (param.kind != BuiltinParamKind::Variable) continue;
    for (const BoundArgument& other : match.arguments) {
      bool beside = other.argument && other.argument != bound.argument;
      if (!beside || !takes_part(params[other.param], param.variable)) continue;
      const Value& argument = values[*other.argument];
      if (is_array(argument))
        note_meeting(checker, value, element_type(argument.type), span);
      else
        note_operand(checker, value, argument);
    }
  }
}

void note_literals_of(Local& local, const Value& value) {
  bool is_integer = value.type == types::int_literal && takes_type(value);
  bool is_start =
      local.now.sites.size() == 1; // a literal that a branch assigns later meets a type that is seen
  if (is_integer && is_start && local.starts_with == Span{}) local.starts_with = value.span;
  if (local.literal.is_decided) return;
  each_literal(value, [&](const Value& literal) { extend(local.literal, literal); });
  if (waits(value)) local.literal.waits = true;
}

// ---- Ranges of literals ----

// Visits the numbers of a range between which all others lie, and its step.
template <class Visit> static void each_end(const Value& range, const Visit& visit) {
  const Value &start = range.elements[0], &stop = range.elements[1], &step = range.elements[2];
  bool is_known = std::ranges::all_of(range.elements, is_int_literal) && step.integer != 0;
  if (!is_known) {
    for (const Value& part : range.elements)
      each_literal(part, [&](const Value& literal) { visit(literal.integer); });
    return;
  }
  WideInt distance = step.integer > 0 ? stop.integer - start.integer : start.integer - stop.integer;
  WideInt width = step.integer > 0 ? step.integer : -step.integer;
  visit(start.integer);
  visit(step.integer);
  if (distance > 0) visit(start.integer + (distance - 1) / width * step.integer);
}

bool range_fits(const Value& range, Type type) {
  bool fits = true;
  each_end(range, [&](WideInt number) { fits = fits && literal_fits(number, type); });
  // A loop that counts in 64 bits compares with its stop, so the type must hold that too.
  const Value& stop = range.elements[1];
  if (is_int_literal(stop) && bit_width(type->scalar) == 64) fits = fits && literal_fits(stop.integer, type);
  return fits;
}

// ---- The decision, between two rounds ----

// Returns what the types that a local met have in common; nothing where there is none, or its literals do not
// fit.
static std::optional<Type> met_type(const Local& local) {
  if (local.type == types::int_literal) return std::nullopt;
  Type type = types::unknown;
  for (const Meeting& meeting : local.literal.meetings) {
    std::optional<Type> both = join(type, meeting.type);
    if (!both) return std::nullopt;
    type = *both;
  }
  bool fits = literal_fits(local.literal.least.value, type) &&
              literal_fits(local.literal.greatest.value, type) && literal_fits(local.literal.magnitude, type);
  return type != types::unknown && fits ? std::optional(type) : std::nullopt;
}

bool decide_literals(Context& context, Instance& instance) {
  Checker checker(context, instance.function->file, &instance);
  bool any = false;
  std::vector<Local*> locals{&instance.result};
  for (auto& [name, local] : instance.locals) locals.push_back(&local);
  auto met = [&](Local& local) {
    if (!is_literal(local.type) || local.literal.waits || local.literal.is_decided) return;
    std::optional<Type> type = met_type(local);
    if (!type) return;
    local.literal.type = *type;
    local.literal.is_decided = any = true;
  };
  auto pin = [&](Local& local) {
    Type type = default_deep(checker, local.type);
    if (type == local.type) return;
    local.type = type;
    local.pinned = local.literal.is_decided = any = true;
  };
  for (Local* local : locals) met(*local);
  if (!any)
    for (Local* local : locals)
      if (!local->literal.waits) pin(*local);
  // An instance for arguments without types yet leaves its locals open: another one is made for their types.
  bool is_provisional = std::ranges::any_of(instance.args, has_open_part);
  if (!any && !is_provisional)
    for (Local* local : locals) pin(*local);
  // The bounds so far were computed from literals without a type and mean nothing, so they are found anew.
  if (any)
    for (Local* local : locals) local->most = 0;
  return any;
}

} // namespace kern::checker
