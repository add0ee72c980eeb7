// Writes what to put instead of `/` of two integers, which could be meant two ways. Either text computes with
// the values that the operands have where nothing in them wraps.
#pragma once

#include <string>

#include "compiler/check/checker.h"

namespace kern::checker {

// Return the quotient rounded down and that of floats, for what stands at `span`; of an augmented assignment the whole.
std::string floored_text(Checker& checker, const Value& left, const Value& right, Span span);
std::string divided_text(Checker& checker, const Value& left, const Value& right, Span span);

// Says whether these texts keep an operand from wrapping beside the other one, so that a warning of it would say the same again.
bool is_written_wider(const Checker& checker, const Value& operand, const Value& other);

} // namespace kern::checker
