// Which loads of shared arrays give every thread of a block the same element, at one index: those of an array
// that nobody writes between the barrier before and the next one, whichever way threads go.
#pragma once

#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct QuietLoads {
  std::unordered_set<const ir::Stmt*> loads;
  // A call with no barrier in it, and the argument: an array that stays as it is until the call is over.
  std::set<std::pair<const ir::Stmt*, std::size_t>> args;
};

// The arrays that something may touch, as bits.
struct SharedSet {
  std::vector<bool> bits; // the module's shared arrays, then the parameters of the function at hand
  bool any = false;       // one that is not known
};

// Answers for the functions of a module; callees are summed up once.
class SharedIntervals {
public:
  explicit SharedIntervals(const ir::Module& module) : module_(module) {}

  QuietLoads quiet_loads(ir::FunctionId id);

private:
  // The effect of a callee on shared arrays that its caller sees.
  struct Effect {
    SharedSet head, tail;     // written before its first barrier, and behind its last one
    bool has_barrier = false; // on some way
    bool passes = false;      // a way through it meets none
  };

  const Effect& effect(ir::FunctionId id);

  const ir::Module& module_;
  std::map<ir::FunctionId, Effect> effects_; // references into it stay
  friend class IntervalFinder;
};

} // namespace kern
