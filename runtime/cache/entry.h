// One entry of the cache as bytes of a file: a header that says all about it, a text for people, the payload.
// Every byte is covered by a hash, so that a file is either what was stored or nothing.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/cache/sha256.h"

namespace kern::cache {

// The key that an entry is found by: the hash of everything that its payload follows from.
using Key = Digest;

// Returns the key of these parts, in this order: the code it was made of, its maker's version, the device,
// options, the ABI. Their lengths count, so that no two lists of parts have one key.
Key make_key(std::initializer_list<std::string_view> parts);

// The facts about an entry that `kernc cache explain` shows.
struct Description {
  std::string kind;    // "cubin", "object"
  std::string device;  // what it runs on: "sm_90 (NVIDIA H200)", "x86-64-v4"
  std::string made_by; // "CUDA driver 13.0", "LLVM 19.1.7"
  std::string source;  // where the kernels stand: "filters.kern"
  std::string kernels; // their names, with commas between
};

struct Entry {
  Key key{};
  Description description;
  std::string_view payload; // in the bytes that were decoded
};

// Returns the bytes of an entry's file.
std::string encode(const Key& key, const Description& description, std::string_view payload);
// Returns the entry in a file's bytes; nothing unless every one of them is as it was encoded.
std::optional<Entry> decode(std::string_view bytes);

} // namespace kern::cache
