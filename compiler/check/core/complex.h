// Complex numbers while a function is checked: a value of c64 or c128 is one operand, and what is computed of it is
// computed of its two parts (transform/split_complex.cpp takes the operands apart once the module is complete).
#pragma once

#include <complex>

#include "compiler/check/core/checker.h"

namespace kern::checker {

// The parts of a complex number, of one float type.
struct ComplexParts {
  ir::Operand real, imag;
};

// Says whether a value is a complex number, a literal included.
inline bool is_complex_number(const Value& value) { return is_number(value) && is_complex(value.type); }
// Return the complex number of two parts, and the parts of one; constants fold.
ir::Operand make_complex(Emitter& emitter, ComplexParts parts, Span span);
ComplexParts parts_of(Emitter& emitter, ir::Operand complex, Span span);
// Converts a number to a complex type, or a complex number to another type or to its truth. Nothing makes a real
// number of it.
ir::Operand convert_complex(Emitter& emitter, ir::Operand value, Type type, Span span);

// Returns the result of an operator on two constants, at least one of them complex; nothing where it has none, or
// Python raises.
std::optional<std::complex<double>> fold_complex(const Checker& checker, ast::BinaryOp op, const Value& left,
                                                 const Value& right);
// Return `left op right` and `left ** right` in a complex type.
Value complex_arithmetic(Checker& checker, ast::BinaryOp op, Type type, const Value& left, const Value& right,
                         Span span);
Value complex_power(Checker& checker, Type type, const Value& left, const Value& right, Span span);
// Returns `left == right` or `left != right` in a complex type.
Value complex_equality(Checker& checker, bool equal, Type type, const Value& left, const Value& right,
                       Span span);
// Returns -z, and reports what is no operator of complex numbers.
Value complex_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span);
Value complex_absolute(Checker& checker, const Value& operand, Span span);
Value conjugate(Checker& checker, const Value& operand, Span span);
// Returns z.real or z.imag of a number.
Value complex_part(Checker& checker, const Value& value, int part, Span span);
// c64(x), c128(x, y), complex(): of `complex` itself the arguments say which of the two types it is.
Value construct_complex(Checker& checker, std::optional<Type> type, std::span<const Value> args, Span span);
// Reports that a complex number does not become a real one.
void report_complex_to_real(Checker& checker, const Value& value, Type type);

// Returns the module cmath of the standard library; null where there is none.
FileScope* complex_library(Context& context);
// Calls a function of it, which operators of complex numbers need as well; nothing where there is none of that name.
std::optional<Value> call_complex(Checker& checker, std::string_view name, std::vector<Value> args,
                                  Span span);
// Returns a call of a function of cmath with constants, where there is no program that could make it.
std::optional<Value> fold_complex_call(Checker& checker, const FunctionSymbol& callee,
                                       std::span<const Value> args, Span span);

} // namespace kern::checker
