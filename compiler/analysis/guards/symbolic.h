// A function as seen by the proof of guards: what each slot holds at the present point, as an affine form, a
// condition or the extents of an array, with the facts that hold there. The walk over the statements is in
// guards.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/flow/slots.h"
#include "compiler/analysis/guards/extremes.h"
#include "compiler/analysis/guards/facts.h"
#include "compiler/ir/ir.h"

namespace kern {

enum class ConditionId : std::uint32_t {};

// A bool, as far as it is known what it means.
struct Condition {
  enum class Kind : std::uint8_t {
    Constant,
    AtLeastZero, // form >= 0
    EqualsZero,  // form == 0
    Not,         // of first
    Choose,      // second if first else third
  };
  Kind kind = Kind::Constant;
  bool value = false;     // of a Constant
  std::uint32_t size = 1; // of the whole tree
  Affine form;
  ConditionId first{}, second{}, third{};
  Span span; // of the comparison
};

// The value of a slot: an index into what Symbolic keeps of that kind.
struct Value {
  enum class Kind : std::uint8_t {
    Nothing, // that is tracked: floats
    Integer,
    Condition,
    Array,
    Ratio, // a float of 64 bits: one integer divided by another one, both of which it holds exactly
  };
  Kind kind = Kind::Nothing;
  std::uint32_t index = 0;
  bool operator==(const Value&) const = default;
};

// The numbers of a quotient of floats.
struct Ratio {
  Affine dividend, divisor;
  bool operator==(const Ratio&) const = default;
};

class Symbolic {
public:
  struct Mark {
    Facts::Mark facts;
    flow::Slots<Value>::Mark slots = 0;
  };
  // The changes that a branch made, for joining it with another one.
  struct Branch {
    bool reachable = false;            // its end
    flow::Changes<Value> changes = {}; // Temps left out
    std::vector<Fact> facts = {};
  };

  Symbolic(const ir::Module& module, const ir::Function& function);

  Facts facts;
  Extremes extremes{facts};

  // Return what an operand holds here; an integer's form is exact in its type.
  Value value(const ir::Operand& operand);
  Affine integer(const ir::Operand& operand);
  ConditionId condition(const ir::Operand& operand);
  // Returns the extent of an axis of an array.
  Affine extent(const ir::Operand& array, int axis);
  // Returns the value of an expression of a type; `span` is where it stands.
  Value evaluate(const ir::Expr& expr, Type type, Span span);
  // Returns a value of a type of which nothing else is known.
  Value unknown(Type type);
  ConditionId unknown_condition();
  // Return values of what is known.
  Value make(const Affine& form);
  Value make(ConditionId condition) const {
    return {Value::Kind::Condition, static_cast<std::uint32_t>(condition)};
  }
  Value make_array(std::vector<Affine> extents);
  // Return what a value of the kind is.
  const Affine& form(Value value) const { return forms_[value.index]; }
  const std::vector<Affine>& extents(Value value) const { return arrays_[value.index]; }
  // Returns what a load from an array gives, of that type.
  Value element(const ir::Operand& array, Type type);
  const Ratio& ratio(Value value) const { return ratios_[value.index]; }
  // Returns what a slot holds, and changes it.
  Value slot(ir::SlotId id) const { return slots_[id]; }
  void set(ir::SlotId id, Value value) { slots_.set(id, value); }
  // Returns what threadIdx.x and the like are; nothing for another builtin.
  std::optional<Affine> thread_value(Builtin builtin);
  // Says whether a kernel may ask for the dynamic shared memory as a whole.
  bool has_dynamic_shared() const {
    return std::ranges::any_of(module_.shared, [](const ir::SharedDecl& shared) { return shared.aliased; });
  }
  // Returns how many elements of so many bytes the dynamic shared memory of a block has.
  Affine dynamic_elements(int bytes) { return quotient(shared_bytes_, bytes); }
  // Returns the declaration of a slot.
  const ir::Slot& declaration(ir::SlotId id) const { return function_.slots[static_cast<std::size_t>(id)]; }

  // Says from here on that the condition came out so.
  void assume(ConditionId condition, bool outcome);
  // Returns what the condition must be here, where that is known.
  std::optional<bool> decide(ConditionId condition);

  // Returns the place to roll back to, and forgets what changed since.
  Mark mark() const { return {facts.mark(), slots_.mark()}; }
  void rollback(const Mark& mark);
  // Returns what changed since the mark.
  Branch branch(const Mark& mark, bool reachable);
  // Makes the changes of a branch.
  void apply(const Branch& branch);
  // Joins the two branches of a condition; the present point is where they parted.
  void join(ConditionId condition, const Branch& taken, const Branch& other);
  // Joins two ways of which it is not known when which is taken.
  void join(Branch taken, Branch other);

private:
  // A slot that at least one of two branches changed.
  struct JoinedSlot {
    ir::SlotId slot;
    Value left, right;
    Interval left_range = {}, right_range = {}; // of integers, by what held in the branch
  };
  struct Join {
    ConditionId condition;
    std::vector<Fact> left_facts, right_facts;
    std::vector<JoinedSlot> slots;
    std::optional<std::pair<KeptFacts, KeptFacts>> kept; // the facts, once a choice needs them
  };

