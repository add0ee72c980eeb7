// Placing of guards for passes that change what is known of a function.
#pragma once

#include "compiler/analysis/guards.h"
#include "compiler/ir/ir.h"
#include "compiler/transform/transform.h"

namespace kern {

// Marks the guards of a function as the proofs say.
void place_guards(ir::Function& function, GuardProofs proofs, GuardMode mode);
// Makes every guard of a body one that nobody has looked at.
void take_guards_back(ir::Body& body);

} // namespace kern
