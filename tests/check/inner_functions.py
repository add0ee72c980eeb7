# RUN: %kernc run %s k o=zeros:f64:8x6 n=3 --grid 1 --block 8 --print o[2] --print o[5] | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:8x6 n=3 --grid 1 --block 8 --lanes=1 --print o[2] --print o[5] | %FileCheck %s
# RUN: %kernc run %s nested o=zeros:f64:4 a=[1.5,2,3,4] --grid 1 --block 4 --print o | %FileCheck --check-prefix=NESTED %s
# RUN: %kernc run %s shapes o=zeros:f64:4 --grid 1 --block 1 --print o | %FileCheck --check-prefix=SHAPES %s
# RUN: %kernc run %s make.k o=zeros:f64:1 -D n=4 --grid 1 --block 1 --print o | %FileCheck --check-prefix=MAKE %s
# Functions and named lambdas inside of kernels and device functions. They read what a variable is when they are called.
from numba import cuda, float64

SCALE = 10


@cuda.jit(device=True)
def apply(f, x):
    return f(x)


@cuda.jit
def k(o, n):
    i = cuda.grid(1)

    def plain(x, y=2):
        return x * y

    def reads(x):
        if x > 3:
            return x + n * SCALE
        return x - n

    def writes(x):
        o[i, 3] = x
        for j in range(2):
            o[i, 3] += j * i

    both = lambda x: reads(x) + plain(x, y=i)
    o[i, 0] = plain(i) + plain(i, 5)
    o[i, 1] = reads(i)
    o[i, 2] = both(i + 2)
    writes(0.5)
    n = 7
    o[i, 4] = reads(i)
    o[i, 5] = apply(plain, i)


@cuda.jit(device=True)
def sums(a, first):
    def add(b):
        def twice(c):
            return (c + b) * 2 + first
        return twice(b + 1)
    s = 0.0
    for v in a:
        s += add(v)
    return s


@cuda.jit
def nested(o, a):
    i = cuda.grid(1)
    o[i] = sums(a[i:], i)


@cuda.jit
def shapes(o):
    n = 3

    def fill(value):
        s = cuda.local.array(4, float64)
        for j in range(4):
            s[j] = value * j + n
        return s[n]
    o[0] = fill(2)
    o[1] = fill(0.5)

    def power(x, m):
        return n if m == 0 else x * power(x, m - 1)
    o[2] = power(2, 4)


# The function of the host stays one: kernels in it are named by its path.
def make(n):
    @cuda.jit
    def k(o):
        def f(x):
            return x + n
        o[0] = f(1)
    return k


# CHECK: o[2] = [14.0, -1.0, 42.0, 2.5, -5.0, 4.0]
# CHECK: o[5] = [35.0, 35.0, 72.0, 5.5, 75.0, 10.0]
# NESTED: o = [50.0, 45.0, 36.0, 21.0]
# SHAPES: o = [9.0, 4.5, 48.0, 0.0]
# MAKE: o = [5.0]
