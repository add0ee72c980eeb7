# RUN: %exits 1 %kernc check %s --sig 'k(int32[:])' 2>&1 | %FileCheck %s
# A function that calls itself is written out for each depth of the calls, which has a limit.
from numba import cuda

T = tuple(range(64))


@cuda.jit(device=True)
def total(n):
    s = 0
    for a in T:
        for b in T:
            s += a * n + b
    return s if n < 1 else s + total(n - 1)


@cuda.jit
def k(x):
    x[0] = total(x[1])


# CHECK: fail_recursion_too_large.py:9:5: error[E0453]: `total`, which calls itself, has {{[0-9]+}} statements together
