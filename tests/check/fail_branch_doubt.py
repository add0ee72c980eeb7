# A name that a branch binds by itself, beside a line that may change it: whether it may does not lead back to the name.
# RUN: %exits 1 %kernc run %s k x=ones:f32:1 --grid 1 --block 1 --device=cpu 2>&1 | %FileCheck %s
from numba import cuda

if True:
    n = n + 1
    {{n = n + 2

@cuda.jit
def k(x):
    x[0] = n

# CHECK: error[E0403]: `n` is a value of the host
