// What a run leaves. Private to python/.
#pragma once

#include <vector>

#include "compiler/python/interpreter.h"
#include "compiler/python/python.h"

namespace kern::python {

struct HostModules::State {
  State(const SourceManager& sources, std::span<const SourceFile> files, Limits limits)
      : interpreter{sources, files, limits} {}
  Interpreter interpreter;
  Store end{};
  std::vector<Store> moments{};
  bool is_cut = false; // the run was not followed to its end

  // Returns what was found: of what was cut, only what is defined is known.
  static std::optional<Found> known(std::optional<Found> found, bool cut) {
    if (found && cut && !is_definition(found->value))
      found->value = values::Unknown{values::Why::NotComputed, found->where};
    return found;
  }
};

} // namespace kern::python
