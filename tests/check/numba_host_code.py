# RUN: %kernc %s --emit=ir | %FileCheck %s
# Host code is no error; signatures of decorators make the instances.
import sys
from numba import cuda, njit

DATA = [open(name).read() for name in sys.argv]

class Model:
    def run(self): return f[1, 1](DATA)

@cuda.jit(device=True)
def half(a):
    return a / 2

@cuda.jit("void(float32[:])", cache=True, opt=True)
def f(x):
    x[0] = half(x[1])

if __name__ == "__main__":
    Model().run()
# CHECK: kernel f(x: f32[:])
# CHECK: device half(a: f32) -> f64
# CHECK: symbol half$f32
