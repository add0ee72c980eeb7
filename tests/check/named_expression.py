# RUN: %kernc run %s k --grid=1 --block=1 x=arange:f32:6 o=zeros:f64:12 -Wno-unset --print o | %FileCheck %s
# RUN: %kernc run %s k --grid=1 --block=1 x=arange:f32:6 o=zeros:f64:12 -Wno-unset --lanes=1 -O0 --print o | %FileCheck %s
# `:=` assigns inside of an expression, in the order in which Python evaluates it; `del` takes names away, which may be assigned again.
from numba import cuda


@cuda.jit(device=True)
def next_of(x, i):
    return x[i] * 2 if i < x.size else 0


@cuda.jit
def k(x, o):
    if (n := x.size) > 2:
        o[0] = n
    i = 1
    while (y := next_of(x, i)) > 0:
        i += 1
        o[1] += y
    m = 5
    o[2] = m + (m := 3) * m                 # 5 + 3 * 3
    o[3] = (m := 2) if x[1] > 0 else (m := 9)
    o[4] = m
    o[5] = (x[0] > 0 and (q := 7) > 0) + 10 * m
    o[6] = q                                # was never assigned
    t = (a := x[3], a + 1)
    o[7] = t[0] * 10 + t[1]
    del a, t
    a = 4
    o[8] = a
    if x[1] > 0:
        del a
        a = 6
    o[9] = a
    o[10] = max((z := x[2]), z + 1, (z := 8)) + z
    o[(w := 11)] = 11


# CHECK: o = [6.0, 30.0, 14.0, 2.0, 2.0, 20.0, 0.0, 34.0, 4.0, 6.0, 16.0, 11.0]
