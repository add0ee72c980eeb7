// How often each slot of a function is read and assigned, by which statement, and whether reads see what that
// statement gave. Computed once for a function, which must stay as it is meanwhile: statements are pointed
// at.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace kern::ir {

class Definitions {
public:
  explicit Definitions(const Function& function);

  // Return how many operands name a slot, and how many statements assign it. What a parameter begins with is
  // no assignment.
  std::size_t reads(SlotId slot) const { return of(slot).reads; }
  std::size_t writes(SlotId slot) const { return of(slot).writes; }

  // Says whether a slot is assigned once and read once, but for proved guards, which read nothing in the end.
  bool is_used_once(SlotId slot) const { return writes(slot) == 1 && reads(slot) == 1 + of(slot).proved; }

  // Returns the one statement that assigns a slot; null where none does, or several do.
  const Stmt* sole(SlotId slot) const { return writes(slot) == 1 ? of(slot).last : nullptr; }
  // Returns the Assign that this is; null where it is another statement.
  const Assign* sole_assign(SlotId slot) const;

  // Says whether every read of a slot finds what its one assignment gave when it last ran: that stands before
  // the read, in the same body or one around it. A parameter that nothing assigns is steady too. The
  // condition of a While counts as read before its head.
  bool is_steady(SlotId slot) const { return of(slot).is_steady; }

private:
  struct Uses {
    std::size_t reads = 0, writes = 0;
    std::size_t proved = 0;     // of the reads, those by proved guards
    const Stmt* last = nullptr; // that assigns it, in the order of the program
    bool is_steady = true;
  };

  const Uses& of(SlotId slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  void find_steady(const Body& body, std::vector<bool>& seen);

  std::vector<Uses> slots_;
};

} // namespace kern::ir
