// What Python and NumPy have for numbers and arrays: functions, methods, forms without a copy, element by element.
#pragma once

#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// ---- array_forms.cpp ----
// Returns a.T, a.flat or a method; nothing where it is none.
std::optional<Value> array_form(Checker& checker, const Value& array, std::string_view name, Span span);
Value call_array_method(Checker& checker, const Value& method, const Args& args, Span span);
Value with_new_axes(Checker& checker, const Value& array, const std::vector<int>& before, Span span);

// ---- plain_functions.cpp ----
// Returns a function of a module ("numpy"), or of Python ("") by its name; nothing where it is none.
std::optional<Value> plain_function(Checker& checker, std::string_view module, std::string_view name,
                                    Span span);
// Returns a method of numbers; nothing where it is none.
std::optional<Value> number_method(Checker& checker, const Value& number, std::string_view name, Span span);
Value call_method(Checker& checker, const Value& method, const Args& args, Span span);

// ---- ufuncs.cpp ----
Value call_ufunc(Checker& checker, std::string_view name, const Args& args, Span span);

// Returns the name of one of NumPy's functions of numbers and arrays, as text that stays; "" where it is none.
std::string_view ufunc_name(std::string_view name);
// Says whether a call of one is of arrays.
bool takes_arrays(std::string_view name, const Args& args);

} // namespace kern::checker
