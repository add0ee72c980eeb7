// Copies what is to be compiled, because what kern_compile is given may go at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kern/jit.h"

namespace kern::jit {

struct Request {
  std::string name, source;
  std::vector<std::string> defines, signatures, folders, words; // `words` are kernc's options
  std::vector<std::pair<std::string, std::string>> imports;     // paths and texts of files
  std::uint32_t dialect = KERN_DIALECT_OF_NAME;
  bool debug = false, clamp = false, cancellable = false;

  bool operator==(const Request&) const = default;
};

// Copies what a caller of the C interface gives; throws an ArgumentError where it is not all there.
Request make_request(const char* source, std::uint64_t bytes, const kern_compile_options* options);

} // namespace kern::jit
