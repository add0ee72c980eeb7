// A bump allocator for trees. What it makes lives as long as the arena and is never moved; destructors do not
// run, so only trivially destructible types are accepted.
#pragma once

#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kern {

class Arena {
public:
  // Makes a T inside the arena.
  template <class T, class... Args> T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (memory_.allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // Copies a sequence into the arena; the span returned is writable until its owner hands it on as const.
  template <class T> std::span<T> copy(const std::vector<T>& items) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (items.empty()) return {};
    T* first = static_cast<T*>(memory_.allocate(sizeof(T) * items.size(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), first);
    return {first, items.size()};
  }

  // Copies text into the arena.
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* first = static_cast<char*>(memory_.allocate(text.size(), 1));
    text.copy(first, text.size());
    return {first, text.size()};
  }

private:
  std::pmr::monotonic_buffer_resource memory_;
};

} // namespace kern
