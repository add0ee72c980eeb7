from numba import cuda


def make(n):
    @cuda.jit
    def inner(x):
        x[0] = n

    return inner


@cuda.jit
def ordered(x):
    x[0] = sorted(x)[0] + unknown


class Holder:
    @cuda.jit
    def good(x):
        x[0] = 1

    @cuda.jit
    def refused(x):
        yield x
