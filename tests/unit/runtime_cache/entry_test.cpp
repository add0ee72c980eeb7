// A file is an entry as it was encoded, or none.
#include "runtime/cache/entry.h"

#include "folder_fixture.h"

namespace kern::cache {

TEST(Key, CountsWhereAPartEnds) {
  EXPECT_NE(make_key({"ab", "c"}), make_key({"a", "bc"}));
  EXPECT_NE(make_key({"a"}), make_key({"a", ""}));
  EXPECT_EQ(make_key({"a", "b"}), make_key({"a", "b"}));
}

TEST(Entry, ComesBackAsItWas) {
  for (std::size_t bytes : {0, 1, 100, 100000}) {
    std::string payload = payload_of(3, bytes), file = encode(key_of(3), description(), payload);
    std::optional<Entry> entry = decode(file);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->key, key_of(3));
    EXPECT_EQ(entry->payload, payload);
    EXPECT_EQ(entry->description.kind, "cubin");
    EXPECT_EQ(entry->description.device, "sm_90 (GPU)");
    EXPECT_EQ(entry->description.made_by, "CUDA driver 13.0");
    EXPECT_EQ(entry->description.source, "a.kern");
    EXPECT_EQ(entry->description.kernels, "f, g");
  }
}

TEST(Entry, SaysForPeopleWhatItIs) {
  std::string file = encode(key_of(1), description(), "payload");
  EXPECT_NE(file.find("kind: cubin\ndevice: sm_90 (GPU)\nmade by: CUDA driver 13.0\nsource: a.kern\n"
                      "kernels: f, g\npayload"),
            std::string::npos);
}

TEST(Entry, KeepsItsLinesWhateverTheNames) {
  std::string file = encode(key_of(1), {"cubin", "a\nkernels: x", "b\r", "", std::string(100000, 'k')}, "p");
  std::optional<Entry> entry = decode(file);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->description.device, "a kernels: x");
  EXPECT_EQ(entry->description.kernels, std::string(4096, 'k'));
  EXPECT_EQ(entry->payload, "p");
}

TEST(Entry, IsNoneAtAnyOtherLength) {
  std::string file = encode(key_of(1), description(), payload_of(1));
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes)
    EXPECT_FALSE(decode(std::string_view(file).substr(0, bytes))) << bytes;
  EXPECT_FALSE(decode(file + '\0'));
  EXPECT_FALSE(decode(file + file));
}

TEST(Entry, IsNoneWithAnyBitFlipped) {
  std::string file = encode(key_of(1), description(), payload_of(1, 300));
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string broken = file;
      broken[at] = static_cast<char>(broken[at] ^ 1 << bit);
      EXPECT_FALSE(decode(broken)) << "byte " << at << ", bit " << bit;
    }
}

} // namespace kern::cache
