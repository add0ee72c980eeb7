# RUN: %kernc run %s k x=ones:f32:4 --print x | %FileCheck %s
# CHECK: x = [3.0, 3.0, 3.0, 3.0]
# Both branches of an `if` that Python decides may import the same module, from packages that have Numba's names.
import os

if os.environ.get("MLIR"):
    from numba_cuda_mlir import cuda
else:
    from numba import cuda


@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 2
