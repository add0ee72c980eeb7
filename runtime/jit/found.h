// Keeps what sources imported, so that a module can be compiled again when its files are others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "compiler/check/load.h"

namespace kern::jit {

// Files by what was asked for: a module, and who imports it.
using Found = std::map<std::pair<std::string, std::string>, FoundFile>;

// Returns what finds what `find` does, and notes what is no part of the compiler.
FindModule noting(FindModule find, std::shared_ptr<Found> found);
// Returns what finds those again, and the standard library.
FindModule finding(std::shared_ptr<const Found> found);

} // namespace kern::jit
