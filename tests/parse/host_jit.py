# RUN: %kernc %s --emit=ast | %FileCheck %s
# Numba's jit for the host is host code, unless it parses: then a kernel may call it.
from numba import jit, njit
@jit(nopython=True)
def sets(x):
    return {x}
@njit
def twice(x):
    return x + x
# CHECK-NOT: FunctionDef sets
# CHECK: FunctionDef twice
# CHECK: skipped 1
