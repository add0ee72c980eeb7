// Values to operands of a type, and what types have in common.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Why a value must become another type, for the words of errors.
struct Purpose {
  enum Kind : std::uint8_t { Operand, Assignment, Store, Argument, Param, Return, Index };
  Kind kind;
  // What the value meets or goes into: the other operand, the local, the element, the name of the declared parameter.
  Span place;

  Purpose(Kind why, Span where = {}) : kind(why), place(where) {}
};

// ---- casts.cpp ----
ir::Operand cast(Checker& checker, ir::Operand value, Type type,
                 Span span); // any scalar to any scalar, by the dialect

// ---- convert.cpp ----
ir::Operand convert(Checker& checker, const Value& value, Type type, Purpose purpose);
Value convert_value(Checker& checker, const Value& value, Type type, Purpose purpose); // tuples too
ir::Operand as_operand(Checker& checker, const Value& value);              // in its own or default type
bool check_index(Checker& checker, const Value& value);                    // reports what is no integer
std::optional<ir::Operand> as_index(Checker& checker, const Value& value); // i64; reports what is no integer
std::optional<ir::Operand> as_condition(Checker& checker, const Value& value); // bool, by truth
std::optional<bool> constant_truth(const Value& value);
Value explicit_cast(Checker& checker, Type type, const Value& value, Span span,
                    bool from_python_name = false);
void flatten(Checker& checker, const Value& value, std::vector<ir::Operand>& leaves);

// ---- joined_types.cpp ----
std::optional<Type> join_types(Checker& checker, Type a, Type b); // of the ends of a conditional
// Returns what assignments of a local have in common: a bool beside literals says nothing.
std::optional<Type> join_assigned(Checker& checker, Type a, Type b);
Type default_deep(Checker& checker, Type type); // of literals, those in tuples too

} // namespace kern::checker
