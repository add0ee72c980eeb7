// Reads what a program is told from outside: environment variables, and what the program itself says in their
// place. A row of settings.def says what each may be and what it means: whoever reads one has its value, or
// the sentence that says why there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kern {

namespace settings {

struct DeviceChoice {
  std::string name; // as it was given
  bool is_cuda = false;
  unsigned ordinal = 0;
};
struct Threads {
  unsigned count = 0;
};
struct Level {
  std::string name;
};
struct Switch {
  bool on = true;
};
struct Mebibytes {
  std::uint64_t bytes = 0;
};
struct Check {
  bool streams = false;
};

// A setting as it is now. An empty variable is one that is not set.
template <class Value> struct Setting {
  std::optional<Value> value = {}; // nothing where it is not set, or wrong
  std::string wrong = {};          // what it is and what it takes, where it is wrong
};

// Read a setting.
#define SETTING(Id, Name, Value, Takes, Told) Setting<Value> Id();
#include "runtime/common/settings.def"

} // namespace settings

// Returns a variable of the environment; null where there is none. A program with more rights than its user does not believe it.
const char* environment(const char* name) noexcept;

// Sets it in place of the environment, for what reads it from now on; null: the environment again. Returns why it cannot; ""
// where all is well.
std::string set_setting(std::string_view name, const char* value);

// Says of each variable of the environment that is wrong what it takes, once a process.
void check_environment();

} // namespace kern
