// Only what is certain counts: a launch that might be right is not refused.
#include "runtime/api/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "runtime/api/plan.h"

namespace kern::runtime {

namespace {

struct Axis {
  std::int64_t extent, stride; // more than 1; not negative, in bytes
};

// A range of addresses, and the axes that have more than one element.
struct Layout {
  std::uint64_t begin, end;
  std::vector<Axis> axes;
};

// Looks for one step along each axis such that their sum lies within bounds.
class Search {
public:
  explicit Search(std::vector<Axis> axes) : axes_(std::move(axes)), rest_(axes_.size() + 1) {
    std::sort(axes_.begin(), axes_.end(),
              [](const Axis& left, const Axis& right) { return left.stride > right.stride; });
    for (std::size_t i = axes_.size(); i-- > 0;)
      rest_[i] = {rest_[i + 1].reach + (axes_[i].extent - 1) * axes_[i].stride,
                  std::gcd(rest_[i + 1].divisor, axes_[i].stride)};
  }
  // False as well where that takes too long to find out.
  bool finds(std::int64_t low, std::int64_t high, std::size_t index = 0) {
    low = std::max(low, std::int64_t(0));
    high = std::min(high, rest_[index].reach);
    if (low > high || left_ == 0) return false;
    if (const std::int64_t divisor = rest_[index].divisor; divisor == 0 || high / divisor * divisor < low)
      return low == 0;
    --left_;
    const auto [extent, stride] = axes_[index];
    if (stride == 0) return finds(low, high, index + 1);
    const std::int64_t missing = std::max(low - rest_[index + 1].reach, std::int64_t(0));
    for (std::int64_t step = (missing + stride - 1) / stride; step < extent && step * stride <= high; ++step)
      if (finds(low - step * stride, high - step * stride, index + 1)) return true;
    return false;
  }

private:
  struct Rest {
    std::int64_t reach = 0, divisor = 0; // of the axes from here on
  };
  std::vector<Axis> axes_;
  std::vector<Rest> rest_;
  int left_ = 10000; // calls
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
    if (extent > 1) layout.axes.push_back({extent, magnitude(stride) * element});
  }
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
  // A byte offset of the one less one of the other, whose axes are walked from their ends, so that all steps add.
  std::int64_t shift = static_cast<std::int64_t>(b->begin - a->begin);
  for (const Axis& axis : b->axes) shift += (axis.extent - 1) * axis.stride;
  a->axes.insert(a->axes.end(), b->axes.begin(), b->axes.end());
  return Search(std::move(a->axes))
      .finds(shift - static_cast<std::int64_t>(bytes_of(left.type)) + 1,
             shift + static_cast<std::int64_t>(bytes_of(right.type)) - 1);
}

} // namespace kern::runtime
