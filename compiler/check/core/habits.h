// Adds advice to errors, beside the words of their own row, where a habit from another language caused them.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Adds what to write instead of an operator that has no meaning for its operands.
void advise_operator(Checker& checker, Report& report, ast::BinaryOp op, const Value& left,
                     const Value& right);
void advise_operator(Checker& checker, Report& report, ast::UnaryOp op, const Value& operand);
// Adds where the name of a type is given to something else.
void note_hidden_type(Checker& checker, Report& report, std::string_view name);
// Adds how an array is made, where a tuple's element is assigned to.
void advise_array(Checker& checker, Report& report, const Value& base);
// How two values are exchanged or stored as one, where tuples are not.
inline constexpr std::string_view packing_advice =
    "two values fit into the bits of one integer: `u64(bits(value)) << 32 | u64(index)`, which is compared "
    "by an f32 "
    "or u32 `value` first, where that is not negative";

} // namespace kern::checker
