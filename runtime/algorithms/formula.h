// Formulas: the text of a one-line kernel, `y = a * x + y`, and the names in it that stand for the arguments of a launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kern::algorithms {

struct Name {
  std::string text;
  bool is_read = false, is_written = false;
};

struct Formula {
  std::string text;        // statements, a line each
  std::vector<Name> names; // in the order of a launch's arguments
};

// Returns the names alone.
std::vector<std::string> names_of(const Formula& formula);

// Reads assignments, separated by `;` or by lines. The arguments are the names that are read, in the order in which they
// appear, and behind them those that are only assigned. `t: f32 = ...` declares a name of the formula's own; functions, types,
// what belongs to a module (`math.pi`), and `i`, the number of the element, are no arguments. What else is wrong with the text
// the compiler says. Without any assignment it is an error.
Formula parse_assignments(std::string_view text);

// Reads one expression: `x * y`. Its names are those that are read. It assigns nothing, or that is an error.
Formula parse_expression(std::string_view text);

} // namespace kern::algorithms
