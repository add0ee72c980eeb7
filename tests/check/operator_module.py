# RUN: %kernc run %s k y=[2.0] o=zeros:f64:16 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc %s --sig 'k(float64[:], float64[:])' -o %t.ptx
# The functions of `operator` are operators, also where a device function is given one; each makes an instance of its own.
import operator
import operator as op
from operator import mul, sub as minus
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def apply(f, a, b):
    return f(a, b)


@cuda.jit
def k(y, o):
    o[0] = operator.mod(-7, 4)
    o[1] = op.pow(2, 3)
    o[2] = mul(y[0], 4)
    o[3] = minus(7, 4)
    o[4] = apply(operator.add, 7, 4)
    o[5] = apply(operator.sub, 7, 4)
    o[6] = apply(np.add, 7, 4)
    o[7] = apply(np.subtract, 7, 4)
    o[8] = operator.lt(y[0], 3)
    o[9] = operator.neg(y[0])
    o[10] = operator.invert(5)
    o[11] = operator.not_(y[0] > 3)
    o[12] = operator.truediv(7, 2)
    o[13] = operator.floordiv(-7, 2)
    o[14] = operator.xor(5, 3)
    o[15] = operator.lshift(3, 4)


# CHECK: o = [1.0, 8.0, 8.0, 3.0, 11.0, 3.0, 11.0, 3.0, 1.0, -2.0, -6.0, 1.0, 3.5, -4.0, 6.0, 48.0]
