// The cache as a person sees it: `kernc cache`.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cache/entry.h"

namespace kern::cache {

// A file of the cache.
struct Listed {
  std::string name;
  std::uint64_t bytes;
  std::time_t used;                       // when it was last stored or found
  bool temporary;                         // of a store that is under way, or that was cut short
  std::optional<Description> description; // of a whole entry
};

// Lists what lies in the folder, what was used last first; without reading it if `read` is false, and then
// without descriptions. A folder that does not exist is empty; `why` says what is wrong with one that cannot
// be trusted.
std::vector<Listed> list(const std::string& folder, bool read, std::string& why);

// Removes every file of the cache from the folder and returns what they were.
std::vector<Listed> clear(const std::string& folder, std::string& why);

} // namespace kern::cache
