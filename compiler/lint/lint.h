// Remarks on programs that compile and probably do not do what was meant, or do it slowly.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/source.h"

namespace kern {

class Diagnostics;

// Reports variables that a path reads unset (-Wunset), stores of all threads to one element (-Wrace), changes of elements
// that data picks (-Wlost_update), accesses whose neighbouring threads touch elements far apart (-Wcoalesce), and what
// report_shuffles finds; a cause once, with its count. The module is as the checker made it.
void report_warnings(const ir::Module& module, const SourceManager& sources, bool is_numba,
                     Diagnostics& diagnostics);
// Reports stores of all threads to one element, changes of elements that data picks, in kernels and in what they call,
// and accesses far apart; returns the places of the stores. `prefix` stands before `atomic` and `grid` in the words of the
// source.
std::vector<Span> report_races(const ir::Module& module, const SourceManager& sources,
                               std::string_view prefix, Diagnostics& diagnostics);
// Reports elements of shared memory that threads of a block touch with no barrier between, and that nobody has stored; not
// of stores that were told of already.
void report_shared_races(const ir::Module& module, const SourceManager& sources, std::string_view prefix,
                         std::span<const Span> told, Diagnostics& diagnostics);
// Reports shuffles that may read a lane which has left the kernel or takes another way (-Wshuffle).
void report_shuffles(const ir::Module& module, Diagnostics& diagnostics);
// Reports casts of what `round` or `int` made an i64, which wrap where the cast of the float saturates (-Wrounded_cast).
void report_rounded_casts(const ir::Module& module, const SourceManager& sources, Diagnostics& diagnostics);

} // namespace kern
