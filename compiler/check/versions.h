// The versions of a variable: in a .py file a name that is assigned again is another variable, as far as no statement
// may read both.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Makes versions of the names that the last round found mixed and that have some; says whether there are new ones, with
// which inference begins anew.
bool split_mixed(Context& context, Instance& instance);

} // namespace kern::checker
