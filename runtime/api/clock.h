// Says what comes before something: of each stream, the work up to a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace kern::runtime {

class Clock {
public:
  std::uint64_t of(std::uint64_t stream) const {
    auto known = numbers_.find(stream);
    return known == numbers_.end() ? 0 : known->second;
  }
  void set(std::uint64_t stream, std::uint64_t number) { numbers_[stream] = number; }
  // Takes over what comes before something else, too.
  void join(const Clock& other) {
    for (const auto& [stream, number] : other.numbers_) {
      std::uint64_t& own = numbers_[stream];
      own = std::max(own, number);
    }
  }

private:
  std::map<std::uint64_t, std::uint64_t> numbers_; // by the stream's id
};

} // namespace kern::runtime
