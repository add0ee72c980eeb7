// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types by their names for kernels, and views of arrays.
#pragma once

#include <complex>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "kern/device.hpp"
#include "kern/extents.hpp"

namespace kern::inline v1 {

// The 16-bit floats, as their bits: C++20 has no arithmetic for them.
struct f16 {
  std::uint16_t bits = 0;
};
struct bf16 {
  std::uint16_t bits = 0;
};

// The name of an element type for a kernel.
template <class T> inline constexpr kern_type type_of = [] {
  static_assert(sizeof(T) == 0, "kernels have no such element type");
  return KERN_BOOL;
}();
template <> inline constexpr kern_type type_of<bool> = KERN_BOOL;
template <> inline constexpr kern_type type_of<std::int8_t> = KERN_I8;
template <> inline constexpr kern_type type_of<std::int16_t> = KERN_I16;
template <> inline constexpr kern_type type_of<std::int32_t> = KERN_I32;
template <> inline constexpr kern_type type_of<std::int64_t> = KERN_I64;
template <> inline constexpr kern_type type_of<std::uint8_t> = KERN_U8;
template <> inline constexpr kern_type type_of<std::uint16_t> = KERN_U16;
template <> inline constexpr kern_type type_of<std::uint32_t> = KERN_U32;
template <> inline constexpr kern_type type_of<std::uint64_t> = KERN_U64;
template <> inline constexpr kern_type type_of<f16> = KERN_F16;
template <> inline constexpr kern_type type_of<bf16> = KERN_BF16;
template <> inline constexpr kern_type type_of<float> = KERN_F32;
template <> inline constexpr kern_type type_of<double> = KERN_F64;
template <> inline constexpr kern_type type_of<std::complex<float>> = KERN_C64;
template <> inline constexpr kern_type type_of<std::complex<double>> = KERN_C128;

// Returns the bytes of a value of a type.
constexpr std::size_t bytes_of_type(kern_type type) {
  switch (type) {
  case KERN_BOOL:
  case KERN_I8:
  case KERN_U8: return 1;
  case KERN_I16:
  case KERN_U16:
  case KERN_F16:
  case KERN_BF16: return 2;
  case KERN_I32:
  case KERN_U32:
  case KERN_F32: return 4;
  case KERN_I64:
  case KERN_U64:
  case KERN_F64:
  case KERN_C64: return 8;
  case KERN_C128: break;
  }
  return 16;
}

// How a struct is passed that is an element of arrays, the record of a kernel: as Count words of a type. The headers that kernc
// makes say it of their structs; a program may of its own: template <> struct kern::RecordOf<P> : kern::Words<KERN_U32, 4> {};
template <kern_type Word, std::int64_t Count> struct Words {
  static_assert(Count >= 0, "a record has no negative number of words");
  static constexpr kern_type word = Word;
  static constexpr std::int64_t words = Count;
};
template <class T> struct RecordOf : Words<KERN_BOOL, 0> {};
template <class T> inline constexpr bool is_record = [] {
  if constexpr (RecordOf<T>::words > 0) {
    static_assert(sizeof(T) == RecordOf<T>::words * bytes_of_type(RecordOf<T>::word),
                  "kern::RecordOf of this struct names another number of bytes than it has");
    static_assert(std::is_trivially_copyable_v<T>, "a record of kernels is copied as bytes");
  }
  return RecordOf<T>::words > 0;
}();

// The element type that a kernel has for an array of T. For records it is that of their words, and the array
// has an axis more.
template <class T> inline constexpr kern_type element_of = [] {
  if constexpr (is_record<T>)
    return RecordOf<T>::word;
  else
    return type_of<T>;
}();

// Returns a scalar of a struct by its offset, also where it is not aligned.
template <class T> inline T field_at(const void* record, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(record) + offset, sizeof value);
  return value;
}

// A value that is its default once it was moved from.
template <class T> struct Taken {
  Taken() = default;
  Taken(const T& given) : value(given) {}
  Taken(const Taken&) = default;
  Taken(Taken&& other) noexcept : value(std::exchange(other.value, T{})) {}
  Taken& operator=(Taken other) noexcept {
    value = other.value;
    return *this;
  }
  ~Taken() = default;
  T value{};
};

