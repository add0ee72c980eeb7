# RUN: %kernc %s --emit=ptx -o - | %FileCheck %s
# RUN: %kernc %s --emit=ir -o - --sig 'untyped(Array(float64, 2, "C"), Tuple((int32, float32)), none, CPointer(uint8))' | %FileCheck --check-prefix=SIG %s
# Types of `numba.types` that a call makes, in decorators, in strings and on the command line.
from numba import cuda, types
from numba.types import Array, UniTuple

pair = UniTuple(types.float64, 2)


# CHECK: .entry arrays(
@cuda.jit(types.void(Array(types.float32, 1, "C"), types.Array(types.int32, 2, "A"), types.CPointer(types.f8)))
def arrays(o, x, p):
    o[0] = x[0, 0] + p[0]


# CHECK: .entry tuples(
@cuda.jit("void(float64[:], UniTuple(float64, 3), Tuple((int64, Array(float32, 1, 'F'))), none)")
def tuples(o, t, u, n):
    if n is None:
        o[0] = t[0] + t[1] + t[2] + u[0] + u[1][0]


# CHECK: .entry nested(
@cuda.jit((types.float64[::1], types.Tuple([pair, types.i8]), types.none))
def nested(o, t, n):
    o[0] = t[0][1] + t[1]


# SIG: kernel untyped(o: f64[:, ::1], t.0: i32, t.1: f32, p: u8[::1])
@cuda.jit
def untyped(o, t, n, p):
    o[0, 0] = t[0] + t[1] + p[0]
