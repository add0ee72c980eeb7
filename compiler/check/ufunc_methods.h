// The methods of NumPy's ufuncs, which go over whole arrays on the host.
#pragma once

#include <string_view>

namespace kern {

// Returns what to write in place of a method of a ufunc, `reduce`, `accumulate`, `outer`, `at` or `reduceat`; "" of another.
std::string_view ufunc_method_advice(std::string_view method);

} // namespace kern
