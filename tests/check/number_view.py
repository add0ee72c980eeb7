# RUN: %kernc run %s k y=[2.0] f=float32:1.0 o=zeros:i64:6 r=zeros:f64:2 --grid 1 --block 1 --print o --print r | %FileCheck %s
# RUN: %kernc run %s k y=[2.0] f=float32:1.0 o=zeros:i64:6 r=zeros:f64:2 --grid 1 --block 1 --print o --print r --lanes=1 -O0 | %FileCheck %s
# `x.view(dtype)` of a number has the same bits, as in NumPy.
import numpy as np
from numba import cuda, float32, uint32


@cuda.jit
def k(y, f, o, r):
    o[0] = y[0].view(np.int64)
    o[1] = np.float32(1.0).view(dtype=np.uint32)
    o[2] = f.view(uint32)
    o[3] = np.int8(-1).view(np.uint8)
    o[4] = (-y[0]).view(np.uint64) >> np.uint64(63)
    o[5] = f.view("int32")
    r[0] = np.int64(4607182418800017408).view(np.float64)
    r[1] = uint32(0x3f000000).view(float32)


# CHECK: o = [4611686018427387904, 1065353216, 1065353216, 255, 1, 1065353216]
# CHECK: r = [1.0, 0.5]
