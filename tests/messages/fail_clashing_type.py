# Names that mean different types in .kern and .py files are refused on the command line.
# RUN: %exits 2 %kernc %s --sig 'k(i8[:], u8)' 2>&1 | %FileCheck %s
from numba import cuda


@cuda.jit
def k(x, n):
    x[0] = n


# CHECK: kernc: error[E0412]: `i8[:]` means different types in .kern and .py files; write int8 or int64
