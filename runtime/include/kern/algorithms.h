// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface of the library's host side: link kern::jit. C++ programs include <kern/algorithms.hpp>.
#ifndef KERN_ALGORITHMS_H
#define KERN_ALGORITHMS_H

#include "kern/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// A one-line kernel: assignments that are computed for each element, `y = a * x + y`, several separated by `;`. It is compiled once
// for each device and combination of types and axes, by the rules of docs/language.md.
typedef struct kern_elementwise kern_elementwise;
// Nothing of the text is kept. A text that assigns nothing is a KERN_ARGUMENT_ERROR; what else is wrong with it is a
// KERN_COMPILE_ERROR of the first launch, since types come from the arguments.
kern_error* kern_elementwise_create(const char* text, uint64_t bytes, kern_elementwise** formula);
kern_elementwise* kern_elementwise_retain(kern_elementwise* formula);
void kern_elementwise_release(kern_elementwise* formula);
// The names that stand for the arguments of a launch, in their order: what the text reads, in the order in which that
// appears, then what it only assigns. `a, x, y` of the text above. They live as long as the formula.
uint64_t kern_elementwise_argument_count(const kern_elementwise* formula);
const char* kern_elementwise_argument_name(const kern_elementwise* formula, uint64_t index);
// Puts it on a stream. Arrays broadcast as NumPy's do: axes meet from the last one on, and an extent of 1 is repeated. Results
// have the shape of all arrays together. One may be read as well, where it is the same array; if it shares elements with another
// array in any other way, that is an error. Of `options` the stream, the policy of faults, the report and the place count; they
// may be null. Arrays without elements are fine. Any thread may call it.
kern_error* kern_elementwise_launch(kern_elementwise* formula, const kern_launch_options* options,
                                    const kern_argument* arguments, uint64_t count, kern_event** event);

// A reduction in one line: `combine`, of `a` and `b`, makes one value of the values of all elements, `x * y`, and joins it to
// `start`. The operation is associative and commutative; the order in which it joins is fixed, so that sums of floats have the
// same bits on every device, in every launch.
typedef struct kern_reduction kern_reduction;
// `start` may be null: the result is then that of the elements alone, of which there must be one.
kern_error* kern_reduction_create(const char* value, uint64_t value_bytes, const char* combine,
                                  uint64_t combine_bytes, const char* start, uint64_t start_bytes,
                                  kern_reduction** reduction);
kern_reduction* kern_reduction_retain(kern_reduction* reduction);
void kern_reduction_release(kern_reduction* reduction);
// The names of the arguments: those that `value` reads, in the order in which they appear, and "result".
uint64_t kern_reduction_argument_count(const kern_reduction* reduction);
const char* kern_reduction_argument_name(const kern_reduction* reduction, uint64_t index);
// Puts it on a stream; arrays broadcast, the last argument is the result, an array of one element. What the operation makes of
// integers is exact, and a fault where the result does not hold it. The rest is as of kern_elementwise_launch.
kern_error* kern_reduction_launch(kern_reduction* reduction, const kern_launch_options* options,
                                  const kern_argument* arguments, uint64_t count, kern_event** event);

#ifdef __cplusplus
}
#endif

#endif
