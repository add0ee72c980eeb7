// The C++ header of an ahead-of-time library: a typed function for each kernel.
#pragma once

#include <string>

#include "runtime/manifest/manifest.h"

namespace kern {

// Writes the header; `file` is the source's name without its folders, `symbol` that of the object.
std::string make_header(const Manifest& manifest, const std::string& library, const std::string& symbol,
                        const std::string& file);

} // namespace kern
