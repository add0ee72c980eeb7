# RUN: %kernc run %s zeros:float64:6 --grid=1 --block=1 --print o | %FileCheck %s
# A constant condition picks a value; the type is that of both ends. What Numba computes in a kernel of constants is the same as of loaded values.
import math
import numpy as np
from numba import cuda

@cuda.jit
def k(o):
    a = np.int32(7) if True else 2.5
    o[0] = a / 2
    o[1] = (a.dtype == np.float64)
    o[2] = np.maximum(math.nan, 1.0)
    o[3] = np.minimum(1.0, math.nan)
    o[4] = np.maximum(-1, 3)
    o[5] = np.fmax(math.nan, 1.0)
# CHECK: o = [3.5, 1.0, nan, nan, 3.0, 1.0]
