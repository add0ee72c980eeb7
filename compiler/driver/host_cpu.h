// The CPU that kernc runs on.
#pragma once

#include <string>

namespace kern {

// Returns the name of the CPU as the kernel of the system has it; "unknown" where it has none.
std::string host_cpu_name();
// Returns the highest level of x86-64 that objects carry code for and this CPU runs; "" where it runs none.
std::string host_cpu_level();

} // namespace kern
