// The modules of the host whose names Kern knows itself. Packages that offer Numba's names under names of their
// own have the name that Numba gives them.
#pragma once

#include <span>
#include <string_view>

namespace kern::ast {

// Says whether a module is one of the host's whose names Kern knows (numba, numba.cuda, numpy, math, kern, ...).
bool is_host_module(std::string_view module);

// Says whether a module is one of Python's own library, or in one.
bool is_python_module(std::string_view module);

// Returns Numba's name of a module: "numba.types" of "numba.core.types", "numba.cuda" of
// "numba_cuda_mlir.cuda". A module that is none of Numba's keeps its name.
std::string_view canonical_module(std::string_view module);

// Returns the file of the standard library that a module of Numba is, by its canonical name: "libdevice" of
// "numba.cuda.libdevice"; of a function of numba.cuda the file that has it. "" where it is none.
std::string_view library_of(std::string_view module);

// Returns what `from math import *` binds.
std::span<const std::string_view> math_names();

// Say whether a function of NumPy may change an array that it is given, and whether its result may be a view of one.
bool changes_arrays(std::string_view numpy_function);
bool views_arrays(std::string_view numpy_function);

} // namespace kern::ast
