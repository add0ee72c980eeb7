// Writes a module down, to be loaded elsewhere: whoever made it of more than an object knows how.
#pragma once

#include <memory>
#include <string_view>

#include "kern/runtime.h"

namespace kern::runtime {

class Written {
public:
  virtual ~Written() = default;
  // Return an object, as kernc writes it, and PTX with a manifest; made when they are wanted first. Throw what is in the way.
  virtual std::string_view object() = 0;
  virtual std::string_view ptx() = 0;
};

// Gives it to a module that was just loaded.
void set_written(kern_module* module, std::shared_ptr<Written> written);

// Returns PTX that carries the manifest of its kernels, in comments behind it; and what it is made of again, both empty
// where it carries none.
std::string ptx_with_manifest(std::string_view ptx, std::string_view manifest);
struct PtxParts {
  std::string ptx, manifest;
};
PtxParts parts_of_ptx(std::string_view text);

} // namespace kern::runtime
