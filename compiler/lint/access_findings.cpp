// One finding for each cause and array, in the order of the program, whatever found it.
#include "compiler/lint/access_findings.h"

#include <algorithm>
#include <utility>

#include "compiler/lint/lints.h"

namespace kern {

ir::Operand whole_array(const FunctionAnalyses& function, const ir::Operand& array) {
  const ir::Assign* made = function.describe.definitions().sole_assign(*array.slot);
  const auto* view = made ? std::get_if<ir::View>(&made->value) : nullptr;
  return view && view->part ? view->array : array;
}

std::string whole_element(const FunctionAnalyses& function, const ir::Operand& array,
                          const std::vector<ir::Operand>& indices) {
  return function.describe.element(whole_array(function, array), indices);
}

AccessFinding& find_access(std::vector<AccessFinding>& findings, const FunctionAnalyses& function,
                           const ir::Operand& array, AccessCause cause, const ir::Stmt& stmt, Span span) {
  const ir::Operand whole = whole_array(function, array);
  const bool is_kernel = function.function.is_kernel;
  auto found = std::ranges::find_if(
      findings, [&](const AccessFinding& each) { return each.array == *whole.slot && each.cause == cause; });
  if (found == findings.end()) {
    const auto key = [&](const AccessFinding& each) {
      return std::pair(function.nesting.of(*each.first).order, each.cause);
    };
    const AccessFinding finding{*whole.slot, cause, &stmt};
    if (is_kernel) found = std::ranges::upper_bound(findings, key(finding), {}, key);
    found = findings.insert(found, finding);
  }
  // Both parts of an element are read and written at one place, and so is what several calls come to.
  std::vector<Span>& places = found->places;
  const bool is_again = (!(whole == array) || !is_kernel) && std::ranges::find(places, span) != places.end();
  if (!is_again) places.push_back(span);
  return *found;
}

} // namespace kern
