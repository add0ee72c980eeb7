// Calls of the library's algorithms: their plans, carried out on a device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/plans/table.h"

namespace kern::algorithms {

// What a call has besides its arguments.
struct CallSettings {
  Settings settings;
  std::vector<SourceFile> files;    // that settings name
  std::vector<std::string> folders; // where these look for what they import
};

// Puts an algorithm on a stream; any thread may. `event` may be null. With host memory it returns when the results are there.
void call(const Algorithm& algorithm, CallSettings settings, kern_launch_options options,
          std::vector<kern_argument> arguments, kern_event** event);

} // namespace kern::algorithms
