from numba import cuda
from own_package.tools import SCALE
from own_package.inner import beside


@cuda.jit
def k(o):
    o[0] = SCALE * beside.OFFSET
