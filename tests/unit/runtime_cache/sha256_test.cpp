// The vectors are those of FIPS 180-2, appendix B, and of NIST's examples.
#include "runtime/cache/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace kern::cache {

static std::string hex(const Digest& digest) {
  std::string text;
  for (std::uint8_t byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

TEST(Sha256, GivesThePublishedHashes) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                       "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  std::string message;
  for (int i = 0; i < 200; ++i) message += static_cast<char>(i);
  Digest whole = sha256(message);
  for (std::size_t piece = 1; piece <= message.size(); ++piece) {
    Sha256 hash;
    for (std::size_t at = 0; at < message.size(); at += piece) hash.add(message.substr(at, piece));
    EXPECT_EQ(hash.finish(), whole) << piece;
  }
}

} // namespace kern::cache
