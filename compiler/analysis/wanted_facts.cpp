// Facts of variants, as the prover sees them: it takes those of the function as given, and says which others
// would prove what it cannot. The latter are read off what holds at a guard: behind `i < c.size` there is the
// fact `c.size - i - 1 >= 0`, so `a[i]` needs no guard where a is as long as c; and so it is where `c[i]` is
// used as well. Only what holds just this index against a number of the launch counts. Whatever else may
// follow from several of them (`i // 2 < c.size`) holds as well, but says nothing about how long the caller
// makes `a`, and a variant is not taken where one of its facts is wrong.
#include "compiler/analysis/wanted_facts.h"

#include <algorithm>
#include <bit>
#include <span>

#include "compiler/analysis/guard_walk.h"
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
      if (atom) known_.push_back({*atom, ir::launch_expression(op, axis)});
    }
}

void GuardWalk::find_known() {
  if (!function_.is_kernel) return;
  for (std::uint32_t param = 0; param < function_.param_count; ++param) {
    const auto slot = static_cast<ir::SlotId>(param);
    Type type = function_.slots[param].type;
    Value value = symbolic_.slot(slot);
    if (value.kind == Value::Kind::Array) {
      for (int axis = 0; axis < type->rank; ++axis) {
        auto atom = single_atom(symbolic_.extents(value)[static_cast<std::size_t>(axis)]);
        if (atom) known_.push_back({*atom, ir::axis_expression(function_, slot, ExpressionOp::Extent, axis)});
      }
    } else if (value.kind == Value::Kind::Integer) {
      auto atom = single_atom(symbolic_.form(value));
      if (atom && is_integer(type) && type != types::u64)
        known_.push_back({*atom, ir::scalar_expression(function_, slot)});
    }
  }
  find_shape();
  find_dynamic_shared();
}

std::optional<std::uint32_t> GuardWalk::find_known(AtomId atom) const {
  auto found = std::ranges::find(known_, atom, &KnownNumber::atom);
  if (found == known_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - known_.begin());
}

std::optional<Affine> GuardWalk::read_fact(const Expression& expression) const {
  if (expression.op == ExpressionOp::Constant) return affine(expression.value);
  if (expression.op == ExpressionOp::Add) {
    auto left = read_fact(expression.operands[0]), right = read_fact(expression.operands[1]);
    return left && right ? add(*left, *right) : std::nullopt;
  }
  if (expression.op == ExpressionOp::Multiply && expression.operands[1].op == ExpressionOp::Constant) {
    auto factor = read_fact(expression.operands[0]);
    return factor ? scale(*factor, expression.operands[1].value) : std::nullopt;
  }
  for (const KnownNumber& number : known_)
    if (number.expression == expression) return affine(number.atom);
  return std::nullopt;
}

