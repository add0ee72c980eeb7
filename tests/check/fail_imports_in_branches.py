# RUN: %exits 1 %kernc check %s --sig 'f(float32[:])' 2>&1 | %FileCheck %s
# What the branches of an `if` import differently is known to Python only: E0403.
import os
from numba import cuda

if os.environ.get("ROOTS"):
    from math import sqrt as change
else:
    from math import fabs as change


@cuda.jit
def f(x):
    x[0] = change(x[1])
# CHECK: :14:12: error[E0403]: `change` is a value of the host that kernc cannot compute; give it with `-D change=VALUE`
