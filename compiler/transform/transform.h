// The passes from IR to IR, each a free function in a file of its own. The driver runs them in this order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

class Diagnostics;

enum class GuardMode : std::uint8_t {
  On,     // proved guards go
  Shadow, // proved guards stay as assertions that must never fire
  Off     // every guard goes: for measuring only
};

// A request of the caller, who knows what most launches of a kernel give a parameter, or how many threads a
// block.
struct SpecializationRequest {
  std::string text;                 // as it was asked for, for messages
  std::string kernel;               // its name, or the dotted path of an inner one
  std::string name;                 // of the parameter; "block"
  std::vector<std::int64_t> values; // one; of a block up to three, x first
  bool is_unsigned = false;         // values beyond those of an i64, as their bits
};

// Notes in the kernels which parameters and blocks their first variant on a GPU is made for; what a kernel does not
// have, and what no launch could hold to, is reported.
void specialize(ir::Module& module, std::span<const SpecializationRequest> requests,
                Diagnostics& diagnostics);
// Puts the values that a kernel is specialized for in their places, and adds the facts that they are those.
void apply_specializations(ir::Function& kernel);
// Makes two real numbers of each complex one: from here on no slot is complex but a parameter of a kernel, whose place in the
// parameter block it keeps, and an element is read and written by the views of its parts.
void split_complex(ir::Module& module);
// Brings control flow around barriers into a form in which all threads of a block that have not left come to
// them alike, where it can, and reports barriers for which it cannot: as an error, or as a warning where
// `divergence_is_warning` (a .py file); threads of such kernels meet Apart.
void arrange_barriers(ir::Module& module, bool divergence_is_warning, Diagnostics& diagnostics);
// Writes out each function that calls itself once for each depth of the calls, and reports one in which threads meet or
// that is too large. Nothing calls itself from then on.
void unroll_recursion(ir::Module& module, Diagnostics& diagnostics);
// Makes an Fma of each product whose only use is a + or -.
void contract(ir::Module& module);
// Lets others go on in each loop that waits (analysis/threads/waiting.h): the loop asks for a turn each time it goes
// round, and faults where nothing moves any more. What it polls is marked.
void take_turns(ir::Module& module);
// With GuardMode::Shadow: each thread compares what a function that is_uniform returns with what another one of
// its block got, an assertion that must never fire.
void check_claims(ir::Module& module, GuardMode mode);
// In a module whose launches may be stopped, has each loop that is not known to be short ask whether the
// launch is to end; the thread then leaves by a fault.
void poll_stops(ir::Module& module);
// Puts the bodies of device functions where they are called: those that may reach a collective always, small
// ones within limits::ir_statements. Sites are copied and learn the call.
void inline_calls(ir::Module& module, Diagnostics& diagnostics);
// CUDA: makes a second variant of each kernel that gains by facts about the launch: the kernel itself then
// relies on them (ir::Function::facts, and `::1` in the types of its parameters), `$v1` on none.
void make_variants(ir::Module& module);
// CUDA: takes guards out of loops: the copy of a loop tests affine indices once before it and all others behind it,
// and where one is out of range the loop runs as it was written. Stands before place_guards, which then proves
// nothing by a guard that has left. Does nothing with GuardMode::Off.
void defer_guards(ir::Module& module, GuardMode mode);
// Marks each guard Proved or Shadow where analysis/guards/guards.h proves it, and makes a Copy of each Select that
// it shows to go one way: of an index that does not count from the end, of a slice's bound that needs no
// clamp.
void place_guards(ir::Module& module, GuardMode mode);
// In a module that clamps, makes of each guard that is not proved, and what it guards, an access where the
// index is in range, and a note and a zero where it is not.
void clamp_guards(ir::Module& module);
// Computes in 64 bits what an index is made of with a counter of constant bounds, where it does not wrap.
void widen_sums(ir::Module& module);
// CPU: sums small terms in 32 bits for so many rounds of a loop, and then in 64.
void sum_in_pieces(ir::Module& module);
// CUDA: computes in 32 bits what is computed in 64 and proved to fit 32, by facts of the variant, too: values, what counts in
// a loop, comparisons, indices.
void narrow_for_gpu(ir::Module& module);
// CPU: computes in 32 bits what is computed in 64, of integers that are proved to fit 32, or of which words are asked for.
void narrow_for_cpu(ir::Module& module);
// CPU: computes both sides of an `and` or `or` whose right side is a few cheap operations.
void join_conditions(ir::Module& module);
// The part of narrow_for_cpu that computes a word of what is computed in 64 bits in 32, where the long value is needed too.
void narrow_words(ir::Module& module);
// CPU: moves guards together, over loads and assignments.
void group_guards(ir::Module& module);
// CPU: moves the load of a shared atomic's index right before the atomic, where nothing else needs it.
void sink_loads(ir::Module& module);
// CPU: cuts every kernel at its block barriers into Segments. What stays outside Segments is control flow
// that holds a barrier; exactly what, stands at the top of segments.cpp.
void cut_segments(ir::Module& module);

} // namespace kern
