// What is found out about a function of several lanes before code is made of it, of kernels and of what they
// call.
#include "compiler/lower/lanes.h"

namespace kern::lowering {

void find_lane_facts(Lowerer& lower) {
  lower.lanes.unused.assign(lower.slots.size(), false);
  classify_conditions(lower);
  find_sunk(lower);
}

} // namespace kern::lowering
