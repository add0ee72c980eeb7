// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface of the library's host side: link kern::jit. C++ programs include <kern/algorithms.hpp>.
#ifndef KERN_ALGORITHMS_H
#define KERN_ALGORITHMS_H

#include "kern/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

// A one-line kernel: a text that is compiled once for each device and combination of types and axes, by the rules of docs/language.md.
// Nothing of the texts is kept. One that is no formula is a KERN_ARGUMENT_ERROR; what else is wrong with it is a KERN_COMPILE_ERROR
// of the launch, since types come from the arguments.
typedef struct kern_formula kern_formula;

// Makes one of assignments that are computed for each element, `y = a * x + y`, several separated by `;`. Its arguments are the
// names that the text reads, in the order in which they appear, then those that it only assigns: a, x, y.
kern_error* kern_elementwise(const char* text, uint64_t bytes, kern_formula** formula);

// Makes a reduction: `combine`, of `a` and `b`, makes one value of the values of all elements, `x * y`, and joins it to `start`,
// which may be null; then there must be an element. Its arguments are the names that `value` reads, in the order in which they
// appear, and the result, an array of one element. The operation is associative and commutative; the order in which it joins is fixed, so that sums of
// floats have the same bits on every device, in every launch. Sums of integers are exact, and a fault where the result does not hold them.
kern_error* kern_reduction(const char* value, uint64_t value_bytes, const char* combine,
                           uint64_t combine_bytes, const char* start, uint64_t start_bytes,
                           kern_formula** formula);

// The same along an axis, which counts from the first one, or negative from behind the last: its result has the shape of the arrays
// together without that axis.
kern_error* kern_reduction_along(int32_t axis, const char* value, uint64_t value_bytes, const char* combine,
                                 uint64_t combine_bytes, const char* start, uint64_t start_bytes,
                                 kern_formula** formula);

// Makes a scan: each element of the result, an array of as many, is what `combine` makes of the values up to it, in C order; with a
// start, of that and the values before it. The operation is associative. The rest is as of a reduction.
kern_error* kern_scanning(const char* value, uint64_t value_bytes, const char* combine,
                          uint64_t combine_bytes, const char* start, uint64_t start_bytes,
                          kern_formula** formula);

kern_formula* kern_formula_retain(kern_formula* formula);
void kern_formula_release(kern_formula* formula);
// The names of the arguments of a launch, in their order; they live as long as the formula.
uint64_t kern_formula_argument_count(const kern_formula* formula);
const char* kern_formula_argument_name(const kern_formula* formula, uint64_t index);
// Puts it on a stream. Arrays broadcast as NumPy's do: axes meet from the last one on, and an extent of 1 is repeated. Results of
// assignments have the shape of all arrays together. One may be read as well, where it is the same array; if it shares elements
// with another array in any other way, that is an error. Of `options` the stream, the policy of faults, the report and the place count; they
// may be null. Arrays without elements are fine. Any thread may call it.
kern_error* kern_formula_launch(kern_formula* formula, const kern_launch_options* options,
                                const kern_argument* arguments, uint64_t count, kern_event** event);

// ---- Algorithms of the library ----

// What a call of an algorithm sets besides its arguments.
typedef struct kern_algorithm_settings {
  uint32_t struct_size;
  // Texts NAME=VALUE, by the constants that the module's page names: "OPERATION=max(a, b)", "START=0", "KEEP=x > 0",
  // "LESS=ops.kern:by_length", "DESCENDING=True". In place of a function an expression of its arguments may stand: `a` and `b` of
  // OPERATION, EQUAL, LESS and DIFFERENCE, `x` of INPUT, KEEP, FIRST, SECOND, UNARY and PREDICATE, `x` and `y` of BINARY, `i` of INDEXED.
  kern_texts settings;
  const kern_source* sources; // the files that settings name, and what these import
  uint64_t source_count;
  kern_texts folders; // where these look for other imports
} kern_algorithm_settings;

// Puts an algorithm on a stream: "sort", "exclusive_scan", "copy_if", and the others of docs/library.md, which says what each is
// given. It is compiled once for each device, combination of types and settings, and is the same as the launches that its module
// documents; its temporary arrays are the device's, and go with the work. `settings` may be null. Of `options` the stream, the policy of faults,
// the report and the place count; they may be null. Nothing waits, but for results in host memory. Any thread may call it. An argument
// that does not suit is a KERN_ARGUMENT_ERROR with both sides, an operation that is wrong for the types a KERN_COMPILE_ERROR.
kern_error* kern_algorithm(const char* name, const kern_algorithm_settings* settings,
                           const kern_launch_options* options, const kern_argument* arguments, uint64_t count,
                           kern_event** event);

#ifdef __cplusplus
}
#endif

#endif
