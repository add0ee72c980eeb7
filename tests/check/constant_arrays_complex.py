# RUN: %kernc run %s k o=zeros:f64:12 n=1 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc %s --sig 'k(float64[:], int64)' -o %t.ptx
# Arrays of complex numbers are constants as others are; NumPy computes them in their own precision. An array may be empty.
import numpy as np
from numba import cuda

EMPTY = np.array([])
TABLE = (np.arange(2 * 3, dtype=np.complex64).reshape(2, 3) + 1j) / 2j
PAIR = np.array([1 + 2j, 3.5])
NEGATIVE = -PAIR
SQUARE = PAIR * PAIR
FORTRAN = np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3))


@cuda.jit
def k(o, n):
    t = cuda.const.array_like(TABLE)
    o[0] = t[1, 2].real
    o[1] = t[n, 2].imag
    o[2] = t.itemsize
    p = cuda.const.array_like(PAIR)
    o[3] = p[0].imag
    o[4] = p[n].real
    o[5] = p.itemsize
    o[6] = PAIR[n].real
    e = cuda.const.array_like(EMPTY)
    o[7] = len(e)
    for i in range(len(e)):
        o[8] += e[i]
    f = cuda.const.array_like(FORTRAN)
    o[9] = f[1, n]
    o[10] = NEGATIVE[0].real
    o[11] = SQUARE[0].imag


# CHECK: o = [0.5, -2.5, 8.0, 2.0, 3.5, 16.0, 3.5, 0.0, 0.0, 4.0, -1.0, 4.0]
