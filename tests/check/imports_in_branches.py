# RUN: %kernc run %s k x=ones:f32:4 --print x | %FileCheck %s
# CHECK: x = [3.0, 3.0, 3.0, 3.0]
# RUN: %exits 1 %kernc check %s --sig 'other(float32[:])' 2>&1 | %FileCheck --check-prefix=OTHER %s
# OTHER: `double` is a value of the host
# Both branches of an `if` that Python decides may import the same module, from packages that have Numba's names.
import os

if os.environ.get("MLIR"):
    from numba_cuda_mlir import cuda
    from math import sqrt as double
else:
    from numba import cuda
    from math import fabs as double


@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 2


@cuda.jit
def other(x):
    x[0] = double(x[1])
