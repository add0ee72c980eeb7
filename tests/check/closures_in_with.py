# RUN: %kernc run %s t1.k1 --grid=1 --block=1 o=zeros:i64:1 --print o | %FileCheck %s
# RUN: %kernc run %s k2 --grid=1 --block=1 o=zeros:i64:1 --print o | %FileCheck %s
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
# A kernel that `cuda.jit(f)` makes in a block that always runs is one by its name.
from numba import cuda


def simple(o):
    o[0] = 1


def t1():
    with open("a"):
        with open("b"):
            k1 = cuda.jit(simple)
            k1[1, 1](3)


def t2():
    if not cuda.is_available:
        return
    with open("a"):
        k2 = cuda.jit(simple)
        k2[1, 1](3)
# CHECK: o = [1]
# REPORT: t1.k1: compiles
# REPORT: t2.k2: compiles
# REPORT: needs values 0, unsupported 0
