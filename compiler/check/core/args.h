// The arguments of a call.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "compiler/check/core/value.h"

namespace kern::checker {

// The arguments of a call, evaluated.
struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> keywords;
  std::vector<Span> keyword_spans;
};

} // namespace kern::checker
