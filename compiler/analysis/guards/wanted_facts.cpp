// Facts of variants, as the prover sees them: it takes those of the function as given, and says which others
// would prove what it cannot. The latter are read off what holds at a guard: behind `i < c.size` there is the
// fact `c.size - i - 1 >= 0`, so `a[i]` needs no guard where a is as long as c; and so it is where `c[i]` is
// used as well. Only what holds just this index against a number of the launch counts. Whatever else may
// follow from several of them (`i // 2 < c.size`) holds as well, but says nothing about how long the caller
// makes `a`, and a variant is not taken where one of its facts is wrong. An index that no single number limits
// is held against the farthest place that it reaches (extremes.h): flattened ones, and those into slices of dynamic
// shared memory, which programs cut for each thread of a block, `buffer[threadIdx.x * 10:]`.
#include "compiler/analysis/guards/wanted_facts.h"

#include <algorithm>
#include <bit>
#include <span>

#include "compiler/analysis/guards/guard_walk.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"

namespace kern {

namespace {

constexpr std::int64_t most_plus = 4096; // a constant that arrays are that much longer by, or as long as

} // namespace

// The shape of the launch comes last: an extent that the program compares with says more.
void GuardWalk::find_shape() {
  static constexpr Builtin grid[] = {Builtin::GridDimX, Builtin::GridDimY, Builtin::GridDimZ};
  static constexpr Builtin block[] = {Builtin::BlockDimX, Builtin::BlockDimY, Builtin::BlockDimZ};
  for (ExpressionOp op : {ExpressionOp::BlockDim, ExpressionOp::GridDim})
    for (std::int32_t axis = 0; axis < 3; ++axis) {
      auto form = symbolic_.thread_value((op == ExpressionOp::GridDim ? grid : block)[axis]);
      auto atom = form ? single_atom(*form) : std::nullopt;
      if (atom) symbolic_.extremes.numbers.push_back({*atom, ir::launch_expression(op, axis)});
    }
}

void GuardWalk::find_known() {
  if (!function_.is_kernel) return;
  std::vector<KnownNumber>& numbers = symbolic_.extremes.numbers;
  for (std::uint32_t param = 0; param < function_.param_count; ++param) {
    const auto slot = static_cast<ir::SlotId>(param);
    Type type = function_.slots[param].type;
    Value value = symbolic_.slot(slot);
    if (value.kind == Value::Kind::Array) {
      for (int axis = 0; axis < type->rank; ++axis) {
        auto atom = single_atom(symbolic_.extents(value)[static_cast<std::size_t>(axis)]);
        if (atom)
          numbers.push_back({*atom, ir::axis_expression(function_, slot, ExpressionOp::Extent, axis)});
      }
    } else if (value.kind == Value::Kind::Integer) {
      auto atom = single_atom(symbolic_.form(value));
      if (atom && is_integer(type) && type != types::u64)
        numbers.push_back({*atom, ir::scalar_expression(function_, slot)});
    }
  }
  find_shape();
  find_dynamic_shared();
}

void GuardWalk::find_dynamic_shared() {
  if (!symbolic_.has_dynamic_shared()) return;
  for (int bytes : {1, 2, 4, 8, 16}) {
    std::optional<AtomId> atom = single_atom(symbolic_.dynamic_elements(bytes));
    Expression number;
    number.op = ExpressionOp::SharedBytes;
    if (bytes != 1)
      number =
          ir::binary_expression(ExpressionOp::FloorDivide, std::move(number), ir::constant_expression(bytes));
    if (atom) symbolic_.extremes.numbers.push_back({*atom, std::move(number)});
  }
}

// Facts are computed without wrapping, or do not hold (docs/abi.md).
void GuardWalk::assume_fact(const Expression& fact, std::uint32_t index) {
  const bool is_most = fact.op == ExpressionOp::LessEqual;
  if (!is_most && fact.op != ExpressionOp::GreaterEqual) return;
  Extremes& extremes = symbolic_.extremes;
  const auto more = extremes.read(fact.operands[is_most ? 1 : 0]);
  const auto less = extremes.read(fact.operands[is_most ? 0 : 1]);
  const auto difference = more && less ? more->plus(*less, -1) : std::nullopt;
  if (!difference) return;
  const auto& parts = more->monomials();
  const bool is_number = parts.size() == 1 && parts[0].factors.size() == 1 && parts[0].coefficient == 1;
  const bool is_constant = parts.size() == 1 && parts[0].factors.empty();
  if (is_number) extremes.assume(parts[0].factors[0], *less, index);
  if (is_constant && !less->is_linear()) extremes.assume_most(*less, parts[0].coefficient, index);
  if (!difference->is_linear()) return;
  std::optional<Affine> form{Affine{}};
  for (const Monomial& part : difference->monomials()) {
    const Affine factor = part.factors.empty() ? affine(1) : affine(extremes.numbers[part.factors[0]].atom);
    if (form) form = combine(*form, 1, factor, static_cast<std::int64_t>(part.coefficient));
  }
  if (form) symbolic_.facts.assume(*form, {Reason::Kind::Fact, {}, index});
}

void GuardWalk::assume_facts() {
  find_known();
  for (std::uint32_t i = 0; i < function_.facts.size(); ++i) assume_fact(function_.facts[i], i);
}

// Returns the block size that an array of so many elements is made for, where there is one: blocks are of powers of
// two, and beside them the array may have a halo. Any other bound is that of an index beside the thread's own,
// which few threads use.
static std::optional<std::int64_t> natural_block(Wide most) {
  if (most < 2 || most > most_plus) return std::nullopt;
  const auto size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
  return most - size <= size / 4 ? std::optional(size) : std::nullopt;
}

// A test `blockDim - rest - 1 >= 0`, which holds of threadIdx at least, and an extent that is constant: the
// block is to be so small that the rest of `above` cannot make it negative.
std::optional<WantedFact> GuardWalk::wanted_block(const Affine& above) {
  const Extremes& extremes = symbolic_.extremes;
  std::optional<std::uint32_t> found;
  std::int64_t least = 0;
  for (const Fact& test : symbolic_.facts.since({}))
    for (const Term& term : test.form.view()) {
      const std::optional<std::uint32_t> block = extremes.find(term.atom);
      if (!block || extremes.numbers[*block].expression.op != ExpressionOp::BlockDim || term.coefficient != 1)
        continue;
      std::optional<Affine> rest = subtract(above, test.form);
      if (rest) rest = add(*rest, affine(term.atom));
      if (!rest) continue;
      std::optional<std::int64_t> most = natural_block(symbolic_.facts.bounds(*rest).low);
      if (!most || *most <= least) continue;
      found = block;
      least = *most;
    }
  if (!found) return std::nullopt;
  return WantedFact{true, *found, Polynomial(least)};
}

// A test `number - rest - 1 >= 0` of what is to fit a type, of which `above` is the greatest value less that: the number is
// to be so small that the rest of `above` cannot make it negative. Numbers of a launch are seldom as small as narrow types
// ask for. That an earlier index is in range is no test: the number may be of an array that another fact is about.
std::optional<WantedFact> GuardWalk::wanted_most(const Affine& above) {
  const Extremes& extremes = symbolic_.extremes;
  for (const Fact& test : symbolic_.facts.since({}))
    for (const Term& term : test.form.view()) {
      const std::optional<std::uint32_t> number = extremes.find(term.atom);
      if (!number || term.coefficient != 1 || test.reason.kind == Reason::Kind::Guard) continue;
      std::optional<Affine> rest = subtract(above, test.form);
      if (rest) rest = add(*rest, affine(term.atom));
      const Wide most = rest ? symbolic_.facts.bounds(*rest).low : 0;
      if (most < type_interval(types::i32).high || !contains(type_interval(types::i64), {most, most}))
        continue;
      return WantedFact{true, *number, Polynomial(static_cast<std::int64_t>(most))};
    }
  return std::nullopt;
}

static bool is_shape(const Expression& expression) {
  return expression.op == ExpressionOp::BlockDim || expression.op == ExpressionOp::GridDim;
}

// Returns the least extent that an index needs, if that is a small constant, and why; `rest` is - index - 1.
std::optional<GuardWalk::LeastExtent> GuardWalk::least_extent(const Affine& rest) {
  Facts& facts = symbolic_.facts;
  const Wide least = -facts.bounds(rest).low;
  const std::optional<Affine> slack = offset(rest, least);
  if (least < 1 || least > most_plus || !slack || !facts.prove(*slack, quick)) return std::nullopt;
  for (Reason::Kind kind : {Reason::Kind::Launch, Reason::Kind::Guard, Reason::Kind::Test})
    if (std::ranges::find(facts.reasons(), kind, &Reason::kind) != facts.reasons().end())
      return LeastExtent{static_cast<std::int64_t>(least), kind};
  return LeastExtent{static_cast<std::int64_t>(least), Reason::Kind::Always};
}

// A number of the launch that an array is to be as long as, and so many elements beyond it.
struct Beyond {
  std::uint32_t number = 0;
  std::int64_t plus = 0;
  bool is_by_guard = false;
};

// `above` is extent - index - 1, which a guard needs to be at least 0.
std::optional<WantedFact> GuardWalk::wanted_extent(const Affine& index, const Affine& above) {
  Facts& facts = symbolic_.facts;
  const Extremes& extremes = symbolic_.extremes;
  const auto expression = [&](std::uint32_t number) -> const Expression& {
    return extremes.numbers[number].expression;
  };
  if (!facts.prove(index, thorough)) return std::nullopt;
  for (const Term& term : above.view()) {
    const std::optional<std::uint32_t> extent = extremes.find(term.atom);
    if (!extent || term.coefficient != 1 || expression(*extent).op != ExpressionOp::Extent) continue;
    std::optional<Affine> rest = subtract(above, affine(term.atom));
    if (!rest) continue;
    // What the index never passes, whatever the program tests, says more than that the array is as long as another.
    const std::optional<LeastExtent> least = least_extent(*rest);
    const WantedFact constant{false, *extent, Polynomial(least ? least->value : 0)};
    if (least && least->rests_on == Reason::Kind::Always) return constant;
    std::vector<Fact> tests = facts.since({});
    tests.insert(tests.end(), served_.begin(), served_.end());
    std::optional<Beyond> wanted;
    // `other + rest + c >= 0`: the extent is to be at least other + c.
    for (const Fact& test : tests) {
      std::optional<Affine> other = subtract(test.form, *rest);
      if (!other || other->size != 1 || other->view()[0].coefficient != 1) continue;
      const std::optional<std::uint32_t> number = extremes.find(other->view()[0].atom);
      if (!number || *number == *extent || other->constant > most_plus) continue;
      bool is_guard = test.reason.kind == Reason::Kind::Guard;
      // `b[i]` behind `a[i - 2]`: b need not be longer than a, as few threads or none may come near its end.
      if (is_guard && other->constant > 0) continue;
      // A test says more than an earlier guard, and of two tests the one that asks for less.
      const auto plus = static_cast<std::int64_t>(std::max(other->constant, Wide{0}));
      if (wanted &&
          (is_guard > wanted->is_by_guard || (is_guard == wanted->is_by_guard && plus >= wanted->plus)))
        continue;
      wanted = Beyond{*number, plus, is_guard};
    }
    // A number that the program tests the index with says more than the shape of the launch does, and than a number
    // that another test holds it against, but for one that the array would have to be longer than.
    const bool by_test = least && least->rests_on == Reason::Kind::Test;
    const bool is_tight = wanted && wanted->plus == 0 && !is_shape(expression(wanted->number));
    if (wanted && (is_tight || !by_test))
      return WantedFact{false, *extent, *Polynomial::number(wanted->number).plus(Polynomial(wanted->plus))};
    if (least && least->rests_on != Reason::Kind::Launch) return constant;
  }
  return std::nullopt;
}

// A slice's start and length are clamped to what it is cut from. Returns a form with what they are where nothing is
// clamped: each is a choice whose first case says so.
std::optional<Affine> GuardWalk::without_clamps(Affine form) const {
  constexpr int most_slices = 16;
  for (int i = 0; i < most_slices; ++i) {
    const auto is_choice = [&](const Term& term) {
      return symbolic_.facts.atom(term.atom).kind == Facts::Kind::Choice;
    };
    const auto found = std::ranges::find_if(form.view(), is_choice);
    if (found == form.view().end()) return form;
    const Term term = *found;
    const Affine& value = symbolic_.facts.cases(term.atom).first.value;
    std::optional<Affine> rest = combine(form, 1, affine(term.atom), -term.coefficient);
    std::optional<Affine> replaced = rest ? combine(*rest, 1, value, term.coefficient) : std::nullopt;
    if (!replaced) return std::nullopt;
    form = *replaced;
  }
  return std::nullopt;
}

// Returns a value without wrapping.
Affine GuardWalk::exact(const Affine& form) const {
  const std::optional<AtomId> only = single_atom(form);
  const bool wraps = only && symbolic_.facts.atom(*only).kind == Facts::Kind::Wrapped;
  return wraps ? symbolic_.facts.atom(*only).left : form;
}

// An index that may be negative is a choice between one from the end and itself. Returns the latter.
Affine GuardWalk::from_the_start(const Affine& index, const Affine& extent) const {
  const std::optional<AtomId> only = single_atom(index);
  if (!only || symbolic_.facts.atom(*only).kind != Facts::Kind::Choice) return index;
  const auto& [first, second] = symbolic_.facts.cases(*only);
  for (const auto& [end, start] : {std::pair(&first, &second), std::pair(&second, &first)})
    if (subtract(exact(end->value), start->value) == extent) return start->value;
  return index;
}

std::optional<WantedFact> GuardWalk::wanted_farthest(const Affine& index, const Affine& extent) {
  const Affine start = from_the_start(index, extent);
  std::optional<Affine> above = subtract(extent, start);
  if (above) above = offset(*above, -1);
  if (above) above = without_clamps(*above);
  if (!above) return std::nullopt;
  std::optional<Extremes::Wanted> wanted = symbolic_.extremes.wanted(start, *above);
  if (!wanted) return std::nullopt;
  return WantedFact{false, wanted->number, std::move(wanted->least)};
}

// `above` is extent - index - 1, which a guard needs to be at least 0.
std::optional<WantedFact> GuardWalk::wanted_fact(const Affine& index, const Affine& extent,
                                                 const Affine& above) {
  if (std::optional<WantedFact> wanted = wanted_extent(index, above)) return wanted;
  if (std::optional<WantedFact> wanted = wanted_farthest(index, extent)) return wanted;
  return extent.is_constant() && symbolic_.facts.prove(index, thorough) ? wanted_block(above) : std::nullopt;
}

// ---- The facts of a kernel ----

// Returns what a fact compares with, where that is another number and a constant.
static std::optional<Beyond> beyond(const WantedFact& fact) {
  Beyond result;
  bool has_number = false;
  for (const Monomial& part : fact.least.monomials()) {
    if (part.factors.empty()) {
      result.plus = static_cast<std::int64_t>(part.coefficient);
      continue;
    }
    if (has_number || part.factors.size() != 1 || part.coefficient != 1) return std::nullopt;
    has_number = true;
    result.number = part.factors[0];
  }
  return has_number && !fact.is_most ? std::optional(result) : std::nullopt;
}

// Says whether a fact asks, with others behind it, that an array is longer than itself: the longest path of
// difference constraints from what it compares with back to its extent.
static bool contradicts(std::span<const WantedFact> others, const WantedFact& wanted, std::size_t numbers) {
  const std::optional<Beyond> first = beyond(wanted);
  if (!first) return false;
  std::vector<std::optional<std::int64_t>> longest(numbers);
  longest[first->number] = first->plus;
  for (std::size_t round = 0; round < others.size(); ++round)
    for (const WantedFact& other : others) {
      const std::optional<Beyond> next = beyond(other);
      if (next && longest[other.number])
        longest[next->number] = std::max(longest[next->number], {*longest[other.number] + next->plus});
    }
  return longest[wanted.number].value_or(0) > 0;
}

// Says whether a fact holds wherever another one does.
bool GuardWalk::covers(const WantedFact& fact, const WantedFact& other) const {
  if (fact.is_most != other.is_most || fact.number != other.number) return false;
  return fact.is_most ? symbolic_.extremes.covers(other.least, fact.least)
                      : symbolic_.extremes.covers(fact.least, other.least);
}

Expression GuardWalk::expression_of(const WantedFact& fact) const {
  return ir::binary_expression(fact.is_most ? ExpressionOp::LessEqual : ExpressionOp::GreaterEqual,
                               symbolic_.extremes.numbers[fact.number].expression,
                               symbolic_.extremes.write(fact.least));
}

std::vector<WantedFact> GuardWalk::run_for_facts(const std::vector<WantedFact>& asked) {
  std::vector<Extremes::Wanted> numbers;
  for (const WantedFact& fact : asked)
    if (!fact.is_most) numbers.push_back({fact.number, fact.least});
  symbolic_.extremes.start_asking(std::move(numbers));
  wanted_.resize(results_.guards.size());
  run();
  std::vector<WantedFact> merged;
  for (const std::optional<WantedFact>& wanted : wanted_) {
    if (!wanted) continue;
    const auto is_covered = [&](const WantedFact& other) { return covers(other, *wanted); };
    if (std::ranges::any_of(merged, is_covered)) continue;
    const auto covered =
        std::ranges::find_if(merged, [&](const WantedFact& other) { return covers(*wanted, other); });
    if (covered == merged.end()) {
      merged.push_back(*wanted);
      continue;
    }
    *covered = *wanted;
    merged.erase(std::remove_if(covered + 1, merged.end(),
                                [&](const WantedFact& other) { return covers(*wanted, other); }),
                 merged.end());
  }
  std::vector<WantedFact> kept;
  for (const WantedFact& wanted : merged)
    if (!contradicts(kept, wanted, symbolic_.extremes.numbers.size())) kept.push_back(wanted);
  return kept;
}

// Says whether one array is held both against the shape of the launch and against something else: what the launch limits
// anyway may need no test of the program's.
bool GuardWalk::has_two_ways(const std::vector<WantedFact>& facts) const {
  const auto is_by_launch = [&](const WantedFact& fact) {
    return fact.least.mentions(
        [&](std::uint32_t number) { return is_shape(symbolic_.extremes.numbers[number].expression); });
  };
  return std::ranges::any_of(facts, [&](const WantedFact& fact) {
    return is_by_launch(fact) && std::ranges::any_of(facts, [&](const WantedFact& other) {
             return other.number == fact.number && !is_by_launch(other) && !other.least.is_constant();
           });
  });
}

// What flattened indices rest on comes first: that scalars are not negative, and that places take 32 bits.
std::vector<Expression> GuardWalk::expressions_of(const std::vector<WantedFact>& kept) const {
  const Extremes& extremes = symbolic_.extremes;
  std::vector<Expression> facts;
  for (const auto& [number, least] : extremes.wanted_least())
    facts.push_back(expression_of({false, number, Polynomial(least)}));
  for (const auto& [number, most] : extremes.wanted_most())
    facts.push_back(expression_of({true, number, Polynomial(most)}));
  const auto is_part = [&](const Polynomial& exact) {
    return exact.is_linear() || std::ranges::any_of(kept, [&](const WantedFact& wanted) {
             return !wanted.is_most && extremes.covers(wanted.least, exact);
           });
  };
  for (const Polynomial& exact : extremes.wanted_exact())
    if (!is_part(exact))
      facts.push_back(ir::binary_expression(
          ExpressionOp::LessEqual, extremes.write(exact),
          ir::constant_expression(static_cast<std::int64_t>(type_interval(types::i32).high))));
  std::vector<bool> is_small(extremes.numbers.size());
  for (const WantedFact& wanted : kept) {
    if (wanted.least.is_linear() || is_small[wanted.number]) continue;
    is_small[wanted.number] = true;
    facts.push_back(expression_of({true, wanted.number, Polynomial(type_interval(types::i32).high)}));
  }
  for (const WantedFact& wanted : kept) facts.push_back(expression_of(wanted));
  return facts;
}

std::vector<Expression> find_wanted_facts(const ir::Module& module, ir::FunctionId kernel) {
  GuardWalk walk(module, module.function(kernel));
  const std::vector<WantedFact> facts = walk.run_for_facts({});
  if (!walk.has_two_ways(facts)) return walk.expressions_of(facts);
  GuardWalk again(module, module.function(kernel));
  const std::vector<WantedFact> fewer = again.run_for_facts(facts);
  return again.expressions_of(fewer);
}

} // namespace kern
