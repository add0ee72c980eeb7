// Only what is certain counts: a launch that might be right is not refused. Rank 1 and arrays without gaps,
// which nearly all are, are decided exactly.
#include "runtime/api/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "runtime/api/plan.h"

namespace kern::runtime {

namespace {

struct Axis {
  std::int64_t extent, stride; // more than 1; not negative, in elements
};

// A range of addresses, and the axes that have more than one element by ascending stride.
struct Layout {
  std::uint64_t begin, end;
  std::vector<Axis> axes;
  bool is_dense() const {
    std::int64_t expected = 1;
    for (const Axis& axis : axes) {
      if (axis.stride != expected) return false;
      expected *= axis.extent;
    }
    return true;
  }
};

} // namespace

static std::int64_t magnitude(std::int64_t stride) {
  return stride < 0 ? -std::max(stride, -INT64_MAX) : stride;
}

// Returns the layout; nothing of an empty array, or one that reaches beyond all memory.
static std::optional<Layout> layout_of(const kern_argument& array) {
  constexpr std::int64_t most = std::int64_t(1) << 57; // bytes that one of eight axes may reach
  auto element = static_cast<std::int64_t>(bytes_of(array.type));
  std::int64_t low = 0, high = element;
  Layout layout{0, 0, {}};
  for (std::uint32_t axis = 0; axis < array.rank; ++axis) {
    std::int64_t extent = array.extents[axis], stride = array.strides[axis], reach = 0;
    if (extent < 1 || stride < -most || stride > most) return std::nullopt;
    if (__builtin_mul_overflow(extent - 1, stride * element, &reach)) return std::nullopt;
    if (reach < -most || reach > most) return std::nullopt;
    (reach < 0 ? low : high) += reach;
    if (extent > 1) layout.axes.push_back({extent, magnitude(stride)});
  }
  std::sort(layout.axes.begin(), layout.axes.end(),
            [](const Axis& left, const Axis& right) { return left.stride < right.stride; });
  auto base = reinterpret_cast<std::uint64_t>(array.data);
  layout.begin = base + static_cast<std::uint64_t>(low);
  layout.end = base + static_cast<std::uint64_t>(high);
  return layout;
}

std::optional<std::uint32_t> overlapping_axis(const kern_argument& array) {
  if (std::find(array.extents, array.extents + array.rank, 0) != array.extents + array.rank)
    return std::nullopt;
  for (std::uint32_t axis = 0; axis < array.rank; ++axis) {
    std::int64_t extent = array.extents[axis], stride = magnitude(array.strides[axis]);
    if (extent <= 1) continue;
    if (stride == 0) return axis;
    for (std::uint32_t other = 0; other < axis; ++other) {
      std::int64_t other_stride = magnitude(array.strides[other]);
      if (other_stride == 0) continue;
      // So many steps of the one are so many of the other.
      std::int64_t common = std::gcd(stride, other_stride);
      if (other_stride / common < extent && stride / common < array.extents[other]) return axis;
    }
  }
  return std::nullopt;
}

bool share_elements(const kern_argument& left, const kern_argument& right) {
  std::optional<Layout> a = layout_of(left), b = layout_of(right);
  if (!a || !b || a->begin >= b->end || b->begin >= a->end) return false;
  if (left.data == right.data) return true;
  if (a->is_dense() && b->is_dense()) return true;
  if (left.rank != 1 || right.rank != 1 || left.strides[0] != right.strides[0] || left.type != right.type)
    return false;
  // The ranges overlap, so steps of one size meet if they are in step.
  std::uint64_t step = static_cast<std::uint64_t>(magnitude(left.strides[0])) * bytes_of(left.type);
  return step == 0 || (a->begin > b->begin ? a->begin - b->begin : b->begin - a->begin) % step == 0;
}

} // namespace kern::runtime
