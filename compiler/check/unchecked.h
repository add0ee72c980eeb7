// Functions without types, which no kernel calls: their names can still be looked over.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Reports the names in a function that nothing defines.
void check_names(Context& context, const FunctionSymbol& function);

} // namespace kern::checker
