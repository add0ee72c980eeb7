// Follows integers through calls: whether what a function returns may have wrapped, in the function or in
// what the library makes of its arguments.
#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/check/narrow.h"

namespace kern::checker {

// The most threads of a block, of whose values a reduction makes one.
static constexpr WideInt most_threads = 1024;

static bool is_word(Type type) {
  return is_scalar(type) && is_integer(type) && bit_width(type->scalar) == 32;
}

static bool may_have_wrapped(const IntegerFacts& facts) { return !facts.wrapped.empty() || facts.wrapped_in; }

void note_returned(Checker& checker, const Value& value) {
  Local& result = checker.instance->result;
  // A declared result says that its type is wide enough.
  bool says = !result.annotated && value.kind == ValueKind::Runtime && is_word(value.type);
  if (says && value.facts.of_threads && value.facts.origin == Origin::Given) result.adds_threads = value.span;
  // The facts about the elements of an array belong to this function, so the result does not refer to them.
  const Local* from = value.facts.wrapped_in;
  if (from && from->elements && sums_up(*from)) {
    if (says && from->origin == Origin::Given) result.adds_threads = value.span;
    return;
  }
  if (says && !result.held && may_have_wrapped(value.facts))
    result.held = Held{value.facts, interval_of(value), value.type, value.span, false, true};
}

Origin result_origin(const FunctionSymbol& callee, const std::vector<Value>& args) {
  if (!callee.file->file->is_library) return Origin::Given;
  Origin origin = Origin::Index;
  for (const Value& arg : args) origin = std::max(origin, arg.facts.origin);
  return origin;
}

// Says whether a function returns the sum of its two parameters.
static bool is_addition(const FunctionSymbol& function) {
  const ast::FunctionDef& def = *function.def;
  const auto* last = def.body.empty() ? nullptr : ast::as<ast::Return>(def.body.back());
  const auto* sum = last && last->value ? ast::as<ast::Binary>(last->value) : nullptr;
  auto is_param = [&](const ast::Expr* expr, std::size_t index) {
    const auto* name = ast::as<ast::Name>(expr);
    return name && name->text == def.params[index].name;
  };
  return def.params.size() == 2 && sum && sum->op == ast::BinaryOp::Add &&
         ((is_param(sum->left, 0) && is_param(sum->right, 1)) ||
          (is_param(sum->left, 1) && is_param(sum->right, 0)));
}

// Says whether the sum of the values of a block passes the type in which it is made.
static bool sums_beyond(const Value& value) {
  Interval interval = value.facts.held.value_or(exact_of(value));
  Interval sum{interval.least * most_threads, interval.greatest * most_threads};
  return !holds(interval_of(value.type), sum);
}

static void take_arguments(const std::vector<Value>& args, Value& result) {
  bool adds = std::ranges::any_of(
      args, [](const Value& arg) { return arg.kind == ValueKind::Function && is_addition(*arg.function); });
  for (const Value& arg : args) {
    if (!is_number(arg) || arg.type != result.type) continue;
    IntegerFacts& facts = result.facts;
    if (may_have_wrapped(arg.facts)) {
      facts.wrapped = arg.facts.wrapped;
      facts.wrapped_in = arg.facts.wrapped_in;
      facts.by_count = arg.facts.by_count;
      facts.by_product = arg.facts.by_product;
      facts.by_shift = arg.facts.by_shift;
      facts.factors = arg.facts.factors;
      facts.xors = arg.facts.xors;
    } else if (adds && arg.facts.origin == Origin::Data && !arg.facts.is_small && sums_beyond(arg)) {
      facts.wrapped = {arg.span};
      facts.by_product = true;
      facts.factors = Origin::Data;
    }
  }
}

// Marks the result of a function that sums an argument over the threads as one that may have wrapped, where
// data may add up so far.
static void take_sum_of_threads(const std::vector<Value>& args, Value& result) {
  for (const Value& arg : args) {
    bool counts = is_number(arg) && arg.type == result.type && arg.facts.origin == Origin::Data &&
                  !arg.facts.is_small && sums_beyond(arg);
    if (!counts) continue;
    result.facts.wrapped = {arg.span};
    result.facts.by_product = true;
    result.facts.factors = Origin::Data;
  }
}

void note_result(const Checker& checker, const Instance& called, const std::vector<Value>& args,
                 Value& result) {
  if (result.kind != ValueKind::Runtime || !checker.final) return;
  result.facts.origin = result_origin(*called.function, args);
  if (!is_word(result.type)) return;
  if (called.function->file->file->is_library) return take_arguments(args, result);
  if (called.result.adds_threads) return take_sum_of_threads(args, result);
  const std::optional<Held>& held = called.result.held;
  if (!held || held->type != result.type) return;
  result.facts.by_count = held->facts.by_count;
  result.facts.by_product = held->facts.by_product;
  result.facts.by_shift = held->facts.by_shift;
  result.facts.factors = held->facts.factors;
  result.facts.xors = held->facts.xors;
  result.facts.hides_wrap = true;
  result.facts.wrapped_in = held->facts.wrapped.empty() ? held->facts.wrapped_in : &called.result;
}

void note_total(Value& sum, Type element, const std::optional<Value>& start) {
  if (sum.kind != ValueKind::Runtime || !is_word(sum.type)) return;
  sum.facts.origin = Origin::Data;
  Interval interval = interval_of(element), limits{-(WideInt(1) << 15) + 1, (WideInt(1) << 15) - 1};
  if (holds(limits, interval)) return;
  Span at = start ? start->span : Span{sum.span.file, sum.span.end - 1, sum.span.end - 1};
  sum.facts.wrapped = sum.facts.wide = {at};
  sum.facts.by_product = true;
  sum.facts.factors = Origin::Data;
}

} // namespace kern::checker
