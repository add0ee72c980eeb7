# RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.array([0.1, 0.5, 65504, 0.3], numpy.float16))"
# RUN: %kernc run %s k x=@%t.npy o=zeros:f64:5 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc run %s k x=@%t.npy o=zeros:f64:5 --grid 1 --block 1 --print o --lanes=1 -O0 | %FileCheck %s
# A float16 constant is rounded to its type wherever it is used, in a kernel and at the top level.
import numpy as np
from numba import cuda

TOP = np.float16(0.3)


@cuda.jit
def k(x, o):
    c = np.float16(0.1)
    o[0] = x[0] == c
    o[1] = x[0] - c
    o[2] = c
    o[3] = x[3] == TOP
    o[4] = x[2] * c


# CHECK: o = [1.0, 0.0, 0.0999755859375, 1.0,
