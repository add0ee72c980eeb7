# RUN: %exits 2 %kernc %s --sig 'f(i8[:])' 2>&1 | %FileCheck %s
# On the command line for a .py file i8 is refused: E0412.
from numba import cuda

@cuda.jit
def f(x):
    x[0] = 1
# CHECK: kernc: error[E0412]: `i8[:]` means different types in .kern and .py files; write int8 or int64
