// One round of checking a function, which the inference of its types repeats and the last one emits.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Finds the types of an instance, once.
void infer(Context& context, Instance& instance);
// Makes the IR of an instance, once (last_round.cpp).
ir::FunctionId emit(Context& context, Instance& instance);
// Binds the parameters and checks the body.
void run_round(Checker& checker, Instance& instance);

} // namespace kern::checker
