# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
# What an `if` decides that only the program can decide is no constant, and of two imports none counts.
from numba import cuda
from somewhere import flag

if flag.ENABLE:
    N = 2
else:
    N = 3

if flag.A:
    from math import sqrt as root
else:
    from math import cbrt as root


@cuda.jit('void(float32[:])')
def k(x):
    x[0] = N
    x[1] = root(x[0])


# CHECK: :19:12: error[E0403]: `N` is a value of the host
# CHECK: :20:12: error[E0403]: `root` is a value of the host
