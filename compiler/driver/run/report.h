// What `kernc run` says after a run: faults, prints, summaries, comparisons, times.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/backend.h"

namespace kern {

// Returns a fault as a diagnostic at its place, with the calls that led there and hints. The record is
// untrusted.
Diagnostic fault_diagnostic(const ir::Module& module, const RunResult& result, const LaunchShape& shape,
                            const std::vector<Argument>& arguments);

// Where each print statement of a module stands: its texts and the types of its arguments, by site.
struct PrintFormat {
  std::vector<std::string> texts;
  std::vector<Type> types;
};
std::vector<PrintFormat> print_formats(const ir::Module& module);
// Returns what a run printed, as lines.
std::string printed_text(const std::vector<PrintFormat>& formats, const cpu::Ring& ring);

// Returns one line on an array: "y: f32 (1000,), min 0.0, max 9.0, mean 4.5: 0.0 1.0 2.0 ...".
std::string summary(const std::string& name, const HostArray& array);

// --print NAME[A:B]: returns the elements as nested lists; a sentence where there is no such range.
Result<std::string> elements_text(const std::string& selection, const HostArray& array);

struct Tolerance {
  double relative = 0, absolute = 0;
};
// Compares an array with an expected one; returns "" or where they differ first, with both values.
std::string difference(const HostArray& array, const HostArray& expected, const Tolerance& tolerance);

} // namespace kern
