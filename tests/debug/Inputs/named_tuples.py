from collections import namedtuple

import numpy as np
from numba import cuda

Pair = namedtuple("Pair", "first second")


@cuda.jit("void(float32[:], int32)")
def k(a, n):
    t = Pair(n, np.float32(2.0))
    for _ in range(3):
        t = Pair(t.first + np.int32(1), t.second)
    a[0] = t.second + t.first
