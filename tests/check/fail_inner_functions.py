# RUN: %exits 1 %kernc run %s twice o=zeros:f64:1 --grid 1 --block 1 2>&1 | %FileCheck --check-prefix=TWICE %s
# RUN: %exits 1 %kernc run %s away o=zeros:f64:1 --grid 1 --block 1 2>&1 | %FileCheck --check-prefix=AWAY %s
# What functions inside of kernels may not do: share their name, and leave with what they read.
from numba import cuda


@cuda.jit(device=True)
def apply(f, x):
    return f(x)


@cuda.jit
def twice(o):
    if o[0] > 1:
        def f(x):
            return x
    else:
        # TWICE: [[@LINE+1]]:13: error[E0357]: a name inside of a function that is a function and something else too is not supported
        def f(x):
            return -x
    o[0] = f(1)


@cuda.jit
def away(o):
    n = o.size

    def f(x):
        return x + n
    # AWAY: :9:12: error[E0357]: the call of a function that reads variables of another function is not supported
    o[0] = apply(f, 1)
