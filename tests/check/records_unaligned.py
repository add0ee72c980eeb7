# Arrays in packed records, and fields of all records, whose elements are not aligned: read, written, changed, copied and passed on.
# RUN: %kernc %s -o %t.ptx
# RUN: %kernc run %s k a=ones:t:4 o=zeros:f64:7 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc run %s k a=ones:t:4 o=zeros:f64:7 --grid 1 --block 1 --print o --lanes=1 -O0 | %FileCheck %s
# CHECK: o = [3.0, 2.5, 1.0, 7.0, 4.0, 9.0, 2.0]
import numpy as np
from numba import cuda, from_dtype

t = np.dtype([('tag', np.uint8), ('x', np.float32), ('m', np.int64, (2, 3))])


@cuda.jit(device=True)
def total(v):
    s = 0
    for k in range(v.shape[0]):
        s += v[k]
    return s


@cuda.jit((from_dtype(t)[:], 'float64[:]'))
def k(a, o):
    a['x'][1] = 2.5
    a.m[1, 1, 2] += 6
    v = a[2].m
    v[0, 1] = 2
    a[3].m[1] = a[1].m[1]
    o[0] = v.shape[1]
    o[1] = a[1].x
    o[2] = a['x'][0]
    o[3] = a[1]['m'][1, 2]
    o[4] = total(v[0])
    o[5] = total(a[3].m[1])
    o[6] = v[0, 1]
