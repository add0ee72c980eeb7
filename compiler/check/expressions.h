// Expressions of the source to values, in Python's order, each part once.
#pragma once

#include "compiler/check/arrays/places.h"

namespace kern::checker {

// ---- expressions.cpp ----
Value evaluate(Checker& checker, const ast::Expr& expr);
Value evaluate_place(Checker& checker, const ast::Expr& expr); // a record of an array as where it is
Value evaluate_condition(Checker& checker, const ast::Expr& expr);

// ---- subscripts.cpp ----
Value evaluate_subscript(Checker& checker, const ast::Subscript& expr);
Place place_of(Checker& checker, const Value& array, std::span<const ast::Expr* const> indices,
               const ast::Expr& base_expr, Span span);
// Returns the type of an array by what each slice says, Any of `:` and COrder of `::1`; nothing is no slice of a type.
Value array_type(Checker& checker, const Value& element, std::span<const std::optional<Layout>> slices,
                 Span span);
SliceBounds evaluate_bounds(Checker& checker, const ast::Slice& slice);

// ---- tuple_subscripts.cpp ----
Value tuple_subscript(Checker& checker, const Value& base, const ast::Subscript& expr);

// ---- attributes.cpp ----
Value evaluate_attribute(Checker& checker, const ast::Attribute& expr);
Value attribute_of(Checker& checker, const Value& value, std::string_view name, Span span);

} // namespace kern::checker
