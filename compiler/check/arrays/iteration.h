// What a loop goes over: the numbers of a range, the elements of arrays and tuples.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// The rounds of a loop over a value: how many there are, and the element of the k-th.
struct Iteration {
  std::optional<std::size_t> fixed_count;           // of a tuple: the loop is unrolled
  std::optional<ir::Operand> bound;                 // i64, of what is zipped with a tuple: it may end before
  ir::Operand count;                                // i64, where nothing is fixed
  std::function<Value(const Value& index)> element; // index: i64, or a literal where the count is fixed
};

struct Range {
  Type type = types::error;
  ir::Operand start, step, count;
  std::optional<ir::Operand> stop; // i64, where the step is known to be positive; not of u64
  std::uint64_t most = any_bits;   // of its numbers, see most_bits()
};
// The facts about a distance and the step over it, both of which are i64s.
struct StepFacts {
  bool near;  // the distance does not wrap
  bool turns; // nor does the negative of the step, where it goes down
};

// ---- iterables.cpp ----
std::optional<Iteration> iterate(Checker& checker, const Value& iterable);

// ---- ranges.cpp ----
// The numbers of a range of literals are of the type that is given.
std::optional<Range> range_of(Checker& checker, const Value& range, std::optional<Type> of_literals = {});
ir::Operand steps_over(Checker& checker, ir::Operand distance, ir::Operand step, ir::Operand up,
                       const StepFacts& facts, Span span);
ir::Operand frozen(Checker& checker, ir::Operand operand, Span span);

} // namespace kern::checker
