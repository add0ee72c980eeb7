// The limits of one compilation. A hostile file meets a located error at these numbers, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/common/launch_limits.h"

namespace kern::limits {

inline constexpr std::size_t source_bytes = 16u << 20; // of one file
inline constexpr std::size_t nesting = 200;            // of expressions, and of blocks
inline constexpr std::size_t expression_height = 500; // of its tree; `a + b + c + ...` nests without brackets
inline constexpr std::size_t errors = 100;            // reported in one compilation; the rest are counted
inline constexpr std::size_t instances = 1000;        // of functions in one module
inline constexpr std::size_t instance_depth = 64;     // of calls that make instances
inline constexpr std::size_t ir_statements = 200'000; // in one function, after inlining and unrolling
inline constexpr std::size_t module_statements = 1'000'000; // in all functions of one module, before inlining
inline constexpr std::size_t unrolled_statements = 20'000;  // of a loop that `unroll` names, rounds counted
inline constexpr std::size_t recursion_depth = 64; // of a function in itself; each depth is a copy of it
inline constexpr std::size_t check_steps =
    32'000'000; // of one compilation: expressions and elements of tuples
inline constexpr std::size_t copied_statements = 500; // of a loop whose guards leave it, which is copied
inline constexpr std::size_t copied_nesting = 16;     // of bodies in such a loop
inline constexpr std::size_t ir_nesting = 300;        // of bodies in one function, after inlining
inline constexpr std::size_t inference_rounds = 64;   // until the types of a function's locals settle
inline constexpr std::int64_t shared_bytes = 227
                                             << 10;    // static, in one block (the most of any device so far)
inline constexpr std::int64_t local_bytes = 512 << 10; // in one thread
inline constexpr std::int64_t tuple_elements = 1024;   // in one tuple, nested ones counted, where values vary
inline constexpr std::size_t table_elements = 16'384;  // in one constant tuple, nested ones counted
inline constexpr std::size_t tuple_nesting = 32;       // of tuples in tuples
inline constexpr std::size_t constant_chain = 500;     // of constants, each defined by the next
inline constexpr std::size_t host_calls = 50;          // of functions of the host, each for the one before it
inline constexpr std::int64_t parameter_bytes = 4352;  // of a kernel, as every driver takes them
inline constexpr std::int64_t module_array_elements =
    1 << 26; // in one array that the top level makes or -D gives
inline constexpr int array_rank = 8;
inline constexpr std::int64_t array_bytes =
    std::int64_t{1} << 62; // of an array, as runtime/api/launch.cpp makes sure: no extent is larger
inline constexpr std::int64_t launch_shared_bytes = 2147483647; // dynamic, of a block, as drivers count it
inline constexpr std::int64_t warp_size = 32;                   // threads
inline constexpr std::size_t small_array_bytes =
    1 << 30;                                        // an array of 32-bit offsets, where a variant promises it
inline constexpr std::int64_t small_grid = 1 << 30; // threads along an axis, where a variant promises few
inline constexpr std::int64_t linear_step = 1ll << 40; // between the lanes of a vector

} // namespace kern::limits
