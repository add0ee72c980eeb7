from numba import cuda

OFFSET = 30


@cuda.jit(device=True)
def add_offset(v):
    return v + OFFSET
