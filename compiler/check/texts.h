// Source texts as messages quote them.
#pragma once

#include <string>
#include <string_view>

#include "compiler/check/checker.h"
#include "compiler/support/split.h"

namespace kern::checker {

// Returns the source text of an expression with another text for a part of it.
std::string replaced_text(const Checker& checker, Span whole, Span part, std::string_view text);
// Return a text, or the source of a value, cast to a type: `u64(n)`, or `n != 0` for a bool.
std::string cast_text(std::string_view text, Type type);
std::string cast_text(const Checker& checker, const Value& value, Type type);

} // namespace kern::checker
