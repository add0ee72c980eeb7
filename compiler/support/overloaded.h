// Visits a std::variant with one lambda an alternative: a missing alternative does not compile.
#pragma once

#include <variant>

namespace kern {

template <class... Functions> struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions> Overloaded(Functions...) -> Overloaded<Functions...>;

// Calls the function of `functions` that takes the variant's present alternative.
template <class Variant, class... Functions>
decltype(auto) match(Variant&& variant, Functions&&... functions) {
  return std::visit(Overloaded{std::forward<Functions>(functions)...}, std::forward<Variant>(variant));
}

} // namespace kern
