# A captured function is given as FILE.py:NAME, and so is a constant of another file.
# RUN: %kernc run %s make.k x=zeros:float32:2 --grid=1 --block=1 --device=cpu --print x -D make.fn=%S/Inputs/given_function.py:add_offset -D make.n=%S/Inputs/given_function.py:OFFSET | %FileCheck %s
# RUN: %exits 1 %kernc check %s --sig 'k(float32[:])' -D fn=%S/Inputs/given_function.py:nothing -D n=1 2>&1 | %FileCheck --check-prefix=NONE %s
# RUN: %exits 2 %kernc check %s --sig 'k(float32[:])' -D fn=no_such.py:f -D n=1 2>&1 | %FileCheck --check-prefix=FILE %s
from numba import cuda


def make(fn, n):
    @cuda.jit
    def k(x):
        x[0] = fn(4)
        x[1] = n

    return k


# CHECK: 34.0, 30.0
# NONE: error[E0402]: `nothing` is not defined in
# FILE: error[E0810]: -D fn=no_such.py:f: No such file or directory
