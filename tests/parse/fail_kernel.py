# RUN: %exits 1 %kernc %s --emit=ast 2>&1 | %FileCheck %s
# A kernel of a .py file is meant for Kern: its errors are reported, those of host code are none.
from numba import cuda
def host(): return {1: 2}
@cuda.jit
def k(x):
    x[0] = len({1: 2})
# CHECK-NOT: :4:
# CHECK: :7:16: error[E0206]: a dict or set display is not part of Kern; use a tuple or an array
# CHECK-NOT: error
