# A kernel's decorator may be imported under another name.
# RUN: %kernc run %s out=zeros:int64:2 --grid 1 --block 1 --print out | %FileCheck %s
from numba import jit as on_host
from numba.cuda import jit as J


@on_host
def host(out):
    return out


@J
def f(out):
    out[0] = 3


# CHECK: out = [3, 0]
