from numba import cuda


@cuda.jit
def lists(x):
    x[0] = [k for k in range(3)]
