from numba import cuda


@cuda.jit
def k(o, t, n):
    (a, (b, c)), d = n
    o[0] = t[0] + t[1]
    o[1] = a * c
    o[2] = b.size
    o[3] = d


@cuda.jit
def one(o, t):
    o[0] = t[0]


@cuda.jit
def maybe(o, scale=None):
    if scale is None:
        o[0] = 1
    else:
        o[0] = scale
