// Wherever the two dialects differ the checker asks here: the rows of dialect.def, and what each of them computes in its own way.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/builtins/builtins.h"
#include "compiler/check/dialect.h"
#include "compiler/ir/ir.h"

namespace kern::checker {

struct Checker;
struct Value;

// The functions of a dialect, in a table of its own: kern_rules.cpp, numba.cpp. Null is what the IR does.
struct DialectFunctions {
  // Returns the type of what is one thing or another; nothing where they have none in common.
  std::optional<Type> (*join)(Type, Type);
  // Return the type in which an operator, but `**`, and a comparison of numbers that are no integers both compute; nothing where
  // they have no meaning.
  std::optional<Type> (*operator_type)(ast::BinaryOp, const Value& left, const Value& right);
  std::optional<Type> (*comparison_type)(const Value& left, const Value& right);
  // Compares two types as values of Python; nothing where they are none, or no expression has them. Null where there are none.
  std::optional<Value> (*compare_types)(Checker&, ast::CompareOp, const Value& left, const Value& right,
                                        Span);
  // -x and ~x of integers and bools that have a type.
  Value (*integer_unary)(Checker&, ast::UnaryOp, const Value& operand, Span);
  // Computes an operator of integers in a type; null where it is computed as one of floats is.
  Value (*integer_arithmetic)(Checker&, ast::BinaryOp, Type, const Value& left, const Value& right, Span);
  // x // y and x % y; `may_wrap` says that x may be the least integer, and y -1.
  ir::Operand (*divide)(Checker&, ir::BinaryOp, ir::Operand left, ir::Operand right, bool may_wrap, Span);
  Value (*integer_power)(Checker&, ir::Operand base, const Value& exponent, Span);
  ir::Operand (*float_to_integer)(Checker&, ir::Operand value, Type, Span);
  // Returns the type of the numbers of a range; null where it is the widest of its arguments.
  Type (*range_type)(Checker&, const Value& range);
  // The arguments of a builtin, converted, and the type of its result; nothing where it is that of the signature.
  std::vector<Value> (*builtin_arguments)(Checker&, Builtin, std::vector<Value> args);
  std::optional<Type> (*builtin_result)(Builtin, const std::vector<Value>& args);
  // Returns what an atomic takes in place of a value.
  ir::Operand (*atomic_value)(Checker&, Builtin, ir::Operand value, Span);
  // Says whether `min` and `max` are the first of those that no other goes before, as Python's are.
  bool (*compares_in_turn)(const std::vector<Value>& args, Type type);
};

extern const DialectFunctions kern_functions, numba_functions;

struct Rules {
#define DIALECT_RULE(Name, InKern, InNumba) bool Name;
#include "compiler/check/core/dialect.def"
  const DialectFunctions* functions;
};

} // namespace kern::checker
