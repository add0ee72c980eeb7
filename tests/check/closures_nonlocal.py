# What `nonlocal` binds in another function is what its calls leave; where nobody follows one of them it is a value of the host. A
# module constant of the same name is another one.
# RUN: %kernc run %s outer.k x=zeros:f32:1 --grid 1 --block 1 --print x | %FileCheck --check-prefix=OUTER %s
# RUN: %kernc run %s plain x=zeros:f32:1 --grid 1 --block 1 --print x | %FileCheck --check-prefix=PLAIN %s
# RUN: %exits 1 %kernc check %s --sig 'given_away.k(float32[:])' 2>&1 | %FileCheck %s
# OUTER: x = [1.0]
# PLAIN: x = [3.0]
import atexit

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


def given_away():
    count = 0

    def step():
        nonlocal count
        count += 1

    @cuda.jit
    def k(x):
        x[0] = count

    atexit.register(step)
    return k


# CHECK: error[E0403]: `count` is a value of the host that kernc cannot compute; give it with `-D given_away.count=VALUE`
# CHECK: note: `count` may be bound here
