// Values in the words of the source, for messages: IR has no expressions any more, so temporaries are written
// out again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/definitions.h"
#include "compiler/ir/ir.h"

namespace kern {

class Describer {
public:
  explicit Describer(const ir::Function& function);

  // Returns "i < n", "x[i + 1]", "threadIdx.x"; long expressions are cut with "...".
  std::string operator()(const ir::Operand& operand) const;
  // Returns where a Temp is computed; for anything else what it is given.
  Span place(const ir::Operand& operand, Span otherwise) const;
  // Returns "x[i, j]".
  std::string element(const ir::Operand& array, const std::vector<ir::Operand>& indices) const;
  // Returns what an assignment assigns.
  std::string value(const ir::Assign& assign) const { return describe_expr(assign, 0, false); }
  // Returns the `if` that an `and`, an `or` or a conditional expression became: both of its arms end in the assignment
  // of a value; null where the value is none.
  const ir::If* join(const ir::Operand& operand) const;
  // Returns what was written where a selection is made for it: an index that counts from the end where it is negative, a
  // float that becomes an integer though it may be none; nothing for other selections.
  std::optional<ir::Operand> written(const ir::Select& select) const;
  // Returns what it reads this from.
  const ir::Definitions& definitions() const { return definitions_; }

private:
  std::string describe(const ir::Operand& operand, int depth, bool nested) const;
  std::string describe_elements(const ir::Operand& array, const std::vector<ir::Operand>& indices,
                                int depth) const;
  std::string describe_expr(const ir::Assign& assign, int depth, bool nested) const;

  std::string describe_join(const ir::If& branch, int depth, bool nested) const;

  // Returns what computes a Temp; null of other slots.
  const ir::Stmt* definition_of(ir::SlotId slot) const;

  const ir::Function& function_;
  ir::Definitions definitions_;
  std::unordered_map<std::uint32_t, const ir::If*>
      joins_; // by slot without a name: both arms end in its assignment
};

} // namespace kern