  Value start_value(const ir::Slot& slot);
  std::vector<Value> start_values();
  static std::vector<Fact> first_facts(const Branch& branch);
  void join_ranges(Join& join);
  Value join_values(Join& join, Type type, const JoinedSlot& joined);
  Affine join_forms(Join& join, const Affine& left, const Affine& right, Interval range);
  bool same(Value left, Value right) const;

  // evaluate.cpp, products.cpp, bits.cpp
  Value unary(const ir::Unary& unary, Type type);
  Value binary(const ir::Binary& binary, Type type);
  ConditionId combine_bools(const ir::Binary& binary);
  // Says whether two integers are known to be the same.
  bool equal_here(Value left, Value right);
  bool is_from_the_end(Value left, Value right);
  Value select(ConditionId condition, Value left, Value right, Type type);
  Value convert(const ir::Operand& operand, Type type);
  Value make_ratio(const Affine& dividend, const Affine& divisor);
  Value real(const ir::Operand& operand);
  Value divide_reals(const ir::Binary& binary);
  bool has_divisor(const Ratio& ratio);
  Value truncate(const ir::Operand& operand, Type type);
  Value view(const ir::View& view);
  Value constant_array(const std::vector<std::int64_t>& extents);
  Value constant_array(ir::ConstantId id);
  Affine fitted(const std::optional<Affine>& exact, Type type, std::uint32_t code, const Affine& left,
                const Affine& right);
  Reason reason_of(const Affine& first, const Affine& second) const;
  Affine multiply_forms(Type type, const Affine& left, const Affine& right);
  // Says how a product that does not wrap lies to others with a factor in common.
  void relate_square(AtomId id);
  void relate_product(AtomId id);
  // Says how the product with a quotient lies to the dividend.
  void relate_quotient(AtomId id);
  // Says how a value with some low bits changed lies to the value.
  void relate_low_bits(AtomId id, const Affine& left, Wide bits);
  Affine exact_product(const Affine& left, const Affine& right);
  // Returns h, and why, where it is known that 0 <= left < h * divisor, so that left // divisor < h; then the
  // divisor is positive here.
  std::optional<Fact> quotient_limit(const Affine& left, const Affine& divisor);
  Affine floor_divide_forms(Type type, const Affine& left, const Affine& right);
  Affine modulo_forms(Type type, const Affine& left, const Affine& right);
  Affine shift_forms(Type type, ir::BinaryOp op, const Affine& left, const Affine& count);
  Affine bitwise_forms(Type type, ir::BinaryOp op, const Affine& left, const Affine& right);
  Affine indivisible_part(const Affine& left, Wide divisor) const;
  Affine quotient(const Affine& left, Wide divisor);
  Affine remainder(const Affine& left, Wide divisor);

  // builtin_values.cpp
  void start_threads();
  void limit_threads(const Reason& launch);
  Value call(const ir::CallPure& call, Type type);
  Affine extremum(Type type, bool maximum, const Affine& left, const Affine& right);
  Affine absolute(Type type, const Affine& operand);

  // conditions.cpp
  ConditionId add_condition(Condition condition);
  ConditionId constant_condition(bool value);
  ConditionId at_least_zero(const std::optional<Affine>& form, Span span);
  ConditionId equals_zero(const std::optional<Affine>& form, Span span);
  ConditionId negate(ConditionId condition);
  ConditionId choose(ConditionId test, ConditionId taken, ConditionId other);
  ConditionId compare(const ir::Compare& compare, Span span);
  bool is_number(const ir::Compare& compare);
  ConditionId compare_bools(const ir::Compare& compare);
  void assume_zero(const Affine& form, bool outcome, const Reason& reason);
  void assume_either(const Condition& chosen, bool outcome);
  std::optional<bool> constant_value(ConditionId condition) const;
  const Condition& at(ConditionId id) const { return conditions_[static_cast<std::size_t>(id)]; }

  const ir::Module& module_;
  const ir::Function& function_;
  Affine lane_;
  Affine shared_bytes_;                                         // that the launch gives a block
  std::array<Affine, 3> thread_, block_, block_dim_, grid_dim_; // threadIdx and so on
  std::vector<AtomId> products_; // exact ones, in the order of their evaluation
  int disjunctions_around_ = 0;  // of the one that is being assumed
  std::deque<Affine> forms_;
  std::deque<std::vector<Affine>> arrays_;
  // Of constant arrays, which may be long and are met in each round: their ranges, and these by places in arrays_.
  std::unordered_map<ir::ConstantId, std::optional<Interval>> constant_ranges_;
  std::unordered_map<std::uint32_t, Interval> elements_;
  std::deque<Ratio> ratios_;
  std::deque<Condition> conditions_;
  flow::Slots<Value> slots_; // behind what their first values are made of
};

} // namespace kern
