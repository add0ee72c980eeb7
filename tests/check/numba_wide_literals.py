# RUN: %kernc run %s zeros:float64:4 zeros:uint64:4 1 --grid=1 --block=1 --print o --print u | %FileCheck %s
# A literal above 2^63 is a uint64, also in a local that is assigned more than once, and behind a name.
from numba import cuda

WIDE = 0xFFFFFFFFFFFFFFFF

@cuda.jit
def k(o, u, n):
    s = 0x8000000000000000
    for j in range(n):
        s = s >> 1
    o[0] = s
    o[1] = WIDE // 2
    o[2] = max(WIDE, u[0])
    o[3] = u[0] + 0x8000000000000000
    u[1] = WIDE
    u[2] = ~WIDE
    u[3] = -WIDE
# CHECK: o = [4.611686018427388e+18, -1.0, 1.8446744073709552e+19, 9.223372036854776e+18]
# CHECK: u = [0, 18446744073709551615, 0, 1]
