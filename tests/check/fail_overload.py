# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
# The body of a function with an `@overload` is for the host: E0468.
from numba import cuda
from numba.extending import overload


def twice(x):
    raise NotImplementedError


@overload(twice, target="cuda")
def twice_of(x):
    def code(x):
        return x + x

    return code


@cuda.jit("void(float32[:])")
def f(x):
    x[0] = twice(x[0])
# CHECK: :21:12: error[E0468]: `twice` is what `@overload` makes of it, with Python code that kernc does not run; write it as a device function
# CHECK: :12:5: note: `twice_of` makes its code
