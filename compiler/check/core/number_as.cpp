// Converts numbers that are known as NumPy does: what is complex becomes nothing real.
#include "compiler/check/core/number_as.h"
#include "compiler/values/fold.h"

namespace kern::checker {

std::optional<ir::Operand> operand_as(const ir::Operand& operand, Type type) {
  if (operand.type == type) return operand;
  if (is_complex(type)) {
    std::optional<std::complex<double>> parts = constant_complex(runtime_value(operand, {}));
    return parts ? std::optional(ir::constant_complex(type, parts->real(), parts->imag())) : std::nullopt;
  }
  return is_complex(operand.type) ? std::nullopt : fold_convert(operand, type);
}

std::optional<ir::Operand> number_as(const Value& number, Type type) {
  if (is_complex(type)) {
    std::optional<std::complex<double>> parts = constant_complex(number);
    return parts ? std::optional(ir::constant_complex(type, parts->real(), parts->imag())) : std::nullopt;
  }
  if (is_complex(number.type)) return std::nullopt;
  if (is_int_literal(number)) return constant_of(type, number.integer);
  if (is_literal(number)) return fold_convert(ir::constant_float(types::f64, number.real()), type);
  return is_constant_number(number) ? operand_as(number.operand, type) : std::nullopt;
}

} // namespace kern::checker
