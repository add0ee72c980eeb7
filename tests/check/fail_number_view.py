# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
import numpy as np
from numba import cuda


@cuda.jit('void(float64[:])')
def k(x):
    x[0] = x[1].view(np.int32)
    x[1] = x[1].view()


# CHECK: :8:12: error[E{{.*}}]: `view` of a number takes a type of the same size
# CHECK: :9:12: error[E{{.*}}]: `view` of a number takes the type
