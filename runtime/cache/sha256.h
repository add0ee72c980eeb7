// SHA-256 (FIPS 180-4): names the entries of the cache and proves that they are whole. Our own, so that the
// runtime needs nothing but libc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kern::cache {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
public:
  // Takes the next bytes of the message.
  void add(std::string_view bytes);
  // Ends the message and returns its hash; call it once.
  Digest finish();

private:
  void take_block(const std::uint8_t* block);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t used_ = 0; // bytes of block_
  std::uint64_t length_ = 0;
};

// Returns the hash of one message.
Digest sha256(std::string_view message);

} // namespace kern::cache
