// Numbers from one scalar type to another, complex ones too.
#include "compiler/check/core/checker.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"

namespace kern::checker {

ir::Operand make_complex(Emitter& emitter, ComplexParts parts, Span span) {
  Type type = complex_of(parts.real.type);
  if (!parts.real.slot && !parts.imag.slot)
    return ir::constant_complex(type, ir::float_value(parts.real), ir::float_value(parts.imag));
  Builtin builtin = type == types::c64 ? Builtin::MakeC64 : Builtin::MakeC128;
  return emitter.temp(type, ir::CallPure{builtin, {parts.real, parts.imag}}, span);
}

ComplexParts parts_of(Emitter& emitter, ir::Operand complex, Span span) {
  if (!complex.slot) return {ir::part_of(complex, 0), ir::part_of(complex, 1)};
  bool narrow = complex.type == types::c64;
  Type part = part_type(complex.type);
  return {emitter.temp(part, ir::CallPure{narrow ? Builtin::RealC64 : Builtin::RealC128, {complex}}, span),
          emitter.temp(part, ir::CallPure{narrow ? Builtin::ImagC64 : Builtin::ImagC128, {complex}}, span)};
}

ir::Operand convert_complex(Emitter& emitter, ir::Operand value, Type type, Span span) {
  if (!is_complex(value.type)) {
    Type part = part_type(type);
    return make_complex(emitter, {emitter.plain_cast(value, part, span), ir::constant_float(part, 0)}, span);
  }
  ComplexParts parts = parts_of(emitter, value, span);
  if (is_boolean(type)) {
    auto is_not_zero = [&](ir::Operand part) {
      return emitter.compare(ir::CompareOp::NotEqual, part, ir::constant_float(part.type, 0), span);
    };
    return emitter.binary(ir::BinaryOp::BitOr, is_not_zero(parts.real), is_not_zero(parts.imag), span);
  }
  Type part = part_type(type);
  return make_complex(
      emitter, {emitter.plain_cast(parts.real, part, span), emitter.plain_cast(parts.imag, part, span)},
      span);
}

ir::Operand cast(Checker& checker, ir::Operand value, Type type, Span span) {
  auto* to_integer = checker.rules.functions->float_to_integer;
  bool has_own = to_integer && is_float(value.type) && is_integer(type);
  return has_own ? to_integer(checker, value, type, span) : checker.plain_cast(value, type, span);
}

} // namespace kern::checker
