// What programs do with the runtime: each checks its results, and throws WrongResult where they are wrong. An error of the
// runtime, or std::bad_alloc of the program's own, is what a scenario may end with.
#pragma once

#include <stdexcept>

struct WrongResult : std::logic_error {
  using std::logic_error::logic_error;
};

struct Scenario {
  const char* name;
  void (*run)();
};
// Comes before the first scenario in a process.
void open_session();
extern const Scenario scenarios[];
extern const int scenario_count;
