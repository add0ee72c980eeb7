// What the decorators of a function say.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

void read_decorators(Context& context, FunctionSymbol& function);
// Warns of the decorators of a function that kernc does not know, once.
void report_unknown_decorators(Context& context, const FunctionSymbol& function);
// Says whether no function that is defined later takes its name.
bool is_last_definition(Context& context, const FunctionSymbol& function);
const FunctionSymbol* lambda_function(FileScope& file, const ast::Lambda& lambda);

} // namespace kern::checker
