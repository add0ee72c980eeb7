# Functions inside of classes, `if`, `with`, `try` and other functions are found by their paths; a class hides its
# names from the functions in it.
# RUN: %kernc %s --emit=ir --sig 'Model.run.k(float32[:])' --sig 'under_if(float32[:])' --sig 'under_try(float32[:])' --sig 'under_with(float32[:])' | %FileCheck %s
from contextlib import suppress

from numba import cuda

N = 1


class Model:
    N = 2

    def run(self):
        with suppress(ValueError):
            @cuda.jit
            def k(x):
                x[0] = N


if cuda.is_available():
    @cuda.jit
    def under_if(x):
        x[0] = 3
else:
    def under_if(x):
        raise RuntimeError(f"""no
            {N} GPU""")

try:
    @cuda.jit
    def under_try(x):
        x[0] = 4
except ImportError:
    under_try = None

with suppress(ValueError):
    @cuda.jit
    def under_with(x):
        x[0] = 5

# CHECK: kernel k(
# CHECK: store x[0] = 1.0
# CHECK: kernel under_if(
# CHECK: store x[0] = 3.0
# CHECK: kernel under_try(
# CHECK: store x[0] = 4.0
# CHECK: kernel under_with(
# CHECK: store x[0] = 5.0
