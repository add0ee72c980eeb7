// Makes the names that a generated header has for the kernels and parameters of a source: whatever these are
// called, the header compiles.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kern {

// Makes a C++ identifier of a name that is no keyword and no macro where the runtime's headers are included: `new` becomes
// `new_`, `2d` `_2d`, and `__x` `k__x`, because C++ keeps such names for itself.
std::string cpp_identifier(std::string_view name);

// The same for a namespace outside of all others, which may not be called like a function or type of C: `exp` becomes `exp_`.
std::string cpp_namespace(std::string_view name);

// Says what is wrong with `a::b` as the namespace of a library; "" where nothing is.
std::string namespace_error(std::string_view path);

// Says whether a name might be a macro that the source's user has defined: `N`.
bool may_be_macro(std::string_view identifier);

// The identifiers of one scope, each given once.
class NameScope {
public:
  // Gives the identifier, with as many `_` behind it as it takes to be another one than all before.
  std::string take(std::string identifier);
  // Gives each name its identifier; those that are one as they stand keep it.
  std::vector<std::string> take_all(std::span<const std::string> names);
  // Keeps names from being given, without taking them from each other.
  void reserve(const NameScope& other) { taken_.insert(other.taken_.begin(), other.taken_.end()); }

private:
  std::set<std::string, std::less<>> taken_;
};

} // namespace kern
