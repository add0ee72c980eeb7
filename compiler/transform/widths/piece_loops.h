// Loops that add small terms to a sum of 64 bits: so many rounds of them can be added in 32 bits, piece by piece, though
// nobody knows how long the loop is. A CPU's vectors hold half as many of 64. The walk that proves guards bounds the terms; it is
// made once a function, and only where a loop has such a sum.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// A variable of type i64 that a loop only adds to, and takes from: in the loop it is read for that alone.
struct PieceSum {
  ir::SlotId total{};
  std::unordered_set<ir::SlotId> steps; // Temps on the way of `s + a - b` back to the variable
};

struct PieceLoop {
  std::vector<PieceSum> sums;
  std::int64_t rounds = 0; // a power of two: of so many, the terms of each sum fit an i32 together
  bool is_short = false;   // it never goes round more often than its sums fit
};

// Returns the loops of a function that can sum in pieces, by their statements: innermost Fors with a constant step, which all lanes
// go round alike, without a way out but to leave the function, in which threads do not meet. The copy of a loop that is seldom
// run is none.
std::unordered_map<const ir::Stmt*, PieceLoop> find_piece_loops(const ir::Module& module, ir::FunctionId id);

} // namespace kern
