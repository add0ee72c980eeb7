// Makes, copies and destroys a statement. It may be any of seventeen kinds, most of which own vectors: made once, here,
// that code does not weigh on every file that holds a list of statements.
#include <utility>

#include "compiler/ir/ir.h"

namespace kern::ir {

Stmt::Stmt(Node what, Span where, ScopeId whose) : node(std::move(what)), span(where), scope(whose) {}
Stmt::Stmt(const Stmt&) = default;
Stmt::Stmt(Stmt&&) noexcept = default;
Stmt& Stmt::operator=(const Stmt&) = default;
Stmt& Stmt::operator=(Stmt&&) noexcept = default;
Stmt::~Stmt() = default;

} // namespace kern::ir
