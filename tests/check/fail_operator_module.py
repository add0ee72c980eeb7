# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
# What `operator` does not have, and a call with other arguments.
import operator
from numba import cuda


@cuda.jit('void(float32[:])')
def k(x):
    x[0] = operator.itemgetter(0)
    x[1] = operator.add(1)


# CHECK: :9:12: error[E0402]: `itemgetter` is not defined in `operator`
# CHECK: :10:12: error[E{{.*}}]: `operator.add` takes two values
