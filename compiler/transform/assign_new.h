// Temporaries that a pass makes.
#pragma once

#include <utility>

#include "compiler/ir/ir.h"

namespace kern {

// Makes a slot of a type that belongs to a statement, and returns it.
inline ir::SlotId new_slot(ir::Function& function, Type type, const ir::Stmt& at) {
  function.slots.push_back({"", type, ir::Slot::Kind::Temp, at.span});
  return static_cast<ir::SlotId>(function.slots.size() - 1);
}

// Makes a slot, and appends to a body the statement that gives it a value.
inline ir::Operand assign_new(ir::Function& function, ir::Expr value, Type type, const ir::Stmt& at,
                              ir::Body& body) {
  const ir::SlotId slot = new_slot(function, type, at);
  body.push_back({ir::Assign{slot, std::move(value)}, at.span, at.scope});
  return {type, slot, 0};
}

} // namespace kern
