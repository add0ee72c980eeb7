# RUN: %kernc run %s k --grid=1 --block=1 o=zeros:i64:6 --print o | %FileCheck %s
# The type of elements as NumPy names it, and what an `x.dtype` has.
import numpy as np
from numba import cuda


@cuda.jit
def k(o):
    a = cuda.local.array(3, "float32")
    b = cuda.local.array(3, dtype="<i2")
    c = cuda.shared.array(3, "i8")
    d = cuda.local.array(3, dtype="?")
    o[0] = a.itemsize
    o[1] = b.itemsize
    o[2] = c.dtype.itemsize
    o[3] = d.itemsize
    o[4] = b.dtype.type(70000)
    o[5] = c.dtype == np.int64


# CHECK: o = [4, 2, 8, 1, 4464, 1]
