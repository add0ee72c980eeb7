// The ways by which a variable comes to its value: its assignments, and the conditions and loops that decide which of them
// is the last one. A local array is one variable, and a store to it an assignment. Private to lint/.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

class Choices {
public:
  explicit Choices(const ir::Function& function);

  // An `if`, and whether its condition holds on the way; or a loop.
  struct Step {
    const ir::Stmt* stmt;
    bool holds;
  };
  // An assignment, and what is around it, but not around all of them; the innermost one first.
  struct Way {
    const ir::Stmt* assignment;
    std::vector<Step> steps;
  };

  // Returns the statements that assign a slot, in the order of the program.
  std::span<const ir::Stmt* const> assignments(ir::SlotId slot) const {
    return slots_[static_cast<std::size_t>(slot)].assignments;
  }
  // Returns the ways to the value of a slot; what a parameter begins with is none.
  std::span<const Way> ways(ir::SlotId slot) const { return slots_[static_cast<std::size_t>(slot)].ways; }
  // Returns the conditions under which a thread leaves a round of a loop before its end.
  std::span<const ir::Operand> jumps(const ir::Stmt& loop) const;

private:
  using RegionId = std::uint32_t;
  // A body, and the statement that holds it.
  struct Region {
    RegionId outer;
    std::uint32_t depth;
    const ir::Stmt* stmt;
    bool is_then;
  };
  struct Slot {
    std::vector<const ir::Stmt*> assignments;
    std::vector<RegionId> regions; // in which they stand
    std::vector<Way> ways;
  };

  void visit(const ir::Body& body, RegionId region);
  RegionId enter(RegionId outer, const ir::Stmt& stmt, bool is_then);
  void add(ir::SlotId slot, const ir::Stmt& stmt, RegionId region);
  void add_jump(RegionId region);
  void add_contents(const ir::Operand& array, const ir::Stmt& stmt, RegionId region,
                    std::vector<ir::SlotId>& seen);
  RegionId common(RegionId a, RegionId b) const;
  void find_ways(Slot& slot, bool is_param) const;

  const ir::Function& function_;
  std::vector<Region> regions_;
  std::vector<Slot> slots_;
  std::vector<std::pair<const ir::Stmt*, RegionId>> changes_; // of local arrays
  std::unordered_map<const ir::Stmt*, std::vector<ir::Operand>> jumps_;
};

} // namespace kern
