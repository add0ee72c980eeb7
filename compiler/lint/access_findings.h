// What is found of the accesses of a function: of an array each cause once, with its places. Private to lint/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/ir/ir.h"

namespace kern {

struct FunctionAnalyses;
struct LintContext;

// Those of one statement are told in this order.
enum class AccessCause : std::uint8_t { Distance, Race, Update, Load };

struct AccessFinding {
  ir::SlotId array;
  AccessCause cause;
  const ir::Stmt* first; // at which it was found
  std::string element = {}, advice = {};
  std::vector<Note> notes = {};
  std::vector<Span> places = {}; // the first one is told, of the others their number
};

// Returns the finding of a cause and an array, with a place more. A new one goes to its place in the order of the program,
// or behind what was found of other calls of the function.
AccessFinding& find_access(std::vector<AccessFinding>& findings, const FunctionAnalyses& function,
                           const ir::Operand& array, AccessCause cause, const ir::Stmt& stmt, Span span);

// Find accesses by several threads to one element, and those of neighbouring threads that are far apart.
void find_races(LintContext& context);
void find_far_accesses(LintContext& context);

// Returns the array of complex elements that an array of parts is a view of; another one as it is.
ir::Operand whole_array(const FunctionAnalyses& function, const ir::Operand& array);
// Returns an element of that array, in the words of the source.
std::string whole_element(const FunctionAnalyses& function, const ir::Operand& array,
                          const std::vector<ir::Operand>& indices);

} // namespace kern
