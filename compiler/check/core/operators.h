// Operators on values.
#pragma once

#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"

namespace kern::checker {

// ---- power.cpp ----
// Computes what is deferred in a type of floats (power.cpp).
ir::Operand convert_deferred(Checker& checker, const Value& value, Type type, Purpose purpose);
Value power(Checker& checker, const Value& left, const Value& right, Span span);

// ---- merge.cpp ----
Value bounded(Checker& checker, Value tuple); // itself; an error where it is too large
Value merge(Checker& checker, Span span, ir::Operand condition, const std::function<Value()>& yes,
            const std::function<Value()>& no);

// ---- operators.cpp ----
Value unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span);
Value binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span);
void note_widening(Checker& checker, std::span<const Value* const> operands, Type type);
void report_widening(Checker& checker);
Value arithmetic(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span);
ir::Operand convert_through(Checker& checker, const Value& value, Type type, Type computed, Span other = {});

// ---- literals.cpp ----
Value literal_operation(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span);
Value literal_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span);

// ---- compare.cpp ----
Value compare_values(Checker& checker, ast::CompareOp op, const Value& left, const Value& right, Span span);

// Returns the end of a conditional whose condition is constant: the type is what both ends join to. An end that has no number to
// give says nothing.
Value joined_with(Checker& checker, Value taken, const Value& other, Span span);

} // namespace kern::checker
