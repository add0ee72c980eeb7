// The headers of an ahead-of-time library: a typed function for each kernel.
#pragma once

#include <string>

#include "runtime/manifest/manifest.h"

namespace kern {

// Writes that for C++; `source` is the file's name without its folders, `symbol` that of the object.
std::string make_header(const Manifest& manifest, const std::string& library, const std::string& symbol,
                        const std::string& source);
// Writes that for C, which C++ takes too.
std::string make_c_header(const Manifest& manifest, const std::string& library, const std::string& symbol,
                          const std::string& source);

} // namespace kern
