// A module of kern::compile written down: it is compiled once more, for whatever its options name.
#pragma once

#include <memory>

#include "runtime/api/written.h"
#include "runtime/jit/found.h"
#include "runtime/jit/request.h"

namespace kern::jit {

// Returns what writes the module of a request that was compiled with these files for a device.
std::shared_ptr<runtime::Written> written_request(const Request& request, std::shared_ptr<const Found> found,
                                                  const kern_device* device);
// Returns what writes an object that was loaded.
std::shared_ptr<runtime::Written> written_object(std::string bytes);

} // namespace kern::jit
