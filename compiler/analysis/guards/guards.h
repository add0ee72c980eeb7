// Proves guards and fits: by constant or block-bounded indices of arrays of known extent, by dominating tests of the
// program, by ranges of loops. Sound where arithmetic wraps: every rule has a fail twin in tests/analysis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// A guard or a fit, in the order of the function's statements, and what proves it; an empty proof: it stays.
struct GuardProof {
  ir::SiteId site;
  int axis;                    // 0 of a fit
  std::string proof;           // "`i < y.size` at 7:8", "threadIdx.x < 16 by block=", "constant 3 < 4"
  bool fails_if_empty = false; // without a proof: where the axis has an element, it would be proved
  std::vector<std::uint32_t> facts = {}; // of the function, that the proof rests on
};

struct GuardProofs {
  std::vector<GuardProof> guards;           // one for each Guard and Fit statement of the function, in order
  std::vector<std::optional<bool>> selects; // the same for each Select: which way it always goes
  std::vector<std::uint32_t> facts = {};    // of the function, by which operations of indices do not wrap
};

// Walks a function once for both: an index that may count from the end is a Select.
GuardProofs prove_guards(const ir::Module& module, ir::FunctionId function);

// Says of each Guard and Fit statement of a function, in order, whether it is proved; the function may be one that a pass
// has made and the module does not have yet.
std::vector<bool> find_proved_guards(const ir::Module& module, const ir::Function& function);

// Prints what became of every access: `kernc --emit=guards`, one line an access.
std::string print_guards(const ir::Module& module, const SourceManager& sources);

} // namespace kern
