// An index that a counted loop computes as `first + k * step` in its k-th iteration, and the code before the loop
// that tests all of its values by the first and the last. Private to transform/.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/definitions.h"
#include "compiler/ir/ir.h"

namespace kern {

// Returns the slots that a statement, or one inside it, assigns.
std::unordered_set<ir::SlotId> assigned_slots(const ir::Stmt& stmt);

// Returns what an index is where it does not count from the end: `c` of `c + n if c < 0 else c`, else the index.
// `is_stable` says of a slot whether it holds the same from there to where the index is used.
ir::Operand index_from_start(const ir::Operand& index, const ir::Definitions& definitions,
                             const std::function<bool(ir::SlotId)>& is_stable);

// The place that new statements get, for messages and debuggers.
struct Place {
  Span span;
  ir::ScopeId scope;
};

// Appends statements that assign Temps of their own.
class Emitter {
public:
  Emitter(std::vector<ir::Slot>& slots, ir::Body& out, Place place)
      : slots_(slots), out_(out), place_(place) {}

  // Assigns an expression; of two constants the result is one too.
  ir::Operand assign(Type type, ir::Expr value);
  void assign_to(ir::SlotId slot, ir::Expr value);
  ir::Operand binary(ir::BinaryOp op, const ir::Operand& left, const ir::Operand& right);
  ir::Operand compare(ir::CompareOp op, const ir::Operand& left, const ir::Operand& right);
  ir::Operand both(const ir::Operand& left, const ir::Operand& right);
  ir::Operand negate(const ir::Operand& condition);
  ir::Operand convert(const ir::Operand& value, Type type);
  // Says whether 0 <= index < extent, by one comparison; both are i64.
  ir::Operand in_range(const ir::Operand& index, const ir::Operand& extent);

private:
  std::vector<ir::Slot>& slots_;
  ir::Body& out_;
  Place place_;
};

// The indices of one loop, as the function is that `definitions` is of.
class AffineIndexes {
public:
  enum class Kind : std::uint8_t { Other, Invariant, Affine };

  AffineIndexes(const ir::Function& function, const ir::Definitions& definitions, const ir::Stmt& loop);

  // Says how the loop computes a value. An affine one is so by the ring of its type: whether it wraps is what
  // the tests are for.
  Kind kind(const ir::Operand& value) const { return kind(value, 0); }
  // Says whether the loop never assigns a slot.
  bool is_fixed(const ir::Operand& operand) const {
    return !operand.slot || !assigned_.contains(*operand.slot);
  }

  // Returns a condition that is true only if an index, which is not of kind Other, is in range of an axis in
  // each of at least one iteration. All that it reads is there before the loop.
  ir::Operand test(const ir::Operand& index, const ir::Operand& array, int axis, Emitter& emitter);

private:
  // first + k * step modulo 2**64; where it is_exact also in the type of the value.
  struct Form {
    ir::Operand first, step;
    bool is_exact = true;
  };

  Kind kind(const ir::Operand& value, int depth) const;
  Kind kind(const ir::Assign& assign, int depth) const;
  const ir::Assign* definition(const ir::Operand& value) const;
  Type type_of(ir::SlotId slot) const { return function_.slots[static_cast<std::size_t>(slot)].type; }

  Form form(const ir::Operand& value, Emitter& emitter);
  Form form(const ir::Assign& assign, Emitter& emitter);
  ir::Operand before_loop(const ir::Operand& value, Emitter& emitter);
  ir::Operand last_of(const Form& form, Emitter& emitter);
  void require(const ir::Operand& condition, Emitter& emitter) { holds_ = emitter.both(holds_, condition); }

  const ir::Function& function_;
  const ir::Definitions& definitions_;
  const ir::For& loop_;
  std::unordered_set<ir::SlotId> assigned_;
  bool counts_ = false;                               // the body leaves the variable alone
  std::unordered_map<ir::SlotId, ir::Operand> moved_; // invariant values, computed before the loop
  ir::Operand holds_ = ir::constant_bool(true);       // what the test at hand asks so far
};

} // namespace kern
