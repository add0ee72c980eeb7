# Records of two dtypes with the same fields at the same places are one to Numba: they are assigned to each other, in every memory.
# RUN: %kernc check %s
# RUN: %exits 1 %kernc check %s --sig 'apart(one[:], other[:])' 2>&1 | %FileCheck %s
import numpy as np
from numba import cuda, from_dtype

one = from_dtype(np.dtype([('x', 'f8'), ('id', 'i4'), ('v', 'f4', (3,))], align=True))
two = from_dtype(np.dtype([('x', 'f8'), ('id', 'i4'), ('v', 'f4', (3,))], align=True))
other = from_dtype(np.dtype([('x', 'f8'), ('id', 'u4'), ('v', 'f4', (3,))], align=True))

@cuda.jit((one[:], two[:]))
def k(p, q):
    i = cuda.grid(1)
    s = cuda.shared.array(64, two)
    s[cuda.threadIdx.x] = p[i]
    t = cuda.local.array(2, one)
    t[1] = s[cuda.threadIdx.x]
    q[i] = t[1]

@cuda.jit
def apart(p, q):
    i = cuda.grid(1)
    q[i] = p[i]

# CHECK: :23:12: error[E0308]: one cannot become other
