# RUN: %exits 1 %kernc %s --sig 'f(float64[:])' 2>&1 | %FileCheck %s
# What is no value is refused in words of its own, without the advice of a value: E0460, E0461, E0462, E0464, E0357.
import math
from enum import IntEnum
from numba import cuda, njit

class Color(IntEnum):
    RED = 3

@njit
def listed(n):
    return [i for i in range(n)]

math.e = 3

@cuda.jit
def f(x):
    x[0] = Color.BLUE
    x[1] = listed(3)
    x[2] = math.e
    x[3] = sorted(x)
    list(x)
    x[5] = complex(1.0, 2.0)
# CHECK: :18:12: error[E0461]: `Color` is a class of the host; write the values that a kernel needs as constants at the top level
# CHECK: :19:12: error[E0460]: `listed` is a function of the host, which a kernel cannot call
# CHECK: :11:5: note: it is passed over as host code: {{.*}}
# CHECK: :20:12: error[E0462]: `e` of `math` is assigned by host code
# CHECK: :21:12: error[E0464]: a kernel has no `sorted`; sort on the host, or in a loop
# CHECK-NOT: -D
# CHECK: :22:5: error[E0464]: a kernel has no `list`
# CHECK: :23:12: error[E0381]: the literal `complex(1.0, 2.0)` does not become f64
