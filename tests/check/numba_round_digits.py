# RUN: %kernc run %s k o=zeros:f64:8 x=[0.125,2.675,1234.5,1e300] n=[2,-2,0,308] s=f32:[0.35] --block 1 --grid 1 --print o | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:8 x=[0.125,2.675,1234.5,1e300] n=[2,-2,0,308] s=f32:[0.35] --block 1 --grid 1 --lanes=1 --print o | %FileCheck %s
# `round` with digits of run time scales by a power of ten, as with a constant; `bit_count` counts those of the magnitude.
# CHECK: o = [0.12, 1200.0, 1234.0, 1e+300, 0.30000001192092896, 2.0, 8.0, 63.0]
from numba import cuda, int8


@cuda.jit
def k(o, x, n, s):
    o[0] = round(x[0], n[0])
    o[1] = round(x[2], n[1])
    o[2] = round(x[2], n[2])
    o[3] = round(x[3], n[3])
    o[4] = round(s[0], n[0] - 1)
    o[5] = n[1].bit_count() + 1 - 1 if n[1] == -3 else (n[0] + 1).bit_count()
    o[6] = (n[3] * 0 + 255).bit_count()
    o[7] = (n[3] * 0 + 9223372036854775807).bit_count()
