# A name that a file imports from itself in a branch is made nowhere.
# RUN: %exits 1 %kernc run %s k x=ones:f32:1 --grid 1 --block 1 --device=cpu 2>&1 | %FileCheck %s
from numba import cuda

if True:
    from fail_import_circle import n

@cuda.jit
def k(x):
    x[0] = n

# CHECK: error[E0403]: `n` is a value of the host
