# RUN: %kernc run %s mixed out=zeros:f64:3 a=1.5 b=2.25 --grid 1 --block 1 --print out | %FileCheck --check-prefix=MIXED %s
# RUN: %kernc run %s arrays a=arange:f64:8 b=arange:f64:8 out=zeros:f64:8 --grid 1 --block 8 --print out | %FileCheck --check-prefix=ARRAYS %s
# RUN: %kernc run %s least x=[3,1,2] out=zeros:f64:4 --grid 1 --block 1 --print out | %FileCheck --check-prefix=LEAST %s
# `literal_unroll` of a tuple of mixed types, arrays of one type in a tuple by an index of run time, the least and greatest of tuples.
from numba import cuda, literal_unroll


@cuda.jit
def mixed(out, a, b):
    i = 0
    for v in literal_unroll((a, b, 7)):
        out[i] = v
        i += 1


@cuda.jit
def arrays(a, b, out):
    i = cuda.grid(1)
    t = (a, b)
    if i < out.size:
        s = 0.0
        for q in range(2):
            s += t[q][i]
        out[i] = s + len(t)


@cuda.jit
def least(x, out):
    out[0] = min((x[0], x[1], x[2]))
    out[1] = max((x[0], 2.5))
    out[2] = min(x)


# MIXED: out = [1.5, 2.25, 7.0]
# ARRAYS: out = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
# LEAST: out = [1.0, 3.0, 1.0, 0.0]
