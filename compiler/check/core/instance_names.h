// Names of instances.
#pragma once

#include <span>
#include <string>

#include "compiler/check/core/instance.h"

namespace kern::checker {

// Returns text that tells arguments apart as instances do.
std::string key_of(std::span<const Value> args);
// Returns the symbol of one instance among several: "scale$f32$i32".
std::string instance_symbol(const Instance& instance);

} // namespace kern::checker
