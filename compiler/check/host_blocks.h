// The blocks of `if`, `with`, `try` and loops: what one of their functions reads that the same block binds is certain
// for it, since the function is there only where the block has run.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether a scope is that of the blocks of a statement, which binds names of the scope around it.
bool is_block(const FileScope& scope);
// Adds the scope of a statement's blocks, whose names are bound.
FileScope& add_block(Context& context, FileScope& scope, const ast::HostStatement& statement);

} // namespace kern::checker
