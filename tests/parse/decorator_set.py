# RUN: %kernc %s --emit=ast | %FileCheck %s
# A set may stand in the options of a decorator.
from numba import cuda

@cuda.jit(fastmath={'nnan', 'nsz',})
def f(x):
    x[0] = 1.0
# CHECK: Set
# CHECK-NEXT: StringLiteral 'nnan'
# CHECK-NEXT: StringLiteral 'nsz'