// Elements in device memory, extents and strides in elements. It holds the buffer that it is a view of. One that was moved from,
// or is of a buffer that is empty, or could not be made, is empty itself: whatever uses it is an ArgumentError.
template <class T, std::size_t Rank = 1> class View {
public:
  View(BufferHandle buffer, T* data, const Extents<Rank>& extents, const Extents<Rank>& strides)
      : buffer_(std::move(buffer)), data_(data), extents_(extents), strides_(strides), is_made_(true) {}
  // Views memory of the device that somebody else keeps until all work on it is done.
  View(T* data, const Extents<Rank>& extents) : View({}, data, extents, packed_strides(extents)) {}
  View(T* data, const Extents<Rank>& extents, const Extents<Rank>& strides)
      : View({}, data, extents, strides) {}
  // Returns one that is empty.
  static View none() { return View(); }
  bool is_empty() const { return !is_made_.value; }
  // Converts a view that may be written to one that may be read.
  operator View<const T, Rank>() const
    requires(!std::is_const_v<T>)
  {
    if (is_empty()) return View<const T, Rank>::none();
    return {buffer_, data(), extents(), strides()};
  }

  // Returns the first element's address, on the device.
  T* data() const { return data_.value; }
  const Extents<Rank>& extents() const { return extents_.value; }
  const Extents<Rank>& strides() const { return strides_.value; }
  std::int64_t extent(std::size_t axis) const { return extents()[axis]; }
  std::int64_t size() const { return count(extents()); }
  const BufferHandle& buffer() const { return buffer_; }

  // Returns elements begin, begin + step, ... below end of an axis, clamped to what is there. An axis that there is not, and a
  // step below 1, are an ArgumentError.
  View slice(std::size_t axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) const {
    Status status;
    View part = slice(status, axis, begin, end, step);
    status.raise();
    return part;
  }
  View slice(Status& status, std::size_t axis, std::int64_t begin, std::int64_t end,
             std::int64_t step = 1) const {
    if (axis >= Rank || step < 1) {
      status.refuse([&] {
        return axis >= Rank ? "there is no axis " + std::to_string(axis) + " of an array with the extents " +
                                  text_of(extents(), " x ")
                            : "a slice has a step of 1 or more, and this one's is " + std::to_string(step);
      });
      return none();
    }
    View part = *this;
    const std::int64_t there = extents()[axis] > 0 ? extents()[axis] : 0;
    begin = begin < 0 ? 0 : begin > there ? there : begin;
    end = end < begin ? begin : end > there ? there : end;
    const std::int64_t size = (end - begin) / step + ((end - begin) % step != 0);
    part.extents_.value[axis] = size;
    // A part of no elements has no address, and one of a single element no stride.
    if (size > 0 && !move(status, begin, strides()[axis], part.data_.value)) return none();
    if (size > 1 && __builtin_mul_overflow(strides()[axis], step, &part.strides_.value[axis])) {
      refuse_reach(status);
      return none();
    }
    return part;
  }
  // Returns what has that index along an axis, an array of one axis less: the channel of a picture is
  // select(2, channel).
  View<T, Rank - 1> select(std::size_t axis, std::int64_t index) const
    requires(Rank > 1)
  {
    Status status;
    View<T, Rank - 1> part = select(status, axis, index);
    status.raise();
    return part;
  }
  View<T, Rank - 1> select(Status& status, std::size_t axis, std::int64_t index) const
    requires(Rank > 1)
  {
    if (axis >= Rank || index < 0 || index >= extents()[axis]) {
      status.refuse([&] {
        return "index " + std::to_string(index) + " along axis " + std::to_string(axis) +
               " is none of an array with the extents " + text_of(extents(), " x ");
      });
      return View<T, Rank - 1>::none();
    }
    Extents<Rank - 1> rest{}, steps{};
    for (std::size_t from = 0, to = 0; from < Rank; ++from) {
      if (from == axis) continue;
      rest[to] = extents()[from];
      steps[to++] = strides()[from];
    }
    T* first = data();
    if (!move(status, index, strides()[axis], first)) return View<T, Rank - 1>::none();
    return {buffer_, first, rest, steps};
  }
  // Returns the view with its axes in reverse order.
  View transposed() const {
    View turned = *this;
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      turned.extents_.value[axis] = extents()[Rank - 1 - axis];
      turned.strides_.value[axis] = strides()[Rank - 1 - axis];
    }
    return turned;
  }

  // Copies all elements to host memory with as many, the last axis fastest, a row or what lies side by side at a time. Comes
  // behind all work on the buffer that any stream was given before, and returns when they are there. The view names a
  // buffer, in which it lies.
  void copy_to(std::span<std::remove_const_t<T>> host) const {
    Status status;
    copy_to(status, host);
    status.raise();
  }
  void copy_to(Status& status, std::span<std::remove_const_t<T>> host) const noexcept {
    copy(status, host.data(), host.size(),
         [&](std::uint64_t offset, auto* place, std::uint64_t bytes, kern_stream* on) {
           return status.take(kern_buffer_read(buffer_.get(), offset, place, bytes, on, nullptr));
         });
  }
  // Likewise from host memory, which may be changed again when it returns.
  void copy_from(std::span<const T> host) const
    requires(!std::is_const_v<T>)
  {
    Status status;
    copy_from(status, host);
    status.raise();
  }
  void copy_from(Status& status, std::span<const T> host) const noexcept
    requires(!std::is_const_v<T>)
  {
    copy(status, host.data(), host.size(),
         [&](std::uint64_t offset, auto* place, std::uint64_t bytes, kern_stream* on) {
           return status.take(kern_buffer_write(buffer_.get(), offset, place, bytes, on, nullptr));
         });
  }

