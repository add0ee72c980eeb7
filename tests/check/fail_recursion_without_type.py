# RUN: %exits 1 %kernc check %s --sig 'k(int32[:])' 2>&1 | %FileCheck %s
# A function that calls itself in all that it returns has no type, alone and in a circle.
from numba import cuda


@cuda.jit(device=True)
def endless(n):
    return ahead(n - 1)


@cuda.jit(device=True)
def ahead(n):
    return endless(n)


@cuda.jit
def k(x):
    x[0] = endless(x[1])


# CHECK: fail_recursion_without_type.py:{{[0-9]+}}:5: error[E0454]: `{{endless|ahead}}` calls itself in all that it returns, so that has no type
