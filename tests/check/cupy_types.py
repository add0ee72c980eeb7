# CuPy's names of types and constants are NumPy's own: a kernel reads them by whatever name the program imports CuPy.
# RUN: %kernc run %s k x=zeros:f64:6 n=zeros:i32:1 --grid=1 --block=1 --print x | %FileCheck %s
# CHECK: x = [2.0, 0.10000000149011612, 255.0, 3.140625, 4.0, 7.0]
import numpy as np
from cupy import float32
from numba import cuda

try:
    import cupy as cp
except ImportError:
    cp = None

if np.__name__ == "numpy":
    import cupy as xp
else:
    import numpy as xp

W = np.array([7, 8])
device_W = cp.asarray(W)


@cuda.jit
def k(x, n):
    x[0] = cp.int32(2.75)
    x[1] = float32(0.1)
    x[2] = xp.uint8(n[0] - 1)
    x[3] = cp.float16(cp.pi)
    x[4] = cp.dtype('f4').itemsize
    x[5] = W[0]
