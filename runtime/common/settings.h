// What a program is told from outside: environment variables, and what the program itself says in their place.
#pragma once

#include <string>
#include <string_view>

namespace kern {

// Returns the value of a setting of settings.def, which lives until the process ends; null where there is none. One of the
// environment may be anything. A program with more rights than its user does not believe it.
const char* setting(const char* name) noexcept;

// Sets it in place of the environment, for what reads it from now on; null: the environment again. Returns why it cannot; ""
// where all is well.
std::string set_setting(std::string_view name, const char* value);

// Says of each variable of the environment that is wrong what it takes, once a process.
void check_environment();

} // namespace kern
