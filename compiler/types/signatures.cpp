// The costs of conversions lie a factor of 100 apart, so that a sum of them orders signatures by their worst
// conversions first, as Numba does.
#include "compiler/types/signatures.h"

#include "compiler/types/convert.h"

namespace kern {

std::optional<int> conversion_cost(Type from, Type to) {
  constexpr int promotion = 1, safe = 100, unsafe = 10000;
  if (from == to) return 0;
  if (is_complex(from) && !is_complex(to)) return std::nullopt;
  if (numba_unify(from, to) != to) return unsafe;
  const bool is_same_kind = is_integer(from) == is_integer(to) && is_float(from) == is_float(to) &&
                            is_signed(from) == is_signed(to);
  return is_same_kind ? promotion : safe;
}

bool converts_safely(ScalarKind from, ScalarKind to) {
  if (from == to || from == ScalarKind::Bool) return true;
  Type source = types::scalar(from), target = types::scalar(to);
  int bits = bit_width(from), wider = bit_width(to);
  if (is_complex(target))
    return is_complex(source)
               ? bits <= wider
               : converts_safely(from, to == ScalarKind::C64 ? ScalarKind::F32 : ScalarKind::F64);
  if (is_complex(source) || to == ScalarKind::Bool) return false;
  if (is_float(source)) return is_float(target) && bits < wider;
  if (is_float(target)) return 2 * bits <= wider || to == ScalarKind::F64;
  return is_signed(source) == is_signed(target) ? bits <= wider : !is_signed(source) && bits < wider;
}

} // namespace kern
