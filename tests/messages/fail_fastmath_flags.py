# A set of fastmath holds flags of LLVM; other options take no set, and code has none.
# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
from numba import cuda

@cuda.jit('void(float32[:])', fastmath={'nnan', 'quick'})
def f(x):
    x[0] = 1.0

@cuda.jit('void(float32[:])', fastmath={True})
def g(x):
    x[0] = 1.0

@cuda.jit('void(float32[:])', max_registers={32})
def h(x):
    x[0] = 1.0


# CHECK: fail_fastmath_flags.py:5:49: error[E0409]: `fastmath` must be True, False or a set of LLVM's flags
# CHECK: note: the flags are `fast`, `nnan`, `ninf`, `nsz`, `arcp`, `contract`, `afn`, `reassoc`
# CHECK: fail_fastmath_flags.py:9:41: error[E0409]: `fastmath` must be True, False or a set of LLVM's flags
# CHECK: fail_fastmath_flags.py:13:45: error[E0206]: a set display is not part of Kern; use a tuple or an array
