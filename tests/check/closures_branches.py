# Of functions of one name in several branches the one counts whose condition holds; where that is not known, none does.
# RUN: %exits 1 %kernc run %s total x=arange:i64:4 out=zeros:i64:1 --grid 1 --block 1 --device=cpu 2>&1 | %FileCheck %s
# RUN: %kernc run %s total x=arange:i64:4 out=zeros:i64:1 --grid 1 --block 1 --device=cpu --print out -D "make.kind='sum'" | %FileCheck --check-prefix=SUM %s
# RUN: %kernc run %s total x=arange:i64:4 out=zeros:i64:1 --grid 1 --block 1 --device=cpu --print out -D "make.kind='max'" | %FileCheck --check-prefix=MAX %s
# RUN: %kernc run %s whole out=zeros:i64:1 --grid 1 --block 1 --device=cpu --print out -D "other.fast=True" | %FileCheck --check-prefix=FAST %s
# RUN: %exits 1 %kernc run %s whole out=zeros:i64:1 --grid 1 --block 1 --device=cpu 2>&1 | %FileCheck --check-prefix=OPEN %s
from numba import cuda

def make(kind):
    if kind == 'sum':
        @cuda.jit(device=True)
        def op(a, b):
            return a + b
    elif kind == 'max':
        @cuda.jit(device=True)
        def op(a, b):
            return max(a, b)

    @cuda.jit
    def total(x, out):
        for i in range(x.size):
            out[0] = op(out[0], x[i])

def other(fast):
    if fast:
        @cuda.jit
        def whole(out):
            out[0] = 7
    else:
        @cuda.jit
        def whole(out):
            out[0] = 8

# CHECK: :22:22: error[E0403]: `op` is a value of the host that kernc cannot compute; give it with `-D make.op=VALUE`
# CHECK: note: a function is given as `-D make.op=FILE.py:FUNCTION`
# CHECK: :12:13: note: `op` is bound here, in a block of which kernc does not know whether it runs
# CHECK: :10:8: note: that depends on this: where `-D` makes a constant of it, it is known
# SUM: out = [6]
# MAX: out = [3]
# FAST: out = [7]
# OPEN: error[E0403]: `whole` is a value of the host
