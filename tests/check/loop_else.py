# RUN: %kernc run %s k --grid=1 --block=8 limit=4 o=zeros:i32:8x8 --print o | %FileCheck %s
# RUN: %kernc run %s k --grid=1 --block=8 limit=4 o=zeros:i32:8x8 --lanes=1 -O0 --print o | %FileCheck %s
# The `else` of a loop runs unless a `break` has left it: of while, range, arrays, tuples, nested ones, and one whose inner `else` breaks it.
from numba import cuda


@cuda.jit
def k(limit, o):
    t = cuda.threadIdx.x
    n = 0
    while n < limit:
        if n == t:
            break
        n += 1
    else:
        o[t, 0] = 1
    for i in range(limit):
        if i == t:
            break
    else:
        o[t, 1] = 1 + i
    for v in o[t]:
        if v > 2:
            break
    else:
        o[t, 2] = 1
    for w in (1, 2.5, 4):
        if w > t:
            break
    else:
        o[t, 3] = 1
    for i in range(3):
        for j in range(3):
            if i * j == t:
                break
        else:
            o[t, 4] += 1
            continue
        o[t, 5] += 10
    for i in range(3):
        for j in range(3):
            if j == t:
                break
        else:
            break
    else:
        o[t, 6] = 1
    for w in (1, 2):
        pass
    else:
        o[t, 7] = w
    while False:
        pass
    else:
        o[t, 7] += 5


# CHECK: o = {{\[}}[0, 0, 1, 0, 0, 30, 1, 7], [0, 0, 1, 0, 2, 10, 1, 7], [0, 0, 1, 0, 1, 20, 1, 7], [0, 0, 1, 0, 3, 0, 0, 7],
# CHECK-SAME: [1, 4, 0, 1, 2, 10, 0, 7], [1, 4, 0, 1, 3, 0, 0, 7], [1, 4, 0, 1, 3, 0, 0, 7], [1, 4, 0, 1, 3, 0, 0, 7]]
