// What programs do with the runtime: each checks its results, and throws WrongResult where they are wrong. An error of the
// runtime, or std::bad_alloc of the program's own, is what a scenario may end with.
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
