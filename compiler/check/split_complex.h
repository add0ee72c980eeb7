// From here on a complex number is its two parts: no slot is complex but a parameter of a kernel, whose place in the
// parameter block it keeps, and an element is read and written by the views of its parts.
#pragma once

#include "compiler/ir/ir.h"

namespace kern::checker {

// Takes the complex numbers of all functions apart.
void split_complex(ir::Module& module);

} // namespace kern::checker
