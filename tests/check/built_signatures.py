# A signature may be a string that Python makes of constants: an f-string, `+`, `*`, `%`, `format` and `join`.
# RUN: %kernc %s --emit=ir -o - | %FileCheck %s
# RUN: %kernc %s --emit=ir -D T=int16 -D GIVEN='void(uint8[:])' -o - | %FileCheck --check-prefix=OTHER %s
import numba as nb
import numpy as np
from numba import cuda, float64

T = "float32"
AXES = 2
WIDE = float64
GIVEN = f"void({T}[:])"
NAMED = GIVEN


# CHECK: kernel formatted(x: f32[:], s: f32)
# OTHER: kernel formatted(x: i16[:], s: i16)
@cuda.jit(f"void({T}[:], {T})")
def formatted(x, s):
    x[0] = s


# CHECK: kernel joined(x: f32[:], y: f32[:])
@cuda.jit("void(" + ", ".join([T + "[:]"] * 2) + ")")
def joined(x, y):
    x[0] = y[0]


# CHECK: kernel fields(x: f32[:], n: i32)
@cuda.jit("void({}[:], {kind})".format(T, kind="int32"))
def fields(x, n):
    x[0] = n


# CHECK: kernel percent(x: f32[:], s: f64)
@cuda.jit("void(%s[:], %s)" % (T, WIDE))
def percent(x, s):
    x[0] = s


# CHECK: kernel axes(x: f32[:, :, :])
@cuda.jit(f"void({T}[{':, ' * AXES}:])")
def axes(x):
    x[0, 0, 0] = AXES


# CHECK: kernel types(x: f64[:], y: i32[:], z: f32[:])
@cuda.jit(f"void({WIDE}[:], {nb.int32}[:]," f' {np.float32.__name__}[:])')
def types(x, y, z):
    x[0] = y[0] + z[0]


# CHECK: kernel braces(x: f32[:], t.0: i32, t.1: i32)
@cuda.jit("void({0}[:], UniTuple({1}, {n}))".format(T, "int32", n=AXES) + "{{}}" * 0)
def braces(x, t):
    x[0] = t[0]


# CHECK: kernel named(x: f32[:])
# OTHER: kernel named(x: u8[:])
@cuda.jit([NAMED])
def named(x):
    x[0] = 1


def make(kind):
    @cuda.jit(f"void({kind}[:])")
    def inner(x):
        x[0] = 1

    return inner


# RUN: %kernc run %s made x=int8:[0] --grid 1 --print x | %FileCheck --check-prefix=MADE %s
# MADE: x = [1]
made = make("int8")
