from numba import cuda


@cuda.jit
def untyped(x):
    x[0] = 1.0
