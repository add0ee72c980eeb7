// Warns of what costs time and is no error: once a place on stderr, unless KERN_WARNINGS is off.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace kern::runtime {

// Writes a warning unless `said` is set, and sets it.
void warn(std::atomic<bool>& said, const std::function<std::string()>& text);

} // namespace kern::runtime
