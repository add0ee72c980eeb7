// What the files of a program define.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

void build_scopes(Context& context);
// Adds a file that is loaded later, which imports none.
FileScope& add_file(Context& context, const ProgramFile& program_file);
FileScope* find_file(Context& context, const FileScope& from, std::string_view module);
// Returns the dotted name of what is below a package: "a.b" of "a" and "b", ".b" of "." and "b".
std::string module_below(std::string_view package, std::string_view name);

// Returns what a name is of a .kern file for code at a place of its top level, or for functions: by its own items or its
// `import *`; null where nothing binds it.
Symbol* find_symbol(Context& context, FileScope& file, std::string_view name,
                    std::optional<std::uint32_t> place = {});
// Returns the functions of the root file that a name means: one at its top level, else those inside of others
// whose path is or ends in the name.
std::vector<FunctionSymbol*> functions_named(Context& context, std::string_view name);
// Returns how messages and the command line name a function: "k", "make.k".
std::string path_of(Context& context, const FunctionSymbol& function);

} // namespace kern::checker
