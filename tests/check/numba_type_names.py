# Two names that Numba and NumPy give to different types; the text of a signature means Numba's, whatever the file makes of a name.
# RUN: %kernc %s --emit=ir -o - | %FileCheck %s
# CHECK-DAG: kernel objects(x: u8[:], y: f32[:])
# CHECK-DAG: kernel texts(x: u8[:], y: f32[:], z: f64[:])
# CHECK-DAG: kernel numpy_has(x: i8[:])
import numpy as np
from numba import byte, cuda, from_dtype, types

double = 2


@cuda.jit((byte[:], types.float_[:]))
def objects(x, y):
    y[0] = x[0]


@cuda.jit('void(byte[:], float_[:], double[:])')
def texts(x, y, z):
    z[0] = y[0] * double


@cuda.jit((from_dtype(np.dtype(np.byte))[:],))
def numpy_has(x):
    x[0] = 1
