# Numba's barrier of the grid, of a group that was kept or not.
# RUN: %kernc %s --emit=ir -o - | %FileCheck %s
# RUN: %python %S/../builtins/Inputs/values.py %t.x.npy 'float32(arange(64))' %t.y.npy 'float32(x + 3)'
# RUN: %kernc run %s f --grid 2 --block 32 x=@%t.x.npy n=i32:3 --expect x=%t.y.npy
from numba import cuda


@cuda.jit('void(float32[:], int32)')
def f(x, n):
    i = cuda.grid(1)
    g = cuda.cg.this_grid()
    for k in range(n):
        x[i] += 1.0
        g.sync()
    cuda.cg.this_grid().sync()
# CHECK: cg.GridGroup.sync()
# CHECK: cg.GridGroup.sync()
