// Algorithms of the library in `kernc run`: `std:sort keys=@k.npy` is the launches that a program's call of it makes.
#pragma once

#include "compiler/driver/run/stages.h"

namespace kern {

// Makes stages of a call of an algorithm, where the command line is one: what it names is an algorithm of a module of the library, and it
// does not say itself over what a kernel runs. False where an error was reported.
bool expand_algorithm(Run& run);

} // namespace kern
