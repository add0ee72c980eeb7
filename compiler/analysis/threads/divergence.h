// The divergence graph of one function: which values and control flow differ between threads because others
// do. It is a kind of SSA over structured control flow, so a slot has a node for each of its values. Private
// to analysis/threads/.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/analysis/memory/quiet_loads.h"
#include "compiler/analysis/threads/lane_forms.h"
#include "compiler/ir/ir.h"

namespace kern::divergence {

using NodeId = std::uint32_t;

// The node of everything that is the same in all threads.
inline constexpr NodeId uniform = 0;

// Which threads are compared: those that have not left. Those of a block meet at its barriers, all of them at the
// grid's. Those of a warp meet at shuffles, where it matters who has left.
enum class Scope : std::uint8_t { Block, Grid, Warp };

// Why something differs between threads without depending on anything.
enum class Cause : std::uint8_t {
  None,
  Thread,   // threadIdx, laneid
  Block,    // blockIdx, where the scope is the grid
  Barrier,  // what a barrier of the block returns, where the scope is the grid
  Written,  // memory that the kernel writes
  Shared,   // shared memory
  Local,    // memory of one thread
  Atomic,   // the old element
  Warp,     // a collective of a warp
  Callee,   // inside a function that is called
  TooLarge, // the loop has too many ways out to look at
};

struct Node {
  enum class Kind : std::uint8_t {
    Param,
    Source,  // differs by itself
    Value,   // computed from others
    Merge,   // one of several values, by which way the thread came
    Header,  // likewise, at the start of a loop's round
    Control, // whether a place is reached
    Gone,    // whether a thread has left the kernel
  };
  Kind kind;
  Cause cause = Cause::None;
  const ir::Stmt* stmt = nullptr; // where it arises; none for a Param
  std::optional<ir::SlotId> slot; // that holds it
};

// A value of a slot: of a scalar only `base` counts, an array's parts are told apart.
struct Value {
  NodeId base = uniform;     // the pointer
  NodeId extents = uniform;  // and strides
  NodeId contents = uniform; // what a load at a uniform index gives
  std::uint32_t form = 0; // across the lanes of a warp, where that is the scope: one of Builder's; 0 for none
  bool operator==(const Value&) const = default;
};
inline constexpr int facets = 3; // of a Value; parameter p has the facets 3 * p to 3 * p + 2
inline std::array<NodeId, facets> parts(const Value& value) {
  return {value.base, value.extents, value.contents};
}

// The facts about a function that its callers need.
struct Summary {
  struct Result {
    bool diverges = false;             // whatever the arguments are
    std::vector<std::uint32_t> facets; // of the parameters: diverges if one of them does
  };
  std::vector<std::array<Result, facets>> results;
  bool has_barrier = false;
  Result barrier;      // whether a barrier in it is under divergent control
  bool claims = false; // its results count as the same in the whole block
};

// Whom a shuffle may miss: lanes that take another way, lanes that have left the kernel.
struct Missing {
  bool by_branches = true, by_returns = true;
  bool operator==(const Missing&) const = default;
};

// A barrier of the scope, or a call of a function that holds one; where that is the warp, a shuffle.
struct Sink {
  const ir::Stmt* stmt;
  NodeId control;
  std::vector<Value> args; // of a call
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<std::pair<NodeId, NodeId>> edges; // if the first differs between threads, so does the second
  std::vector<Value> params;
  std::vector<Value> results;
  std::vector<Sink> sinks;
  bool has_grid_barrier = false;                    // in the function itself
  std::vector<std::pair<ir::SlotId, NodeId>> reads; // of what is not uniform for sure
};

struct Context {
  Scope scope = Scope::Block;
  std::function<const Summary&(ir::FunctionId)> summary;
  std::vector<bool> written; // of a kernel's parameters: it writes their elements
  std::function<bool(ir::FunctionId, std::size_t)> param_written; // a callee's parameter
  QuietLoads quiet;
  const LaneForms* forms = nullptr;                          // where the scope is a warp
  std::function<const ir::Function&(ir::FunctionId)> callee; // likewise
  std::function<Missing(const ir::Stmt&)> missing;           // likewise: of a shuffle, or a call
};

// Builds the graph of a function.
Graph build(const ir::Function& function, const Context& context);

// For each node: what made it divergent, itself if it is a seed, or none.
using Reasons = std::vector<std::optional<NodeId>>;
// Spreads divergence from the graph's sources, and from `seeds`; a reason is always one step nearer to a
// source.
Reasons spread(const Graph& graph, const std::vector<NodeId>& seeds, bool from_sources = true);

} // namespace kern::divergence
