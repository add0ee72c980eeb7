# RUN: %kernc check %s --sig 'k(int64[:], float64[:])'
# RUN: %kernc run %s k x=arange:i64:20 y=zeros:f64:24 --over 20 --print x --print y --lanes=1 | %FileCheck %s
# RUN: %kernc run %s k x=arange:i64:20 y=zeros:f64:24 --over 20 --print x --print y --lanes=16 | %FileCheck %s
# Device functions that call themselves, directly and in a circle; how deep differs from thread to thread. The type of such a
# function is that of what it returns where it does not call itself.
from numba import cuda


@cuda.jit(device=True)
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@cuda.jit(device=True)
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@cuda.jit(device=True)
def power(base, n):
    if n > 0:
        half = power(base, n // 2)
        return half * half * base if n % 2 == 1 else half * half
    return 1.0


@cuda.jit(device=True)
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@cuda.jit(device=True)
def fill(y, low, high):
    if high - low == 1:
        y[low] += low
        return
    middle = (low + high) // 2
    fill(y, low, middle)
    fill(y, middle, high)


@cuda.jit
def k(x, y):
    i = cuda.grid(1)
    if i < x.size:
        n = x[i]
        x[i] = fib(n) * 10 + is_even(n) + ackermann(1, n % 3)
        y[i] = power(1.5, n % 5)
        if i == 7:
            fill(y, 20, 24)


# CHECK: x = [3, 13, 15, 22, 34, 54, 83, 133, 215, 342, 554, 894, 1443, 2333, 3775, 6102, 9874, 15974, 25843, 41813]
# CHECK: y = [1.0, 1.5, 2.25, 3.375, 5.0625, 1.0, 1.5, 2.25, 3.375, 5.0625, 1.0, 1.5, 2.25, 3.375, 5.0625, 1.0, 1.5, 2.25, 3.375, 5.0625, 20.0, 21.0, 22.0, 23.0]
