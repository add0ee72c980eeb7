// Barriers that the threads of a block come to each by its own way (ir::Meeting).
#pragma once

#include "compiler/lower/lowerer.h"

namespace kern::lowering {

// The question that threads bring to a barrier; the numbers are part of the ABI (kern/abi.h).
enum class MeetingKind : std::uint8_t {
  Wait,  // nothing
  Count, // in how many threads the value is 1
  All,   // whether in all
  Any,   // whether in any
  First, // the value of the first thread
};

// CPU: waits at the barrier with that site, and returns what comes out of the i64 values that threads bring;
// the thread leaves where the barrier cannot hold.
llvm::Value* meet_apart(Lowerer& lower, ir::SiteId site, MeetingKind kind, llvm::Value* value);

} // namespace kern::lowering
