// Index arithmetic that fits 32 bits. By their meaning places in arrays have 64, which a GPU computes in two
// registers: what facts of a variant bound, it computes in one and widens once, at the pointer.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

inline constexpr std::int64_t small_extent = 1 << 30; // of an axis, where a variant promises it; strides too

// Returns what a launch tests of an array parameter so that every place in it, and each sum on the way there, fits
// an i32: no stride is negative, the last element is within 2^31 elements of the first one, and neither extents
// nor strides are so large that this sum could wrap.
std::vector<Expression> span_facts(const ir::Function& kernel, std::uint32_t param);
// Returns that an extent is small enough for what is computed of it to fit an i32: a tile more, or a block.
Expression small_extent_fact(const ir::Function& kernel, std::uint32_t param, int axis);
// Says whether a kernel's launch has tested a fact.
bool has_fact(const ir::Function& kernel, const Expression& fact);

// Returns the array parameters that have accesses which gain by span_facts.
std::vector<std::uint32_t> find_narrowable_params(const ir::Function& kernel);

struct NarrowIndices {
  std::unordered_set<const ir::Stmt*> accesses;   // whose indices may be given as i32
  std::unordered_set<const ir::Assign*> compares; // Compares of i64 whose operands fit an i32
  std::unordered_set<const ir::Assign*> products; // products of i64 whose factors fit an i32
  // Quotients and remainders of i64 whose operands fit an i32, with the type of 32 bits to compute them in.
  std::unordered_map<const ir::Assign*, Type> quotients;
};

// Finds what may be narrowed by the facts of a function.
NarrowIndices find_narrow_indices(const ir::Module& module, ir::FunctionId id);

} // namespace kern
