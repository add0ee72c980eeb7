// What the names are that .py files read, as python/ says, in values of the checker.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "compiler/check/calls.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/host_found.h"
#include "compiler/python/python.h"

namespace kern::checker {

// Runs the Python of the program's files.
void run_host_code(Context& context);

// Returns what a name of a .py file is for code of a scope, `N` or an attribute of a class or file, `Config.N`; nothing
// where nothing binds it. An error, reported, where it has no value of the checker.
std::optional<Value> host_name_value(Checker& checker, const ast::Expr& expr);
// Returns what the function of a scope sees by a name.
std::optional<HostFound> find_host_name(Context& context, const FileScope& scope, std::string_view name);

// ---- host_values.cpp ----
// Returns what was found as a value of the checker; an error value, reported with how the program calls it or by the names in
// what is written, where it has none.
Value host_value(Checker& checker, const HostFound& found, std::string_view name, Span span,
                 const ast::Expr* written = nullptr);
// Returns the same in silence but for what is wrong in terms, for the checker of a constant (host_terms.cpp).
Value constant_value(Checker& checker, const HostFound& found, std::string_view name, Span span);
// Returns what a class of the host is, and an attribute of it.
const HostFound& host_class(const Checker& checker, const Value& of);
Value host_class_attribute(Checker& checker, const Value& of, std::string_view name, Span span);
// Returns the type that a call of a class of named tuples makes; nothing where the value is none.
std::optional<Type> named_tuple_type(Checker& checker, const Value& of);
// Calls a type, what makes one, or a function of Python or NumPy with constants (calls.cpp).
Value call_constant(Checker& checker, const Value& callee, const Args& args, Span span);
// Reports why a name has no value.
void report_unknown(Checker& checker, const HostFound& found, std::string_view name, Span span);

// Returns the symbol of a function of a .py file, made where it is new.
FunctionSymbol& function_symbol(Context& context, const values::FunctionData& data);
} // namespace kern::checker
