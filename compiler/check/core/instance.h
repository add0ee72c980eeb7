// A function for one tuple of argument types, functions and constants: its inferred types and, once it is
// needed, its IR.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/check/core/scope.h"

namespace kern::checker {

// A type that a local of literals meets.
struct Meeting {
  Type type;
  Span place;         // the first
  bool binds = false; // not by comparisons alone, which are exact between any two integers
};

// The uses of a local that is assigned only literals, from which its type follows (literal_locals.cpp).
struct LiteralUse {
  struct Bound {
    WideInt value = 0;
    Span place;
  };
  std::vector<Meeting> meetings;
  Bound least, greatest;      // of the integer literals that it is assigned or meets
  double magnitude = 0;       // of the float literals
  bool waits = false;         // a value of it has no type yet
  bool is_decided = false;    // by what it met, or because it met nothing
  Type type = types::unknown; // what it met, where that decided
};

// What a round of inference has found of a local so far. Each round starts with a new one, so that nothing of the round
// before is left but what `Local` took over.
struct LocalRound {
  Type joined = types::unknown;        // of the assignments so far
  std::uint64_t most = 0;              // what most_bits() is at most of all that is assigned
  std::vector<const ast::Node*> sites; // that assign it
  std::vector<ir::SlotId> slots;       // a tuple's elements in order
  Type slots_type = types::unknown;    // unknown before there are slots
  // What it is, where that is known: a constant, a function, an array of constant extents; and how many conditional
  // bodies are around that assignment.
  std::unique_ptr<Value> known;
  int known_depth = 0;
  bool is_wrong = false; // without a declaration, and assigned what an error was reported of
};

// A name that a function binds. Its type is what the assignments of all paths have in common, found in
// rounds.
struct Local {
  std::string_view name;
  Span span;                  // of its first appearance
  std::size_t sites = 0;      // assignments that may run: 1 makes it a constant where it is assigned one
  Type type = types::unknown; // of the round before
  Span type_span;             // the assignment that its type comes from
  std::vector<std::pair<Type, Span>> type_spans; // those of the types that it has had in all rounds
  bool pinned = false;                           // annotated, or settled: `type` is final
  bool annotated = false;
  bool is_assigned = false; // by one of the form `local = value`
  bool is_unpacked = false; // by one with several targets
  bool is_named = false;    // by one inside of an expression, which may read it before
  LiteralUse literal;
  std::uint64_t most = 0; // of the rounds before, as `now.most` is of this one
  bool is_made = false;   // it is assigned what arithmetic made of narrower integers
  bool is_plain = false;  // or an i64 that is one by itself
  bool is_result = false; // no local, but what a function returns
  Span starts_with;       // a literal that it is assigned first
  LocalRound now;
};
// There is one for each name of each instance, and what most of them have not is behind a pointer.
static_assert(sizeof(Local) < 400);

struct Instance;

// A reading of a parameter that is a literal: the type that it became, unknown before, an error where there are two.
struct LiteralReading {
  const Local* param;
  Type type = types::unknown;
};

// Calls of a function that differ in literals alone.
struct LiteralFamily {
  std::string key; // of the instance for the first
  const Instance* first = nullptr;
  bool has_several = false;
};

struct Instance {
  // Provisional: it was inferred in a circle of calls whose `head` goes round again.
  enum class State : std::uint8_t { New, Inferring, Provisional, Inferred, Emitting, Emitted };
  std::string key;
  const FunctionSymbol* function = nullptr;
  bool is_kernel = false;
  bool fast_math = false; // its own option, its caller's, or --fast-math
  State state = State::New;
  bool settled = true;             // its types, within limits::inference_rounds
  std::vector<Value> args;         // one a parameter; run-time ones have their type only
  std::vector<Type> literal_types; // one a parameter: what every reading of a literal became, or unknown
  std::unordered_map<std::string_view, Local> locals;
  // In a .py file, names whose assignments are of types that have no good one in common: as far as no statement may read
  // both they are versions with types of their own (versions.h), a local each. `versions` has the places of all but the
  // first.
  std::set<std::string_view> mixed, split;
  std::unordered_map<const char*, Local*> versions;
  std::deque<std::string> version_names;
  std::vector<const ast::Name*> changed_records; // `p` of `p.x = ...`, where `p` is a local
  Local result;                                  // its type is the function's
  std::optional<ir::FunctionId> id;
  // The head of a circle of functions that call each other: the first that was asked for, whose rounds are
  // those of all of it; and how many rounds it had begun when this one was inferred. Null where it is the
  // head itself, or in no circle.
  Instance* head = nullptr;
  std::size_t rounds = 0, rounds_of_head = 0;
  // The first instance that asked for this one, for notes.
  const Instance* caller = nullptr;
  Span call_span;

  // Defined in checker.cpp, as those of a Value are in value.cpp.
  Instance();
  ~Instance();
};

} // namespace kern::checker
