# RUN: printf '@kernel\ndef f(x: f32[:], *args: f32):\n    x[0] = args[0]\n' > %t.kern
# RUN: %exits 1 %kernc check %t.kern 2>&1 | %FileCheck %s
# RUN: %exits 2 %kernc %s --sig 'g(float64[:], Optional(float64))' 2>&1 | %FileCheck --check-prefix=TUPLE %s
# RUN: %exits 1 %kernc %s --sig 'g(float64[:], none)' 2>&1 | %FileCheck --check-prefix=NONE %s
# RUN: %kernc %s --sig 'g(float64[:], (float64, float64))' --emit=ir | %FileCheck --check-prefix=PAIR %s
# RUN: %kernc %s --sig 'g(float64[:], UniTuple(float64, 2))' --emit=ir | %FileCheck --check-prefix=PAIR %s
# The parameters of a kernel in a .kern file have names: E0463; a value that may be missing has no type of its own: E0465; None is a constant.
from numba import cuda


@cuda.jit
def g(x, t):
    x[0] = t[0]
# CHECK: .kern:2:19: error[E0463]: a kernel has no `*args`: a launch gives each parameter by its name
# TUPLE: error[E0465]: a signature of Kern has no `Optional`; write the type alone, or `none`
# NONE: :13:12: error[E0313]: `None` has no elements
# PAIR: kernel g
