// Finds the lowest and the highest byte of an array by its corners: each axis moves one end, by the sign of
// its stride.
#include "runtime/api/reach.h"

#include "runtime/api/plan.h"

namespace kern::runtime {

Reach reach_of(const kern_argument& array) {
  Reach reach{0, bytes_of(array.type)};
  for (std::uint32_t axis = 0; axis < array.rank; ++axis) {
    if (array.extents[axis] == 0) return {};
    __int128 steps = array.extents[axis] - 1;
    __int128 bytes = steps * array.strides[axis] * bytes_of(array.type);
    (bytes < 0 ? reach.begin : reach.end) += bytes;
  }
  return reach;
}

} // namespace kern::runtime
