# RUN: %kernc run %s k zeros:f64:4 3.5 [1,2,3] --grid 1 --block 1 --print x | %FileCheck %s
# RUN: %kernc run %s k x=zeros:f64:4 'args=(3.5,[1,2,3])' --grid 1 --block 1 --print x | %FileCheck %s
# RUN: %kernc run %s none zeros:f64:4 --grid 1 --block 1 --print x | %FileCheck --check-prefix=NONE %s
# RUN: %kernc %s --sig 'k(float64[:], float64, int64[:])' --emit=ir | %FileCheck --check-prefix=IR %s
# RUN: %kernc %s --sig 'k(float64[:], (float64, int64[:]))' --emit=ir | %FileCheck --check-prefix=IR %s
# RUN: %kernc %s --sig 'k(float64[:], float64, int64[:])' -o %t.ptx -o %t.hpp
# RUN: %kernc %s --emit=ir | %FileCheck --check-prefix=SIGNED %s
# In a .py file `*args` of a kernel takes what is left of the arguments as a tuple, as of a device function.
from numba import cuda


@cuda.jit(device=True)
def add(x, *parts):
    for i in range(len(parts[1])):
        x[1] += parts[1][i]
    return parts[0]


@cuda.jit
def k(x, *args):
    x[0] = args[0]
    x[2] = len(args)
    x[3] = add(x, *args)


@cuda.jit
def none(x, *args):
    x[0] = len(args) + 5


@cuda.jit('void(float32[:], float32, int32)')
def signed(x, *args):
    x[0] = args[0] + args[1]


# CHECK: x = [3.5, 6.0, 2.0, 3.5]
# NONE: x = [5.0, 0.0, 0.0, 0.0]
# IR: kernel k(
# SIGNED: kernel signed(
