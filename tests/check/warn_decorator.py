# RUN: %kernc %s --sig 'f(float64[:])' --emit=ir 2>&1 | %FileCheck %s
# RUN: %exits 1 %kernc %s --sig 'f(float64[:])' -Werror=decorator -o /dev/null --emit=ir 2>&1 | %FileCheck --check-prefix=ERROR %s
# A decorator that kernc does not know is a warning: on a kernel, on a function that one calls, and as `g = wrap(g)`.
from numba import cuda, njit
from profiler import wrapped

def traced(function):
    return function

@traced
@cuda.jit(device=True)
def half(a):
    return a / 2

@traced
def twice(a):
    return a + a

def plain(a):
    return a

plain = wrapped(plain)
jitted = cuda.jit(device=True)(twice)

@njit
def broken(a):
    return numpy.zeros(a)

@traced
def uncalled(a):
    return {a}

@cuda.jit
def f(x):
    x[0] = half(x[1]) + twice(x[2]) + plain(x[3]) + jitted(x[4])
# CHECK: :10:2: warning[W0720]: `traced` is not known to kernc: `half` is compiled as if it were not there [-Wdecorator]
# CHECK-DAG: :15:2: warning[W0720]: `traced` is not known to kernc: `twice` is compiled as if it were not there
# CHECK-DAG: :22:9: warning[W0720]: `wrapped` is not known to kernc: `plain` is compiled as if it were not there
# CHECK: kernel f
# ERROR: error[W0720]
