// Which shuffles rely on lanes that may be missing, by what the program says itself. Whoever asks who is there,
// by a ballot, a match or activemask, and goes by the answer, in the mask, in the lane that is read or in an
// `if` around, is taken at his word about lanes that left; whose mask is not all lanes, about those that go
// another way. Private to analysis/threads/.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/threads/divergence.h"

namespace kern {

// Says whether a builtin gives a lane the value of another one.
bool is_shuffle(Builtin builtin);

class Shuffles {
public:
  explicit Shuffles(const ir::Module& module) : module_(module) {}

  // Says whether a shuffle in a function, or in what it calls, reads lanes that must not have left.
  bool needs_all(ir::FunctionId id);
  // Returns whom a shuffle, or those in what a call calls, may miss; of parameters it is not known what they
  // are.
  divergence::Missing missing(ir::FunctionId function, const ir::Stmt& stmt);

private:
  // The need of one shuffle, or of several that are alike.
  struct Need {
    divergence::Missing missing;
    std::optional<std::uint32_t> mask; // the parameter that is its mask
    std::vector<std::uint32_t> askers; // parameters by which it goes
    bool operator==(const Need&) const = default;
  };
  // The origin of a value: the answer to a question such as a ballot, or parameters.
  struct Origin {
    bool is_answer = false;
    std::vector<std::uint32_t> params;
  };
  struct Function {
    std::unordered_map<std::uint32_t, std::vector<const ir::Stmt*>> definitions; // by slot
    std::unordered_map<const ir::Stmt*, std::vector<Need>> needs;                // of its shuffles and calls
    std::vector<Need> all;
    std::vector<Origin> results;
  };
  friend class ShuffleFinder;

  const Function& function(ir::FunctionId id);

  const ir::Module& module_;
  std::map<ir::FunctionId, Function> functions_; // references into it stay
};

} // namespace kern
