# Several functions of one name are told apart by their paths.
# RUN: %exits 2 %kernc check %s --sig 'k(float32[:])' 2>&1 | %FileCheck %s
# RUN: %kernc check %s --sig 'two.k(float32[:])'
from numba import cuda


def one():
    @cuda.jit
    def k(x):
        x[0] = 1


def two():
    @cuda.jit
    def k(x):
        x[0] = 2


# CHECK: error[E0421]: several functions are called `k`; write the path of one
# CHECK: note: there is `one.k`
# CHECK: note: there is `two.k`
