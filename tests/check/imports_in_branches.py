# The branches of an `if` that Python decides may import the same from packages with each other's names; a `try` of which nobody reads the name does no harm.
# RUN: %kernc run %s k x=ones:f32:4 --print x | %FileCheck %s
import os

try:
    if os.environ.get("OTHER"):
        import math as m
    else:
        import math as m
except ImportError:
    m = None

if os.environ.get("MLIR"):
    from numba_cuda_mlir import cuda
else:
    from numba import cuda


@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += x[i] * x[i]

# CHECK: x = [2.0, 2.0, 2.0, 2.0]
