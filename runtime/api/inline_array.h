// An array whose size is known when it is made, on the stack where it is small.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace kern::runtime {

// Elements are not initialised.
template <class T, std::size_t Small> class InlineArray {
public:
  explicit InlineArray(std::size_t size) : size_(size) {
    if (size > Small) large_ = std::make_unique_for_overwrite<T[]>(size);
  }
  T* data() { return large_ ? large_.get() : small_; }
  T& operator[](std::size_t index) { return data()[index]; }
  std::size_t size() const { return size_; }
  operator std::span<T>() { return {data(), size_}; }

private:
  std::size_t size_;
  std::unique_ptr<T[]> large_;
  T small_[Small];
};

} // namespace kern::runtime
