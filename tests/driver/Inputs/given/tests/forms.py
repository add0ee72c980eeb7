from lib.step import SIZE, step
from numba import cuda
from nowhere import FACTOR


class Wrapper:
    def __init__(self, function):
        self.function = function


def plain(x):
    x[0] = step(SIZE)


def unnamed(x):
    x[0] = unknown


def result(x):
    x[0] = 2


def scaled(x):
    x[0] = FACTOR * x[1]


@cuda.jit
def given(x):
    x[0] = 1


wrapped = Wrapper(given)
made = cuda.jit("void(float64[:])")(plain)
helper = cuda.jit(device=True)(plain)


def make():
    return cuda.jit(result)


class Case:
    def test(self):
        def local(x):
            x[0] = 3

        first = cuda.jit("void(float64[:], int32)")(plain)
        second = cuda.jit(local)
        self.third = cuda.jit(unnamed)
        cuda.jit(debug=True)(scaled)[1, 1](self.data)
        return first, second
