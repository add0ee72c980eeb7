// What the body of a function says of a parameter that has no type, for messages that propose one.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ast/ast.h"

namespace kern::ast {

// Returns a type that a parameter is used like: an array of an element's type with the axes that its
// subscripts have, or a number; an array where it is not used.
std::string used_type(const FunctionDef& function, std::string_view param, std::string_view element,
                      std::string_view number);

} // namespace kern::ast
