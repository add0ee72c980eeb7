// Records as arguments of `kernc run`: what is known of them only where the kernel's types are.
#pragma once

#include "compiler/driver/run/stages.h"

namespace kern {

// Gives the arrays of `zeros:P:100` their words, and the fields of `p.x=1` their places among the arguments; false where
// an error was reported.
bool settle_records(Run& run, Stage& stage, const ir::Module& module);

// Says whether the records of an array lie as those of a parameter do; words that are given as numbers do where the last axis has
// as many as a record.
bool has_layout(const HostArray& array, Type type);

} // namespace kern
