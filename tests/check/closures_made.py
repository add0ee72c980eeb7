# Functions that calls make: `cuda.jit(f)`, with a lambda, and wrappers whose arguments are constants.
# RUN: %kernc run %s k x=zeros:float32:6 --grid=1 --block=1 --device=cpu --print x | %FileCheck %s
# RUN: %kernc run %s kernel5 x=zeros:float32:6 --grid=1 --block=1 --device=cpu --print x | %FileCheck --check-prefix=FIVE %s
from numba import cuda


def plain(v):
    return v + 1


def make_adder(n, m=100):
    @cuda.jit(device=True)
    def add(v):
        return v + n + m
    return add


def jitted(f):
    return cuda.jit(device=True)(f)


def make_kernel(n):
    @cuda.jit
    def inner(x):
        x[0] = n
    return inner


device_plain = cuda.jit(device=True)(plain)
half = cuda.jit("float32(float32)", device=True)(lambda v: v / 2)
add3 = make_adder(3)
add4 = make_adder(n=4, m=0)
wrapped = jitted(plain)
kernel5 = make_kernel(5)


def body(x):
    x[0] = device_plain(1)
    x[1] = half(3)
    x[2] = add3(1)
    x[3] = add4(1)
    x[4] = wrapped(5)


k = cuda.jit(body)

# CHECK: x = [2.0, 1.5, 104.0, 5.0, 6.0, 0.0]
# FIVE: x = [5.0
