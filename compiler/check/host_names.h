// What the names are that functions of .py files read, as python/ says, in values of the checker.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "compiler/check/checker.h"
#include "compiler/python/python.h"

namespace kern::checker {

// What python/ says of a program, and what became of it for each function and name: "N", "Config.N".
struct HostNames {
  python::HostModules modules;
  std::map<std::pair<const ast::FunctionDef*, std::string>, std::optional<Value>> values = {};
};

// Runs the Python of the program's files.
void run_host_code(Context& context);

// Returns the constant that a name is which the body of a function of a .py file reads and does not bind, or an attribute of
// a class or file of that name; nothing where nothing binds it, and of what is none.
std::optional<Value> host_name_value(Checker& checker, const ast::Expr& expr);

} // namespace kern::checker
