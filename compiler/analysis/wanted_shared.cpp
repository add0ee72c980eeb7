// Facts on dynamic shared memory: Numba's shared.array(0) is as long as the launch says, and programs cut it into
// slices for each thread, `buffer[threadIdx.x * 10:]`. What an index into such a slice needs is that the memory has
// so many elements for each thread of a block, a number that the launch knows.
#include <algorithm>

#include "compiler/analysis/guard_walk.h"
#include "compiler/ir/param_block.h"

namespace kern {

static constexpr std::int64_t most_elements = 1 << 16; // for each thread, or beside them
// A number that no sum over a block limits is a counter of a short loop; others say nothing of how much there is.
static constexpr Wide most_alone = 256;

void GuardWalk::find_dynamic_shared() {
  if (!symbolic_.has_dynamic_shared()) return;
  for (int bytes : {1, 2, 4, 8, 16}) {
    std::optional<AtomId> atom = single_atom(symbolic_.dynamic_elements(bytes));
    Expression number;
    number.op = ExpressionOp::SharedBytes;
    if (bytes != 1)
      number =
          ir::binary_expression(ExpressionOp::FloorDivide, std::move(number), ir::constant_expression(bytes));
    if (atom) known_.push_back({*atom, std::move(number)});
  }
}

static bool is_dynamic_shared(const Expression& expression) {
  return expression.op == ExpressionOp::SharedBytes ||
         (expression.op == ExpressionOp::FloorDivide && is_dynamic_shared(expression.operands[0]));
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

bool GuardWalk::is_block_dim(AtomId atom) const {
  std::optional<std::uint32_t> number = find_known(atom);
  return number && known_[*number].expression.op == ExpressionOp::BlockDim;
}

// Returns a sum over the shape of the block that a number never passes: of a thread's index, and of what the program
// compares with such a sum. Otherwise its greatest value.
std::optional<Affine> GuardWalk::most_in_block(AtomId atom) {
  if (is_block_dim(atom)) return affine(atom);
  for (const Fact& fact : symbolic_.facts.since({})) {
    std::optional<Affine> most = fact.either ? std::nullopt : add(fact.form, affine(atom));
    const auto is_allowed = [&](const Term& term) { return is_block_dim(term.atom); };
    const auto mentions = [&](const Term& term) { return term.atom == atom && term.coefficient == -1; };
    const bool limits = std::ranges::any_of(fact.form.view(), mentions);
    if (limits && most && !most->is_constant() && std::ranges::all_of(most->view(), is_allowed)) return most;
  }
  const Wide high = symbolic_.facts.bounds(affine(atom)).high;
  return high <= most_alone ? std::optional(affine(high)) : std::nullopt;
}

// `above` is extent - index - 1, which a guard needs to be at least 0.
std::optional<WantedFact> GuardWalk::wanted_shared(const Affine& above) {
  std::optional<Affine> form = without_clamps(above);
  if (!form) return std::nullopt;
  for (const Term& memory : form->view()) {
    std::optional<std::uint32_t> number = find_known(memory.atom);
    if (!number || memory.coefficient != 1 || !is_dynamic_shared(known_[*number].expression)) continue;
    Affine elements = affine(-form->constant);
    for (const Term& term : form->view()) {
      if (term.atom == memory.atom) continue;
      std::optional<Affine> most = term.coefficient < 0
                                       ? most_in_block(term.atom)
                                       : std::optional(affine(symbolic_.facts.bounds(affine(term.atom)).low));
      std::optional<Affine> sum = most ? combine(elements, 1, *most, -term.coefficient) : std::nullopt;
      if (!sum) return std::nullopt;
      elements = *sum;
    }
    const auto is_large = [](const Term& term) {
      return term.coefficient > most_elements || term.coefficient < -most_elements;
    };
    if (std::ranges::any_of(elements.view(), is_large) || elements.constant > most_elements ||
        elements.constant < -most_elements)
      return std::nullopt;
    return WantedFact{false, *number, std::nullopt, 0, elements};
  }
  return std::nullopt;
}

// Says whether a fact on dynamic shared memory holds where another does.
bool GuardWalk::follows(const WantedFact& fact, const WantedFact& other) const {
  std::optional<Affine> more = subtract(*other.elements, *fact.elements);
  return fact.extent == other.extent && more && symbolic_.facts.bounds(*more).low >= 0;
}

Expression GuardWalk::elements_expression(const Affine& elements) const {
  Expression sum = ir::constant_expression(static_cast<std::int64_t>(elements.constant));
  bool is_empty = elements.constant == 0;
  for (const Term& term : elements.view()) {
    Expression product = known_[*find_known(term.atom)].expression;
    if (term.coefficient != 1)
      product = ir::binary_expression(ExpressionOp::Multiply, std::move(product),
                                      ir::constant_expression(term.coefficient));
    sum = is_empty ? std::move(product)
                   : ir::binary_expression(ExpressionOp::Add, std::move(sum), std::move(product));
    is_empty = false;
  }
  return sum;
}

} // namespace kern
