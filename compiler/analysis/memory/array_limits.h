// Limits the memory that all arrays of a kernel take together. The checker cannot: it sees one array at a
// time, in instances that several kernels may share.
#pragma once

#include "compiler/ir/ir.h"

namespace kern {

class Diagnostics;

// Reports, for each kernel, the shared array with which a block and the local array with which a thread has
// more bytes than any device gives it; what the kernel calls counts.
void check_array_limits(const ir::Module& module, Diagnostics& diagnostics);

// Returns the bytes that a thread has of a local array of that type.
std::uint64_t local_bytes(Type type, const ir::LocalArray& array);

} // namespace kern
