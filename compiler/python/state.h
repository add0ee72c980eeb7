// What a run leaves. Private to python/.
#pragma once

#include <vector>

#include "compiler/python/interpreter.h"
#include "compiler/python/python.h"

namespace kern::python {

struct HostModules::State {
  State(const SourceManager& sources, std::span<const SourceFile> all, Limits limits)
      : files(all.begin(), all.end()), interpreter{sources, files, limits} {}
  std::vector<SourceFile> files;
  Interpreter interpreter;
  // What a reader sees: the memory wherever it may run first, and at the end.
  struct Moment {
    std::vector<Store> launches;
    Store end, held;                       // `held`: what objects hold then
    bool is_cut = false;                   // the run was not followed to its end
    std::span<const Branch> branches = {}; // that it was made in
  };
  std::vector<Moment> moments{}; // the first one is the end
  std::unordered_map<const FunctionData*, std::size_t> moment_of{};
  std::size_t functions = 0; // that the run made
  bool is_limited = false;

  // Returns what was found: of what was cut, only what is defined is known.
  static std::optional<Found> known(std::optional<Found> found, bool cut) {
    if (found && cut && !is_definition(found->value))
      found->value = values::Unknown{values::Why::NotComputed, found->where};
    return found;
  }
  template <class Look> std::optional<Found> look(std::size_t moment, const Look& look);
  // Returns what was bound when the code ended in which a function was made.
  const Store& end_of(const FunctionData& function) const;
  // Keeps what is so now as a moment of its own, which has a value and the functions made since there were so many.
  Found keep(const Value& value, Span where, bool is_cut, std::size_t first_made);
};

} // namespace kern::python
