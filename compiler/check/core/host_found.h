// What python/ says of a program.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/check/core/context.h"
#include "compiler/python/python.h"

namespace kern::checker {

// What was found, and by which run.
struct HostFound {
  const python::HostModules* modules;
  python::Found found;
};

// What python/ says of a program, and what became of it.
struct HostNames {
  python::HostModules modules;
  std::map<std::pair<const FileScope*, std::string>, std::optional<Value>> values =
      {};                           // of names: "N", "Config.N"
  std::deque<HostFound> found = {}; // that values keep
  std::map<const values::TermData*, Value> terms = {};
  std::deque<FileScope> scopes = {}; // of functions
  std::unordered_map<const values::FunctionData*, std::unique_ptr<FunctionSymbol>> functions = {};
  std::optional<python::HostModules> again = {}; // with larger limits
  // Types that functions of the host were given, by their numbers, and what such calls returned (foreign_values.h).
  std::deque<Value> foreign = {};
  std::map<std::string, std::uint32_t> foreign_numbers = {};
  std::map<std::string, std::optional<HostFound>> overload_calls = {};
};

// Returns what the function of a scope, or the end of its file, sees by a name in a run of python/.
std::optional<python::Found> seen_by(const python::HostModules& modules, const FileScope& scope,
                                     std::string_view name);

} // namespace kern::checker
