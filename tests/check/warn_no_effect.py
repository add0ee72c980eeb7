# RUN: %kernc %s --emit=ir 2>&1 | %FileCheck %s
# In a .py file a line that has no effect, and an index that no array has, are warnings.
from numba import cuda, float32


@cuda.jit("void(int32[:], float32[:])")
def f(y, x):
    y[0] == 1
    a = cuda.local.array(4, float32)
    a[4] = x[0]
    a[-4] = x[0]
    a[-5] = x[0]
    x[0] = a[3]


# CHECK: :8:5: warning[W0741]: `y[0] == 1` has no effect; to assign write `y[0] = 1` [-Wunused_value]
# CHECK: :10:7: warning[W0742]: `4` is no index of `a`, which has 4 along axis 0 [-Windex_range]
# CHECK: :12:7: warning[W0742]: `-5` is no index of `a`
# CHECK-NOT: warning[W074
