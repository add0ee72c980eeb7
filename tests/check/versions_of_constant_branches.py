# RUN: %kernc run %s k --grid=1 --block=1 o=zeros:i64:3 --print o | %FileCheck %s
# RUN: %kernc run %s k --grid=1 --block=1 o=zeros:i64:3 -D FIRST=False --print o | %FileCheck --check-prefix=WHOLE %s
# An assignment in a branch that no call takes does not meet the others.
from numba import cuda

FIRST = True


@cuda.jit
def k(o):
    b = (4, 5)
    if FIRST and not None:
        b = b[0]
    else:
        o[1] = b[1]
        b = 2.5
    if FIRST is False:
        b = 7
    o[0] = b
# CHECK: o = [4, 0, 0]
# WHOLE: o = [7, 5, 0]
