// The kernels that Numba generates: of a function of elements (@vectorize), of parts of arrays (@guvectorize), or
// one that joins two values (@cuda.reduce).
#pragma once

#include "compiler/ast/ast.h"
#include "compiler/check/load.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/support/arena.h"
#include "compiler/support/source.h"

namespace kern {

// Returns a module in which each such function of a .py file is a kernel of its name, that calls the function; the
// module itself where there is none. The kernel's parameters are
//
//     @vectorize       the function's, as arrays of one shape, and `out`
//     @guvectorize     the function's, with one axis more in front, along which its calls go
//     @cuda.reduce     x, res, init, turn: res[0] becomes init joined with all elements of x; turn[0] is 0 before
//                      and after
//
// `target='cuda'` asks for the first two; for other targets they stay host code. A name in its place is a string of the module, or
// one of `defines`, where the name of the module (`name`, "" of the root's) and the path of a function may stand before it.
const ast::Module* generate_kernels(SourceManager& sources, const ast::Module& module, std::string_view name,
                                    std::span<const Define> defines, Arena& arena, Diagnostics& diagnostics);

} // namespace kern
