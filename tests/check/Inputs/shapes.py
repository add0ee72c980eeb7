import os
from numba import cuda

SIDE = 4
HERE = os.getcwd()


@cuda.jit(device=True)
def area(a):
    return a * SIDE
