// One round of checking a function, which the inference of its types repeats and the last one emits.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Binds the parameters and checks the body.
void run_round(Checker& checker, Instance& instance);

} // namespace kern::checker
