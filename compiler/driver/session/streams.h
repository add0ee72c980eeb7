// Declares the streams that a command reads and writes, so that a test can run one inside its own process,
// and the exit codes that it returns.
#pragma once

#include <istream>
#include <ostream>
#include <span>
#include <string>

namespace kern {

// The exit codes of kernc.
enum class ExitCode : int {
  Done = 0,
  WrongSource = 1, // the program is wrong
  WrongUse = 2,    // the command line, an argument or a contract is wrong
  NoDevice = 3,    // a device, driver or tool is missing or failed
  Faulted = 4,     // the kernel faulted
  Differs = 5,     // --expect, or two devices
  TimedOut = 6,    // --timeout ended a launch
  Bug = 70,        // in kernc
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
};

// Runs kernc with the words of a command line, the program's name not among them.
ExitCode run_kernc(std::span<const std::string> words, Streams& streams);

} // namespace kern
