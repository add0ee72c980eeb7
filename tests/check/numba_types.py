# Types by calls of numba.types, and by the names that numba.cuda exports too.
# RUN: %kernc %s -o %t.kern.hpp && grep -o "/// [a-z]*(.*" %t.kern.hpp | sort -u | %FileCheck %s
# CHECK: /// arrays(x: f32[::1], y: i32[:, :], z: f64[:])
# CHECK: /// text(x: f32[::1])
# CHECK: /// tuples(a.0: i32, a.1: i32, b.0: i32, b.1: f64, x: f32[::1])
import numba
from numba import cuda
from numba.cuda import float32, int32, types
from numba.core import types as core


@cuda.jit(types.void(types.Array(types.float32, 1, 'C'), types.Array(int32, 2, 'A'), core.Array(core.float64, 1, layout='F')))
def arrays(x, y, z):
    x[0] = float32(y[0, 0]) + z[0]


@cuda.jit('void(Array(float32, 1, "C"))')
def text(x):
    x[0] = 1


@cuda.jit(numba.void(types.UniTuple(types.int32, 2), types.Tuple((types.int32, types.float64)), float32[::1]))
def tuples(a, b, x):
    x[0] = a[0] + b[1]
