# `int(a / b)` of integers is a division of integers on a GPU, where both are exact as doubles.
# RUN: %kernc %s --arch=sm_80 --emit=ptx -o - | %FileCheck %s
from numba import cuda, uint64


# CHECK-LABEL: .entry by_constant(
# CHECK-NOT: .f64
# CHECK-LABEL: .entry by_variable(
@cuda.jit("void(int32[:], int64[:])")
def by_constant(a, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = int(a[i] / 2) + int(a[i] / -5) + int(i / 3) + int(7 / (a[i] | 1))


# CHECK-NOT: .f64
# CHECK-LABEL: .entry by_word(
@cuda.jit("void(int32[:], int32[:], int64[:])")
def by_variable(a, b, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = int(a[i] / b[i])


# CHECK-NOT: .f64
# CHECK-LABEL: .entry too_long(
@cuda.jit("void(uint32[:], uint32[:], int64[:])")
def by_word(a, b, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = int(a[i] / b[i])


# Integers of 64 bits are rounded to become doubles, so that the quotient is another one.
# CHECK: div.rn.f64
# CHECK-LABEL: .entry near_the_end(
@cuda.jit("void(int64[:], int64[:], int64[:])")
def too_long(a, b, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = int(a[i] / b[i])


# Numbers that are known to be near the end of 64 bits without a sign are not a few below zero.
# CHECK: .f64
# CHECK-LABEL: .entry of_product(
@cuda.jit("void(uint64[:], int64[:])")
def near_the_end(a, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = int((a[i] | uint64(18446744073709551608)) / 4)


# CHECK: mul.rn.f64
# CHECK-LABEL: .entry otherwise(
@cuda.jit("void(int32[:], int64[:])")
def of_product(a, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = int(a[i] * 3.0 / 2)


# What also takes the quotient itself has it already.
# CHECK: div.rn.f64
# CHECK-NOT: {{div|rem}}.s{{32|64}}
@cuda.jit("void(int32[:], int32[:], int64[:], float64[:])")
def otherwise(a, b, y, z):
    i = cuda.grid(1)
    if i < y.size:
        z[i] = a[i] / b[i]
        y[i] = int(a[i] / b[i])
