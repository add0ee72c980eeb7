// Writes what the runtime says of itself, a line or more at a time: on stderr, unless the program takes it.
#pragma once

#include <string>

#include "kern/runtime.h"

namespace kern {

// Says where lines go from now on; null: to stderr, behind "kern: ". Waits for a call of the function before that is under way,
// but inside of one.
void set_log(kern_log_function function, void* context);
// Says something; never throws. What the program's function throws is dropped.
void log(kern_log_level level, const std::string& text) noexcept;
// Says what a compiler has put into words, which begin with the place: on stderr each text once, to the
// program's function each time.
void log_of_source(const std::string& text) noexcept;

} // namespace kern
