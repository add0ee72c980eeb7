// How an integer is tested for a type: as an index is for an axis, so that what tests and reports indices does both.
#include <algorithm>
#include <cassert>

#include "compiler/ir/ir.h"
#include "compiler/types/convert.h"

namespace kern::ir {

FitTest fit_test(Type value, Type type) {
  assert(is_integer(value) && is_integer(type));
  const int bits = bit_width(type->scalar);
  const auto words = [](int count) { return std::uint64_t{1} << count; };
  if (!is_signed(value)) {
    const std::uint64_t extent = static_cast<std::uint64_t>(greatest_value(type->scalar)) + 1;
    return {0, extent, value == types::u64 ? FaultKind::FitsWord : FaultKind::DoesNotFit};
  }
  if (!is_signed(type))
    return {0, words(std::min(bits, bit_width(value->scalar) - 1)), FaultKind::DoesNotFit};
  return {words(bits - 1), words(bits), FaultKind::FitsSigned};
}

} // namespace kern::ir
