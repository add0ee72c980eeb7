// The checker of one function instance, or of one constant of a module: the state with which functions evaluate expressions to
// values and write statements of the IR. What is done with it stands in headers by topic.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/check/core/emitter.h"
#include "compiler/check/core/paths.h"

namespace kern::checker {

// An element of a tuple or a row whose elements are assigned to several targets.
struct Unpacked {
  std::string text; // "best[1]"
  Span span;        // of its value: that of the whole, or of the target
  Span target;
  Span whole; // where the tuple or row is read
};

struct ConstantFrame;

struct Checker : Emitter {
  const ConstantFrame* frame = nullptr; // the function that is run for a constant (constant_calls.h)
  const Rules& rules;
  bool names_types = false; // of the text of a signature: types need no import
  Paths paths;
  Loops loops;
  std::vector<std::pair<const ast::Node*, ir::SharedId>> shared_ids;
  std::vector<LiteralReading> literal_readings;
  bool returns_value = false;
  std::optional<Span> bare_return; // the first `return` without a value

  // For the words of messages and the names of shared arrays: what is being assigned, unpacked and called.
  std::string target_name;
  std::optional<Unpacked> unpacked;
  Span called;                // the callee being evaluated
  std::vector<Span> widening; // literals that made arithmetic of f32 one of f64 (-Wwiden)

  Checker(Context& shared, FileScope* file, Instance* of);
  ~Checker();
};

// Says whether an expression is Python's: it stands outside of functions, in a .py file.
inline bool is_python(const Checker& checker) { return checker.scope->is_numba() && !checker.instance; }

} // namespace kern::checker
