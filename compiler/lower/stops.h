// Launches that may be told to end.
#pragma once

#include "compiler/lower/lowerer.h"

namespace kern::lowering {

// GPU: a thread of a kernel whose launches may be stopped asks before it does anything. (On a CPU whoever hands out
// blocks does.)
void poll_at_start(Lowerer& lower);

} // namespace kern::lowering