private:
  void refuse_reach(Status& status) const {
    status.refuse([&] {
      return "no array has the extents " + text_of(extents(), " x ") + " and the strides " +
             text_of(strides(), ", ") + ": they are negative, or reach beyond all memory";
    });
  }
  // Moves the address of the first element by so many steps, not negative, of a stride. A part of an array without memory has
  // none either, so that it is refused as one.
  bool move(Status& status, std::int64_t steps, std::int64_t stride, T*& first) const {
    constexpr std::int64_t most = (std::int64_t(1) << 62) / static_cast<std::int64_t>(sizeof(T));
    std::int64_t offset = 0;
    const bool is_possible =
        !__builtin_mul_overflow(steps, stride, &offset) && offset >= -most && offset <= most;
    if (!is_possible)
      refuse_reach(status);
    else if (data())
      first = address_of(offset);
    return is_possible;
  }
  // Returns the address of an element, which may lie outside of the memory: launches and copies refuse such
  // views.
  T* address_of(std::int64_t offset) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data()) +
                                static_cast<std::uintptr_t>(offset) * sizeof(T));
  }
  // Says whether the elements from the lowest to the highest lie in the buffer.
  bool is_inside(std::int64_t lowest, std::int64_t highest) const {
    const auto start = reinterpret_cast<std::uintptr_t>(kern_buffer_data(buffer_.get()));
    const auto first = reinterpret_cast<std::uintptr_t>(data());
    const auto before = static_cast<std::uintptr_t>(-lowest) * sizeof(T),
               behind = static_cast<std::uintptr_t>(highest + 1) * sizeof(T);
    if (highest < 0) return true; // there are none
    return first >= start && first - start >= before && first - start <= kern_buffer_bytes(buffer_.get()) &&
           behind <= kern_buffer_bytes(buffer_.get()) - (first - start);
  }
  // Calls `piece` for what lies side by side, in the order of the host.
  void copy(Status& status, auto* host, std::size_t elements, auto&& piece) const {
    if (is_empty() || !buffer_)
      return status.refuse([&] {
        return std::string(is_empty() ? "the view is empty: it could not be made, or was moved from"
                                      : "the view is of a raw pointer, and only views of buffers are copied: "
                                        "see Buffer::adopt");
      });
    std::int64_t lowest = 0, highest = 0;
    if (!reach_of(extents(), strides(), lowest, highest, sizeof(T))) return refuse_reach(status);
    if (!is_inside(lowest, highest))
      return status.refuse([&] {
        return "a view with the extents " + text_of(extents(), " x ") + " and the strides " +
               text_of(strides(), ", ") + " does not lie in its buffer, which has " +
               std::to_string(kern_buffer_bytes(buffer_.get())) + " bytes";
      });
    if (elements != static_cast<std::size_t>(size()))
      return status.refuse([&] {
        return "the host has " + std::to_string(elements) + " elements, and the view " +
               std::to_string(size());
      });
    StreamHandle stream;
    const bool is_ready = status.take(kern_stream_of_buffer(buffer_.get(), stream.receive())) &&
                          status.take(kern_stream_after_uses(stream.get(), buffer_.get()));
    // A wait that would never end is refused here, before the stream has work with the host's memory.
    if (!is_ready || !status.take(kern_stream_wait(stream.get()))) return;
    // As many of the last axes as have no gaps are one piece.
    std::size_t outer = Rank;
    std::int64_t together = 1;
    while (outer > 0 && (strides()[outer - 1] == together || extents()[outer - 1] == 1))
      together *= extents()[--outer];
    const auto* begin = static_cast<const std::byte*>(kern_buffer_data(buffer_.get()));
    Extents<Rank> at{};
    for (std::int64_t done = 0, total = size(); done < total && together > 0; done += together) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < outer; ++axis) offset += at[axis] * strides()[axis];
      const auto* from = reinterpret_cast<const std::byte*>(address_of(offset));
      if (!piece(static_cast<std::uint64_t>(from - begin), host + done,
                 static_cast<std::uint64_t>(together) * sizeof(T), stream.get()))
        break;
      for (std::size_t axis = outer; axis-- > 0 && ++at[axis] == extents()[axis];) at[axis] = 0;
    }
    status.take(kern_stream_wait(stream.get()));
  }
  View() = default;

  BufferHandle buffer_;
  Taken<T*> data_;
  Taken<Extents<Rank>> extents_, strides_;
  Taken<bool> is_made_;
};

} // namespace kern::inline v1
