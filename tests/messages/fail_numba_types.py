# In a .py file numbers convert freely; arrays are still no numbers.
# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
from numba import cuda, float32
import math


@cuda.jit("void(float32[:])")
def k(x):
    x[0] = math.sin(x)


# CHECK: fail_numba_types.py:9:21: error[E0325]: `x` of `math.sin` must be f32 or f64, not f32[:]
# CHECK: note: its signature is `math.sin[T: float](x: T) -> T`
