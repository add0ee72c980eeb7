// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and launches for C: what the headers call that kernc makes for C (`-o k.kern.h`). Everything here fills in structs
// of <kern/runtime.h>, and no more; link kern::runtime. For an element type T of f32, u8 and so on
//
//     kern_T              an element of C
//     kern_T_array        elements, of as many axes as its extents have; a struct with the `argument` of the C interface
//     kern_T_buffer(buffer, extents)    those of a buffer of a device, side by side, the last axis fastest
//     kern_T_in(data, extents)          those of the host, copied to the device before the launch,
//     kern_T_out(data, extents)         from it after the launch,
//     kern_T_inout(data, extents)       or both
//
// A header has the same functions for each of its structs: of `P` of points.kern points_P_in(data, extents) and so on.
// For a view with other strides change `argument.data`, `extents` and `strides`.
#ifndef KERN_ARGUMENTS_H
#define KERN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kern/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef bool kern_bool;
typedef int8_t kern_i8;
typedef int16_t kern_i16;
typedef int32_t kern_i32;
typedef int64_t kern_i64;
typedef uint8_t kern_u8;
typedef uint16_t kern_u16;
typedef uint32_t kern_u32;
typedef uint64_t kern_u64;
typedef float kern_f32;
typedef double kern_f64;
// C has no such numbers everywhere: these are their bits, and the two parts.
typedef struct kern_f16 {
  uint16_t bits;
} kern_f16;
typedef struct kern_bf16 {
  uint16_t bits;
} kern_bf16;
typedef struct kern_c64 {
  float re, im;
} kern_c64;
typedef struct kern_c128 {
  double re, im;
} kern_c128;

// How many elements along each axis.
typedef struct kern_extents {
  uint32_t rank;
  int64_t size[8];
} kern_extents;

static inline kern_extents kern_extents_1(int64_t n) {
  const kern_extents extents = {1, {n}};
  return extents;
}
static inline kern_extents kern_extents_2(int64_t rows, int64_t columns) {
  const kern_extents extents = {2, {rows, columns}};
  return extents;
}
static inline kern_extents kern_extents_3(int64_t planes, int64_t rows, int64_t columns) {
  const kern_extents extents = {3, {planes, rows, columns}};
  return extents;
}

// A launch of at least so many threads along each axis, x first; the other fields may be set then.
static inline kern_launch_options kern_over(uint64_t x, uint64_t y, uint64_t z) {
  kern_launch_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = (uint32_t)sizeof options;
  options.over = 1;
  options.size[0] = x, options.size[1] = y, options.size[2] = z;
  return options;
}
// A launch of so many blocks.
static inline kern_launch_options kern_grid(uint64_t x, uint64_t y, uint64_t z) {
  kern_launch_options options = kern_over(x, y, z);
  options.over = 0;
  return options;
}

static inline kern_argument kern_scalar_argument(kern_type type, const void* value, size_t bytes) {
  kern_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = KERN_SCALAR;
  argument.type = (uint32_t)type;
  memcpy(argument.scalar, value, bytes);
  return argument;
}
static inline kern_argument kern_array_argument(kern_argument_kind kind, kern_type type, kern_buffer* buffer,
                                                void* data, kern_extents extents) {
  kern_argument argument;
  int64_t stride = 1;
  uint32_t axis = extents.rank;
  memset(&argument, 0, sizeof argument);
  argument.kind = (uint32_t)kind;
  argument.type = (uint32_t)type;
  argument.rank = extents.rank;
  argument.writable = kind != KERN_HOST_IN;
  argument.data = data;
  argument.buffer = buffer;
  while (axis-- > 0 && axis < 8) {
    argument.extents[axis] = extents.size[axis];
    argument.strides[axis] = stride;
    // The launch refuses extents that no array can have.
    if (extents.size[axis] <= 0)
      stride = 0;
    else
      stride = stride > INT64_MAX / extents.size[axis] ? INT64_MAX : stride * extents.size[axis];
  }
  return argument;
}

// The same of records, each `count` words of a type: an array of words with an axis more, which goes over those of a record.
static inline kern_argument kern_record_argument(kern_argument_kind kind, kern_type word, int64_t count,
                                                 kern_buffer* buffer, void* data, kern_extents extents) {
  if (count > 0 && extents.rank < 8) extents.size[extents.rank] = count;
  if (count > 0) ++extents.rank;
  return kern_array_argument(kind, word, buffer, data, extents);
}

// State a fact about a struct's layout, and align a struct that has no alignment of its own.
#if defined(__cplusplus)
#define KERN_LAYOUT(condition) static_assert(condition, #condition)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define KERN_LAYOUT(condition) _Static_assert(condition, #condition)
#else
#define KERN_LAYOUT(condition) extern char kern_layout[(condition) ? 1 : -1]
#endif
#if defined(__GNUC__)
#define KERN_ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#define KERN_ALIGNED(bytes)
#endif

// Declares the array of an element type T that is called `name`, and the functions that make one; `count` is
// 0, but of a record the number of its words.
#define KERN_ARRAYS(name, T, type, count)                                                                    \
  typedef struct name##_array {                                                                              \
    kern_argument argument;                                                                                  \
  } name##_array;                                                                                            \
  static inline name##_array name##_buffer(kern_buffer* buffer, kern_extents extents) {                      \
    name##_array array;                                                                                      \
    array.argument =                                                                                         \
        kern_record_argument(KERN_ARRAY, type, count, buffer, kern_buffer_data(buffer), extents);            \
    return array;                                                                                            \
  }                                                                                                          \
  static inline name##_array name##_in(const T* data, kern_extents extents) {                                \
    name##_array array;                                                                                      \
    array.argument = kern_record_argument(KERN_HOST_IN, type, count, NULL, (void*)(uintptr_t)data, extents); \
    return array;                                                                                            \
  }                                                                                                          \
  static inline name##_array name##_out(T* data, kern_extents extents) {                                     \
    name##_array array;                                                                                      \
    array.argument = kern_record_argument(KERN_HOST_OUT, type, count, NULL, data, extents);                  \
    return array;                                                                                            \
  }                                                                                                          \
  static inline name##_array name##_inout(T* data, kern_extents extents) {                                   \
    name##_array array;                                                                                      \
    array.argument = kern_record_argument(KERN_HOST_INOUT, type, count, NULL, data, extents);                \
    return array;                                                                                            \
  }
#define KERN_ELEMENT(name, type) KERN_ARRAYS(kern_##name, kern_##name, type, 0)
KERN_ELEMENT(bool, KERN_BOOL)
KERN_ELEMENT(i8, KERN_I8)
KERN_ELEMENT(i16, KERN_I16)
KERN_ELEMENT(i32, KERN_I32)
KERN_ELEMENT(i64, KERN_I64)
KERN_ELEMENT(u8, KERN_U8)
KERN_ELEMENT(u16, KERN_U16)
KERN_ELEMENT(u32, KERN_U32)
KERN_ELEMENT(u64, KERN_U64)
KERN_ELEMENT(f16, KERN_F16)
KERN_ELEMENT(bf16, KERN_BF16)
KERN_ELEMENT(f32, KERN_F32)
KERN_ELEMENT(f64, KERN_F64)
KERN_ELEMENT(c64, KERN_C64)
KERN_ELEMENT(c128, KERN_C128)
#undef KERN_ELEMENT

#ifdef __cplusplus
}
#endif

#endif
