// Declares scenarios that do what programs do with the runtime: each checks its results, and throws
// WrongResult where they are wrong. A scenario may end with an error of the runtime, or with std::bad_alloc
// of the program's own.
#pragma once

#include <cstdint>
#include <stdexcept>

struct WrongResult : std::logic_error {
  using std::logic_error::logic_error;
};

struct Scenario {
  const char* name;
  void (*run)();
  void (*prepare)();       // comes before it in its process
  std::uint64_t part = 40; // of all calls, so many for each one before are tried, where not all are
};
extern const Scenario scenarios[];
extern const int scenario_count;
