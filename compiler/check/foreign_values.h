// Types of a call's arguments as the Python of an overload sees them: values of the checker that python/ hands through, and asks
// about here.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "compiler/check/calls.h"
#include "compiler/check/host_names.h"

namespace kern::checker {

// Calls a function of the host with the types of arguments, once for each list of types; nothing where it does not take them.
std::optional<HostFound> call_with_types(Checker& checker, const values::FunctionData& function,
                                         const Args& args);

} // namespace kern::checker
