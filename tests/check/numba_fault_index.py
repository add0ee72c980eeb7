# RUN: %exits 4 %kernc run %s a=zeros:i64:3 n=i32:-4 --grid 1 --block 1 2>&1 | %FileCheck %s
# RUN: %exits 4 %kernc run %s a=zeros:i64:3 n=i32:-4 --grid 1 --block 1 --negative-index=fault 2>&1 | %FileCheck --check-prefix=FAULT %s
# A fault names the index before it was counted from the end; what it says of negative ones fits the rule.
from numba import cuda

@cuda.jit
def f(a, n):
    a[n] = 1
# CHECK: index -4 is out of range for axis 0 of `a` (extent 3)
# CHECK-NOT: negative
# FAULT: index -4 is out of range for axis 0 of `a` (extent 3)
# FAULT: a computed negative index is a fault
