# RUN: %kernc run %s k --grid=1 --block=1 x=arange:f32:6 m=arange:i32:3x4 b=full:uint8:4:250 --print x --print m --print b | %FileCheck %s
# RUN: %kernc run %s k --grid=1 --block=1 x=arange:f32:6 m=arange:i32:3x4 b=full:uint8:4:250 --lanes=1 -O0 --print x --print m --print b | %FileCheck %s
# RUN: %exits 4 %kernc run %s wrong --grid=1 --block=1 x=arange:f32:6 m=arange:i32:3x4 2>&1 | %FileCheck %s --check-prefix=WRONG
# An augmented assignment to a part of an array changes each of its elements, by a number or by the elements of another array, which has as
# many, one, or fewer axes. The results go into the type of the elements, as at any store.
from numba import cuda


@cuda.jit
def k(x, m, b):
    x[1:3] += 10
    x[::-2] *= 2
    m[1:, 1:3] += m[0, 1:3]
    m[:, 0] -= 1
    m.T[3] <<= 1
    m[:2] += m[2:, :1]
    b[:] += 10
    b //= 2
    row = m[2]
    row += row


@cuda.jit
def wrong(x, m):
    m[:, :2] += m[:, :3]


# CHECK: x = [0.0, 22.0, 12.0, 6.0, 4.0, 10.0]
# CHECK: m = {{\[}}[6, 8, 9, 13], [10, 13, 15, 21], [14, 20, 24, 44]]
# CHECK: b = [2, 2, 2, 2]
# WRONG: slice_elements.py:25:{{[0-9]+}}: fault[unpack]: `m[:, :3]` has neither the extent of `m[:, :2]` along axis 1 nor 1
