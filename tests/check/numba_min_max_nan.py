# RUN: %kernc run %s k o=zeros:f64:14 x=full:float32:1:nan y=full:float64:1:nan n=ones:int64:1 --grid 1 --block 1 --print o | %FileCheck %s
# Two floats are compared by fmin and fmax, which take the other one of a NaN; all others as Python compares them in turn.
from numba import cuda


@cuda.jit
def k(o, x, y, n):
    o[0] = max(x[0], x[0] * 0 + 1)
    o[1] = max(y[0], 1.0)
    o[2] = max(1.0, y[0])
    o[3] = max(x[0], 1.0)
    o[4] = max(1.0, x[0])
    o[5] = max(x[0], n[0])
    o[6] = max(n[0], x[0])
    o[7] = min(x[0], y[0])
    o[8] = min(y[0], 1.0, 2.0)
    o[9] = min(1.0, y[0], 2.0)
    o[10] = min(2.0, 1.0, y[0])
    o[11] = max(0, y[0])
    o[12] = max((x[0], n[0]))
    o[13] = min(n[0], 3.5, 2)


# CHECK: o = [nan, 1.0, 1.0, 1.0, 1.0, nan, 1.0, nan, nan, 1.0, 1.0, 0.0, nan, 1.0]
