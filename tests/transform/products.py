# RUN: %kernc --emit=ir --target=cuda %s -o - | %FileCheck %s
# RUN: %kernc %s -o - | %FileCheck %s --check-prefix=PTX
# Products, quotients and remainders of indices take 32 bits where the facts of a variant say that they fit. A product that a loop of
# unknown length changes stays wide, and so does a quotient whose divisor may be zero.
from numba import cuda


# CHECK-LABEL: kernel flattened(
# CHECK: [[K:%[0-9]+]]: i32 = i32({{%[0-9]+}})
# CHECK-NEXT: [[WIDE:%[0-9]+]]: i64 = i64([[K]])
# CHECK-NEXT: [[M:%[0-9]+]]: i32 = i32({{%[0-9]+}})
# CHECK-NEXT: [[OTHER:%[0-9]+]]: i64 = i64([[M]])
# CHECK-NEXT: = [[WIDE]] * [[OTHER]]
# CHECK: [[LEFT:%[0-9]+]]: u32 = u32({{%[0-9]+}})
# CHECK-NEXT: [[RIGHT:%[0-9]+]]: u32 = u32({{%[0-9]+}})
# CHECK-NEXT: [[QUOTIENT:%[0-9]+]]: u32 = [[LEFT]] // [[RIGHT]]
# CHECK-NEXT: i64 = i64([[QUOTIENT]])
# PTX-LABEL: .entry flattened(
# PTX-NOT: div.s64
# PTX: mul.lo.s32
# PTX-LABEL: .entry loop(
@cuda.jit("void(float64[::1], int32, int32)")
def flattened(u, n, m):
    k = cuda.blockIdx.y
    u[k * m * n + cuda.threadIdx.x // cuda.blockDim.z * n] = 1.0


# CHECK-LABEL: kernel loop(
# CHECK: for j
# CHECK-NEXT: [[J:%[0-9]+]]: i64 = i64(j)
# CHECK-NEXT: [[N:%[0-9]+]]: i64 = i64(n)
# CHECK-NEXT: = [[J]] * [[N]]
@cuda.jit("void(float64[::1], int32, int32)")
def loop(u, n, m):
    for j in range(m):
        u[j * n + cuda.threadIdx.x] = 1.0


# CHECK-LABEL: kernel may_be_zero(
# CHECK-NOT: u32 = u32(
# CHECK: store u
@cuda.jit("void(float64[::1], int32)")
def may_be_zero(u, m):
    u[cuda.threadIdx.x] = cuda.threadIdx.x // m
