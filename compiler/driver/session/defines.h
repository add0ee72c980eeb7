// The values of -D: from the command line, from a JSON file, from a .npy file, as Kern text for the checker.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/diagnostics/diagnostics.h"

namespace kern {

// Appends what one -D means: NAME=VALUE, NAME=@FILE.npy or @FILE.json; what is wrong is reported. `files`
// gets the files that were read.
void parse_define(const std::string& text, CheckOptions& options, std::vector<std::string>& files,
                  Diagnostics& diagnostics);

// Takes out of these texts the definitions NAME=FILE:FUNCTION whose file is one of those, which are no disk's.
std::vector<Define> take_functions_of(std::span<const FoundFile> files, std::vector<std::string>& texts);

// Says whether a -D is read from a file.
bool names_file(const std::string& text);

} // namespace kern
