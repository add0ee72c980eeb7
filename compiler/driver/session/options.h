// The command line of kernc. Options are rows of options.def; CLI11 splits the words, the table says the
// rest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"

namespace kern {

enum class Command : std::uint8_t { Compile, Check, Run, Embedded };

// The options as they were written, checked only against the values that the table allows.
struct Options {
#define FLAG(Commands, Flag, Field, Help) bool Field = false;
#define OPTION(Commands, Flag, Values, Field, Default, Help) std::string Field = Default;
#define LIST(Commands, Flag, Values, Field, Help)
#define ALIAS(Commands, Flag, Means, Help)
#include "compiler/driver/session/options.def"
  // The lists; -o has a row for each of two commands.
  std::vector<std::string> outputs, emit, archs, signatures, defines, include_dirs, passes, prefix_map,
      specializations, warnings, prints, expects;
  std::vector<std::string> words; // what is no option, in order
  // The parts of `kernc run` that --then separates, at least one, with all that was written there. Over what a
  // stage runs, its words, -o, --print and --expect are its own; of the rest what the whole line says counts.
  std::vector<Options> stages;
  bool help = false;
};

// Parses the words after the command's name; what is wrong is reported.
Options parse_options(Command command, std::span<const std::string> words, Diagnostics& diagnostics);

// Returns what `kernc --help` (or `kernc run --help`) prints.
std::string help_text();
std::string help_text(Command command);

} // namespace kern
