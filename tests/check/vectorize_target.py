# RUN: %kernc run %s add a=arange:f32:3 b=ones:f32:3 --print out | %FileCheck %s
# RUN: %exits 2 %kernc run %s unknown a=arange:f32:3 b=ones:f32:3 2>&1 | %FileCheck --check-prefix=UNKNOWN %s
# The target of a vectorized function may be a constant of the module that one statement makes.
from numba import vectorize

TARGET = "cuda"
OTHER = "cuda"
for OTHER in ("cpu", "cuda"):
    pass


@vectorize(["float32(float32, float32)"], target=TARGET)
def add(a, b):
    return a + b


@vectorize(["float32(float32, float32)"], target=OTHER)
def unknown(a, b):
    return a + b
# CHECK: out = [1.0, 2.0, 3.0]
# UNKNOWN: error[E0892]
