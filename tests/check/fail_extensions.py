# What `@overload_method`, `@overload_attribute` and `@intrinsic` make is not there; the errors say where it was made.
# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
import numba
from numba import cuda, types
from numba.extending import intrinsic, overload_method


@overload_method(types.Array, "twice")
def twice_of(a):
    return lambda a: a[0] * 2


@numba.extending.overload_attribute(types.Float, 'half')
def half_of(x):
    return lambda x: x / 2


@intrinsic
def raw(context, a):
    def codegen(context, builder, signature, args):
        return args[0]

    return a(a), codegen


# CHECK: :[[#@LINE + 4]]:12: error[E0316]: f32[:] has no attribute `twice`
# CHECK: fail_extensions.py:9:5: note: `@overload_method` makes it of types of Numba, which is not here; write a device function, `twice(x)`
@cuda.jit("void(float32[:])")
def method(x):
    x[0] = x.twice()


# CHECK: error[E0316]: f32 has no attribute `half`
# CHECK: fail_extensions.py:14:5: note: `@overload_attribute` makes it of types of Numba, which is not here; write a device function, `half(x)`
@cuda.jit("void(float32[:])")
def attribute(x):
    x[0] = x[1].half


# CHECK: error[E0460]: `raw` is a function of the host, which a kernel cannot call
# CHECK: fail_extensions.py:19:5: note: `@intrinsic` writes LLVM's code, which is not read here; write a device function of what it computes
@cuda.jit("void(float32[:])")
def inner(x):
    x[0] = raw(x[1])


# CHECK: error[E0316]: f32[:] has no attribute `other`
# CHECK-NOT: overload
@cuda.jit("void(float32[:])")
def other(x):
    x[0] = x.other
