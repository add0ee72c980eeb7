# What `nonlocal` binds in another function is a value of the host; a module constant of the same name is none.
# RUN: %exits 1 %kernc check %s --sig 'outer.k(float32[:])' 2>&1 | %FileCheck %s
# RUN: %kernc check %s --sig 'plain(float32[:])'
from numba import cuda

count = 3


@cuda.jit
def plain(x):
    x[0] = count


def outer():
    count = 0

    def step():
        nonlocal count
        count += 1

    @cuda.jit
    def k(x):
        x[0] = count

    step()
    return k


outer()

# CHECK: :23:16: error[E0403]: `count` is a value of the host that kernc cannot compute; give it with `-D outer.count=VALUE`
# CHECK: :19:9: note: `count` may be bound here
