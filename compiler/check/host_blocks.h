// The blocks of `if`, `with`, `try` and loops: what one of their functions reads that the same block binds is certain
// for it, since the function is there only where the block has run.
#pragma once

#include "compiler/check/checker.h"

namespace kern::checker {

// Says whether a scope is that of the blocks of a statement, which binds names of the scope around it.
bool is_block(const FileScope& scope);
// Adds the scope of a statement's blocks, whose names are bound.
FileScope& add_block(Context& context, FileScope& scope, const ast::HostStatement& statement);
// Finds out which clause of a statement runs, where its conditions say so.
void decide(Context& context, FileScope& file, Choice& choice);

// The outcome of the body of a function of the host, or of one of its blocks.
struct Outcome {
  enum class Kind : std::uint8_t { End, Returns, Raises, Unknown };
  Kind kind = Kind::End;
  const ast::Expr* result = nullptr; // that is returned; null of `return` alone
  FileScope* scope = nullptr;        // in which that stands
  Span span; // of the statement that ends it, or of which nobody knows whether it does
};
// Follows the statements of a scope to the first that ends it.
Outcome outcome_of(Context& context, FileScope& scope);
// Returns the scope of the body of a function of the host for values of its parameters.
FileScope& body_of_host(Context& context, FileScope& scope, const ast::HostStatement& host,
                        const std::vector<Value>& values);

} // namespace kern::checker
