// Estimates integers and conditions of a kernel over the threads of a launch: from which number to which,
// evenly spread, and for which part of the threads a condition holds. Nothing here is proved.
#pragma once

#include <optional>
#include <vector>

#include "compiler/analysis/flow/slots.h"
#include "compiler/analysis/launch/launch_term.h"
#include "compiler/ir/ir.h"

namespace kern {

struct Spread {
  LaunchTerm first;
  std::optional<LaunchTerm> width =
      {}; // of the numbers from the first one on; nothing: it is the same for all threads
  std::optional<LaunchTerm> step = {}; // between them; nothing: 1
  bool operator==(const Spread&) const = default;
};

// Returns the mean of a spread.
std::optional<LaunchTerm> mean_of(const Spread& spread);

// The value of a slot, as far as the launch tells.
struct Held {
  std::optional<Spread> number = {};
  std::optional<LaunchTerm> chance = {}; // of a condition
};

class Spreads {
public:
  explicit Spreads(const ir::Function& kernel);

  std::optional<Spread> number(const ir::Operand& operand) const;
  // Returns for which part of the threads a condition holds, 0 to 1.
  std::optional<LaunchTerm> chance(const ir::Operand& operand) const;

  void assign(const ir::Assign& assign);
  void set(ir::SlotId slot, Held held);
  // Notes that a condition is this for all threads that are looked at from here on.
  void assume(const ir::Operand& condition, bool value);
  void forget(ir::SlotId slot) { set(slot, {}); }
  // Forgets what the statements of a body assign.
  void forget_assigned(const ir::Body& body);

  // Assignments since a mark can be taken back, for another branch.
  using Mark = flow::Slots<Held>::Mark;
  using Changes = flow::Changes<Held>;
  Mark mark() const { return slots_.mark(); }
  Changes take_back(Mark mark) { return slots_.take_back(mark); }
  void apply(const Changes& changes) { slots_.apply(changes); }
  // Joins the values of two branches behind an `if` whose condition has that chance.
  void join(const std::optional<LaunchTerm>& chance, const Changes& taken, const Changes& other);

private:
  Held value_of(const ir::Expr& expr) const;
  std::optional<Spread> binary(const ir::Binary& binary) const;
  std::optional<Spread> place_of(Builtin builtin) const;
  std::optional<Spread> extent(const ir::Extent& extent) const;
  std::optional<LaunchTerm> compare(const ir::Compare& compare) const;

  const ir::Function& kernel_;
  flow::Slots<Held> slots_;
  std::vector<bool> is_assigned_; // parameters that are arrays no longer
};

} // namespace kern
