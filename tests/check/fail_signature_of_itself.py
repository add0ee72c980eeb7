# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
# A string may name a constant that is a string; one that leads back to itself is no type, and ends.
from numba import cuda

A = "A"


@cuda.jit(A)
def f(x):
    x[0] = 1

# CHECK: error[E0406]: `A` is no type
