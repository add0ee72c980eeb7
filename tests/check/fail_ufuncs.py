# RUN: %exits 1 %kernc %s --sig 'k(float32[:], float32[:, :])' --emit=ir -o - 2>&1 | %FileCheck %s
# Arrays that a function of NumPy would make, and what it takes.
import numpy as np
from numba import cuda


@cuda.jit
def k(x, m):
    y = np.sin(x)
    np.sin(x, 3)
    np.add(x[0])
    np.add(x, m, x)
    np.add(x[0], (1, 2))
    x[0] = max(m)
    x[1] = isinstance(x, 3)
    z = x + 1
    x[2] = np.dtype("f3").type(2)
    w = sum(m)


# CHECK: fail_ufuncs.py:9:9: error[E0366]: `np.sin` of an array makes a new one, and a kernel has no memory for it; give the array for the results: `np.sin(x, out)`
# CHECK: :10:15: error[E0325]: `out` of `np.sin` must be an array, not the literal `3`
# CHECK: :11:5: error[E0324]: `np.add` takes two arguments and, for arrays, the array of the results
# CHECK: :12:15: error[{{E[0-9]+}}]: {{.*}}f32[:, :]{{.*}}f32[:]
# CHECK: :13:18: error[E0325]: an argument of `np.add` must be a number or an array, not
# CHECK: :14:16: error[E0367]: `max` takes the elements of an array of one axis, not those of f32[:, :]
# CHECK: :15:26: error[{{E[0-9]+}}]: `3` is no type
# CHECK: :16:9: error[E0302]: `+` has no meaning for f32[:] and the literal `1`
# CHECK: note: an array of the results would need memory
# CHECK: :17:21: error[{{E[0-9]+}}]: `"f3"` is no type
# CHECK: :18:13: error[E0367]: `sum` takes the elements of an array of one axis
