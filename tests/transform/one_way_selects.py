# RUN: %kernc %s --sig 'f(float32[:], int64)' --sig 'g(float32[:])' --emit=ir --passes=guards | %FileCheck %s
# An index that cannot be negative where it stands does not count from the end: the select is a copy.
from numba import cuda

@cuda.jit
def f(x, n):
    i = cuda.grid(1)
    while i < n:
        x[i] = 1
        i += cuda.gridsize(1)

@cuda.jit
def g(x):
    i = cuda.grid(1)
    if i > 0:
        x[i - 1] = 2
    x[i - 1] = 3
# CHECK-LABEL: kernel f
# CHECK: %[[PLACE:[0-9]+]]: i64 = i{{$}}
# CHECK: guard x[0] %[[PLACE]]
# CHECK-LABEL: kernel g
# CHECK: %[[BELOW:[0-9]+]]: i64 = i - 1
# CHECK: %[[PLACE:[0-9]+]]: i64 = %[[BELOW]]{{$}}
# CHECK: store x[%[[PLACE]]] = 2.0
# CHECK: %[[PLACE:[0-9]+]]: i64 = %{{[0-9]+}} if %{{[0-9]+}} else
# CHECK: store x[%[[PLACE]]] = 3.0
