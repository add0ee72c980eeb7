// Brackets around the source texts that a message puts beside an operator, an index or a dot: as few as Python's precedence
// allows. A text stands for an expression, without brackets around the whole.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ast/ast.h"

namespace kern::checker {

// How tightly an operator binds, the loosest first.
enum class Binding {
  Choice, // `a if c else b`, `n := a`
  Or,
  And,
  Not,
  Comparison,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Sign,
  Power,
  Primary, // a name, a literal, a call, an element
};

Binding binding_of(ast::BinaryOp op);
// Returns how tightly the loosest operator of a text binds.
Binding binding_of(std::string_view text);

// Returns a text, in brackets where it binds more loosely than `least`.
std::string bracketed(std::string_view text, Binding least);
// Return a text as an operand of an operator.
std::string left_operand(std::string_view text, ast::BinaryOp op);
std::string right_operand(std::string_view text, ast::BinaryOp op);

} // namespace kern::checker
