# RUN: %exits 1 %kernc %s --sig 'f(float32[:], float32)' 2>&1 | %FileCheck %s
# RUN: %exits 2 %kernc %s --sig 'g(float64[:], UniTuple(float64, 2))' 2>&1 | %FileCheck --check-prefix=TUPLE %s
# RUN: %exits 2 %kernc %s --sig 'g(float64[:], none)' 2>&1 | %FileCheck --check-prefix=NONE %s
# RUN: %kernc %s --sig 'g(float64[:], (float64, float64))' --emit=ir | %FileCheck --check-prefix=PAIR %s
# A kernel's parameters have names: E0463; types that Kern writes in another way: E0465.
from numba import cuda

@cuda.jit
def f(x, *args):
    x[0] = args[0]

@cuda.jit
def g(x, t):
    x[0] = t[0]
# CHECK: :9:11: error[E0463]: a kernel has no `*args`: a launch gives each parameter by its name
# TUPLE: error[E0465]: a signature of Kern has no `UniTuple`; write `(float64, float64)`
# NONE: error[E0465]: a signature of Kern has no `none`; write a type for each value
# PAIR: kernel g
