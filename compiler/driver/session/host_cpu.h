// The CPU that kernc runs on.
#pragma once

#include <string>
#include <string_view>

namespace kern {

// Returns the name of the CPU as the kernel of the system has it; "unknown" where it has none.
std::string host_cpu_name();
// Returns the highest level of x86-64 that objects carry code for and this CPU runs; "" where it runs none.
std::string host_cpu_level();
// Says whether this CPU lacks what code for a level of x86-64 needs; false of names that are no level.
bool host_cpu_lacks(std::string_view arch);

} // namespace kern
