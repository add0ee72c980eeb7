// A step of inlining: a body that returns in its middle cannot stand inside another.
#pragma once

#include "compiler/ir/ir.h"

namespace kern {

// Rewrites a function so that its only Return, if it has any, is its last statement.
void return_once(ir::Function& function);

} // namespace kern
