// Finds what the rounds of a loop add to its variables, as forms over the lanes of a warp:
// `i += gridsize(1)`. Private to analysis/threads/.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "compiler/analysis/threads/lane_forms.h"

namespace kern {

class LoopSteps {
public:
  struct Step {
    ir::Operand by;
  };
  // Returns the form of what the loop does not assign.
  using Known = std::function<std::optional<LaneForm>(const ir::Operand&)>;

  LoopSteps(const ir::Function& function, const ir::Stmt& loop);

  // Says whether every round assigns the slot by `slot = slot + step` or `slot = slot - step` alone, and reaches each.
  bool adds_only(ir::SlotId slot) const;
  // Returns these steps.
  const std::vector<Step>& of(ir::SlotId slot) const;
  // Returns the form of a value in the loop; none where it follows from what the loop changes.
  std::optional<LaneForm> form(const LaneForms& forms, const ir::Operand& operand, const Known& known,
                               int depth = 0) const;

private:
  void scan(const ir::Body& body);
  const ir::Assign* temporary(const ir::Operand& operand) const;
  ir::Operand source(ir::Operand operand) const;
  const ir::Binary* sum_of(const ir::Assign& assign) const;

  const ir::Function& function_;
  bool is_whole_ = true;                           // no round skips a part of the loop
  std::map<ir::SlotId, std::size_t> assignments_;  // in the loop, inner bodies included
  std::map<ir::SlotId, const ir::Assign*> values_; // the last of them
  std::map<ir::SlotId, std::vector<Step>> steps_;  // in the loop's own bodies
};

} // namespace kern
