# Too little dynamic shared memory is a fault that says which option gives it.
# RUN: %kernc run %s dyn a=arange:f32:8 --block 8 --shared 32 --print a | %FileCheck --check-prefix=ENOUGH %s
# ENOUGH: a = [0.0, 2.0, 4.0
# RUN: %exits 4 %kernc run %s dyn a=arange:f32:8 --block 8 --shared 16 2>&1 | %FileCheck --check-prefix=LITTLE %s
# LITTLE: note: `s` lies in the dynamic shared memory of the launch, 16 bytes a block; `--shared BYTES` gives another size
from numba import cuda, float32


@cuda.jit
def dyn(a):
    s = cuda.shared.array(0, float32)
    i = cuda.grid(1)
    if i < a.size:
        s[i] = a[i]
        a[i] = s[i] + s[i]
