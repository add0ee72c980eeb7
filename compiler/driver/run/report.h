// Writes what `kernc run` says after a run: faults, prints, summaries, comparisons, times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/driver/run/arguments.h"
#include "compiler/driver/run/launch.h"
#include "compiler/ir/ir.h"
#include "kern/abi.h"

namespace kern {

// Returns a fault of a launch with these arguments as a diagnostic at its place, with the calls that led
// there and hints. The record is untrusted.
Diagnostic fault_diagnostic(std::span<const ir::Site> sites, const kern_fault_record& fault,
                            const LaunchShape& shape, std::span<const Argument> arguments);
// Returns "" where two devices report the same kind of fault at the same place, or none.
std::string fault_difference(std::span<const ir::Site> sites, const kern_fault_record& first,
                             const kern_fault_record& second);

// Returns the lines of a text in ascending order: prints of threads come in any.
std::vector<std::string> sorted_lines(const std::string& text);

// Returns one line on an array: "y: f32 (1000,), min 0.0, max 9.0, mean 4.5: 0.0 1.0 2.0 ...".
std::string summary(const std::string& name, const HostArray& array);

// --print NAME[A:B:STEP, ...]: returns the elements as nested lists; a sentence where there is no such range.
Result<std::string> elements_text(const std::string& selection, const HostArray& array);

struct Tolerance {
  double relative = 0, absolute = 0;
};
// Compares an array with an expected one; returns "" or where they differ first, with both values.
std::string difference(const HostArray& array, const HostArray& expected, const Tolerance& tolerance);

} // namespace kern
