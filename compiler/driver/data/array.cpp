// Memory for arrays. Extents come from files and command lines, so every product is checked before it is
// believed.
#include "compiler/driver/data/array.h"

#include <unistd.h>

#include <cstring>

namespace kern {

std::int64_t HostArray::size() const {
  std::int64_t size = 1;
  for (std::int64_t extent : extents) size *= extent;
  return size;
}

const char* HostArray::at(std::int64_t index) const {
  std::int64_t offset = 0;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    offset += index % extents[axis] * strides[axis];
    index /= extents[axis];
  }
  return data() + offset * static_cast<std::int64_t>(element_bytes());
}

std::string HostArray::index_text(std::int64_t index) const {
  std::string text;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    text = fmt::format("{}{}{}", index % extents[axis], text.empty() ? "" : ", ", text);
    index /= extents[axis];
  }
  return "[" + text + "]";
}

std::uint64_t machine_memory() {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::uint64_t(1) << 40;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& extents, Order order) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::size_t axis = order == Order::C ? extents.size() - 1 - i : i;
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

Result<HostArray> make_array(ScalarKind element, std::vector<std::int64_t> extents, Order order) {
  std::int64_t bytes = bit_width(element) / 8;
  bool fits = true, empty = false;
  for (std::int64_t extent : extents) {
    if (extent < 0) return failure("an extent is negative: {}", extent);
    empty |= extent == 0;
    fits &= extent == 0 || !__builtin_mul_overflow(bytes, extent, &bytes);
  }
  if (!fits) return failure("its extents multiply to more than 64 bits");
  if (empty) bytes = 0;
  if (static_cast<std::uint64_t>(bytes) > machine_memory())
    return failure("it takes {} bytes, and this machine has {}", bytes, machine_memory());
  cpu::ArrayMemory memory = cpu::allocate_array(static_cast<std::uint64_t>(bytes));
  if (!memory) return failure("there is no memory for {} bytes", bytes);
  std::memset(memory.get(), 0, static_cast<std::size_t>(bytes));
  HostArray array{element, std::move(extents), {}, std::move(memory), {}};
  array.strides = packed_strides(array.extents, order);
  return array;
}

Result<HostArray> make_like(const HostArray& array) {
  Result<HostArray> made = make_array(array.element, array.extents);
  if (made) made->may_be_bf16 = array.may_be_bf16, made->records = array.records;
  return made;
}

Result<HostArray> copy_array(const HostArray& array) {
  Result<HostArray> copy = make_like(array);
  if (!copy) return copy;
  copy->strides = array.strides;
  std::memcpy(copy->data(), array.data(), array.bytes());
  return copy;
}

void read_as(HostArray& array, ScalarKind wanted) {
  if (array.may_be_bf16 && wanted == ScalarKind::BF16) array.element = wanted;
}

std::string describe(const HostArray& array) {
  std::string extents;
  for (std::int64_t extent : std::span(array.extents).first(array.rank()))
    extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  std::string_view element = array.records.type ? "record" : name_of(array.element);
  return fmt::format("{} ({}{})", element, extents, array.rank() == 1 ? "," : "");
}

} // namespace kern