// The sum of an extent and a small constant does not wrap: the launch compares what is compared here.
void GuardWalk::assume_facts() {
  if (known_.empty()) find_known();
  for (std::uint32_t i = 0; i < function_.facts.size(); ++i) {
    const Expression& fact = function_.facts[i];
    const bool is_most = fact.op == ExpressionOp::LessEqual;
    if (!is_most && fact.op != ExpressionOp::GreaterEqual) continue;
    auto left = read_fact(fact.operands[is_most ? 1 : 0]), right = read_fact(fact.operands[is_most ? 0 : 1]);
    auto difference = left && right ? subtract(*left, *right) : std::nullopt;
    if (difference) symbolic_.facts.assume(*difference, {Reason::Kind::Fact, {}, i});
  }
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
  std::optional<WantedFact> best;
  for (const Fact& test : symbolic_.facts.since({}))
    for (const Term& term : test.form.view()) {
      std::optional<std::uint32_t> block = find_known(term.atom);
      if (!block || known_[*block].expression.op != ExpressionOp::BlockDim || term.coefficient != 1) continue;
      std::optional<Affine> rest = subtract(above, test.form);
      if (rest) rest = add(*rest, affine(term.atom));
      if (!rest) continue;
      std::optional<std::int64_t> most = natural_block(symbolic_.facts.bounds(*rest).low);
      if (most && (!best || *most > best->plus)) best = WantedFact{true, *block, std::nullopt, *most};
    }
  return best;
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

// `above` is extent - index - 1, which a guard needs to be at least 0.
std::optional<WantedFact> GuardWalk::wanted_fact(const Affine& index, const Affine& above) {
  Facts& facts = symbolic_.facts;
  if (!facts.prove(index, thorough)) return std::nullopt;
  for (const Term& term : above.view()) {
    std::optional<std::uint32_t> extent = find_known(term.atom);
    if (!extent || term.coefficient != 1 || known_[*extent].expression.op != ExpressionOp::Extent) continue;
    std::optional<Affine> rest = subtract(above, affine(term.atom));
    if (!rest) continue;
    // What the index never passes, whatever the program tests, says more than that the array is as long as another.
    const std::optional<LeastExtent> least = least_extent(*rest);
    const WantedFact constant{false, *extent, std::nullopt, least ? least->value : 0};
    if (least && least->rests_on == Reason::Kind::Always) return constant;
    WantedFact wanted{false, *extent, std::nullopt, 0};
    std::vector<Fact> tests = facts.since({});
    tests.insert(tests.end(), served_.begin(), served_.end());
    bool by_guard = false;
    // `other + rest + c >= 0`: the extent is to be at least other + c.
    for (const Fact& test : tests) {
      std::optional<Affine> other = subtract(test.form, *rest);
      if (!other || other->size != 1 || other->view()[0].coefficient != 1) continue;
      std::optional<std::uint32_t> number = find_known(other->view()[0].atom);
      if (!number || *number == *extent || other->constant > most_plus) continue;
      // The launch adds in 64 bits, where a scalar of as many could wrap.
      const Expression& base = known_[*number].expression;
      bool may_wrap = base.op == ExpressionOp::Scalar && base.type == ExpressionType::I64;
      if (may_wrap && other->constant > 0) continue;
      bool is_guard = test.reason.kind == Reason::Kind::Guard;
      // `b[i]` behind `a[i - 2]`: b need not be longer than a, as few threads or none may come near its end.
      if (is_guard && other->constant > 0) continue;
      // A test says more than an earlier guard, and of two tests the one that asks for less.
      const auto plus = static_cast<std::int64_t>(std::max(other->constant, Wide{0}));
      if (wanted.at_least && (is_guard > by_guard || (is_guard == by_guard && plus >= wanted.plus))) continue;
      wanted.at_least = number;
      wanted.plus = plus;
      by_guard = is_guard;
    }
    // A number that the program tests the index with says more than the shape of the launch does, and than a number
    // that another test holds it against, but for one that the array would have to be longer than.
    const bool by_test = least && least->rests_on == Reason::Kind::Test;
    const bool is_tight =
        wanted.at_least && wanted.plus == 0 && !is_shape(known_[*wanted.at_least].expression);
    if (wanted.at_least && (is_tight || !by_test)) return wanted;
    if (least && least->rests_on != Reason::Kind::Launch) return constant;
  }
  if (std::optional<WantedFact> wanted = wanted_shared(above)) return wanted;
  return wanted_block(above);
}

std::vector<std::optional<WantedFact>> GuardWalk::run_for_facts() {
  wanted_.resize(results_.guards.size());
  run();
  return std::move(wanted_);
}

// Says whether a fact asks, with others behind it, that an array is longer than itself: the longest path of
// difference constraints from what it compares with back to its extent.
static bool contradicts(std::span<const WantedFact> others, const WantedFact& wanted, std::size_t numbers) {
  if (wanted.is_block || !wanted.at_least) return false;
  std::vector<std::optional<std::int64_t>> beyond(numbers);
  beyond[*wanted.at_least] = wanted.plus;
  for (std::size_t round = 0; round < others.size(); ++round)
    for (const WantedFact& other : others)
      if (!other.is_block && other.at_least && beyond[other.extent])
        beyond[*other.at_least] = std::max(beyond[*other.at_least], {*beyond[other.extent] + other.plus});
  return beyond[wanted.extent].value_or(0) > 0;
}

std::vector<Expression> find_wanted_facts(const ir::Module& module, ir::FunctionId kernel) {
  GuardWalk walk(module, module.function(kernel));
  std::vector<WantedFact> merged;
  for (const std::optional<WantedFact>& wanted : walk.run_for_facts()) {
    if (!wanted) continue;
    if (wanted->elements) {
      const auto covers = [&](const WantedFact& other) {
        return other.elements && walk.follows(*wanted, other);
      };
      if (std::ranges::any_of(merged, covers)) continue;
      std::erase_if(merged,
                    [&](const WantedFact& other) { return other.elements && walk.follows(other, *wanted); });
      merged.push_back(*wanted);
      continue;
    }
    auto same = std::ranges::find_if(merged, [&](const WantedFact& other) {
      return !other.elements && other.is_block == wanted->is_block && other.extent == wanted->extent &&
             other.at_least == wanted->at_least;
    });
    if (same == merged.end())
      merged.push_back(*wanted);
    else
      same->plus = wanted->is_block ? std::min(same->plus, wanted->plus) : std::max(same->plus, wanted->plus);
  }
  std::vector<WantedFact> kept;
  for (const WantedFact& wanted : merged)
    if (!contradicts(kept, wanted, walk.known().size())) kept.push_back(wanted);
  std::vector<Expression> facts;
  for (const WantedFact& wanted : kept) {
    if (wanted.is_block) {
      facts.push_back(ir::binary_expression(ExpressionOp::LessEqual, walk.known()[wanted.extent].expression,
                                            ir::constant_expression(wanted.plus)));
      continue;
    }
    if (wanted.elements) {
      facts.push_back(ir::binary_expression(ExpressionOp::GreaterEqual,
                                            walk.known()[wanted.extent].expression,
                                            walk.elements_expression(*wanted.elements)));
      continue;
    }
    Expression least =
        wanted.at_least ? walk.known()[*wanted.at_least].expression : ir::constant_expression(wanted.plus);
    if (wanted.at_least && wanted.plus != 0)
      least =
          ir::binary_expression(ExpressionOp::Add, std::move(least), ir::constant_expression(wanted.plus));
    facts.push_back(ir::binary_expression(ExpressionOp::GreaterEqual, walk.known()[wanted.extent].expression,
                                          std::move(least)));
  }
  return facts;
}

} // namespace kern
