# RUN: %kernc run %s k most=[1,nan,-1,2,nan] least=[1,nan,-1,2,nan] old=zeros:f64:10 v=[nan,3,nan,5,nan] --grid 1 --block 5 --print most --print least --print old | %FileCheck %s
# RUN: %kernc run %s k most=[1,nan,-1,2,nan] least=[1,nan,-1,2,nan] old=zeros:f64:10 v=[nan,3,nan,5,nan] --grid 1 --block 5 --lanes=1 --print most --print least --print old | %FileCheck %s
# RUN: %kernc run %s narrow most=f32:[1,nan] shared=zeros:f32:2 halves=f16:[1,nan] --grid 1 --block 1 --print most --print shared --print halves | %FileCheck --check-prefix=NARROW %s
# As in Numba a NaN that comes changes no element, and one that is there stays. In a .kern file a NaN wins: tests/builtins/atomic_max.kern.
import numpy as np
from numba import cuda, float32


@cuda.jit
def k(most, least, old, v):
    i = cuda.grid(1)
    old[i] = cuda.atomic.max(most, i, v[i])
    old[i + 5] = cuda.atomic.min(least, i, v[i])


@cuda.jit
def narrow(most, shared, halves):
    s = cuda.shared.array(2, float32)
    s[0] = 2
    s[1] = np.nan
    cuda.atomic.max(most, 0, np.nan)
    cuda.atomic.min(most, 1, np.float32(3))
    cuda.atomic.min(s, 0, np.nan)
    cuda.atomic.max(s, 1, 3)
    shared[0] = s[0]
    shared[1] = s[1]
    cuda.atomic.max(halves, 0, np.float16(np.nan))
    cuda.atomic.min(halves, 1, np.float16(2))


# CHECK: most = [1.0, nan, -1.0, 5.0, nan]
# CHECK: least = [1.0, nan, -1.0, 2.0, nan]
# CHECK: old = [1.0, nan, -1.0, 2.0, nan, 1.0, nan, -1.0, 2.0, nan]
# NARROW: most = [1.0, nan]
# NARROW: shared = [2.0, nan]
# NARROW: halves = [1.0, nan]
