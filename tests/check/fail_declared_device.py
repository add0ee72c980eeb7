# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
# A function of foreign code is nothing that a value could be given for, but one of Python may take its place.
# RUN: echo 'def times(x): return 2 * x' > %t.py && %kernc run %s f x=ones:f32:2 --grid 1 --block 1 -D times=%t.py:times --print x | %FileCheck --check-prefix=GIVEN %s
# GIVEN: x = [2.0, 1.0]
from numba import cuda

times = cuda.declare_device("times", "float32(float32)")


@cuda.jit("void(float32[:])")
def f(x):
    x[0] = times(x[1])
# CHECK: :12:12: error[E0403]: `times` is a value of the host that kernc cannot compute; give it with `-D times=VALUE`
# CHECK: :7:1: note: `declare_device` names a function of code that is linked, which kernc does not do: write it in Python, and give `FILE.py:FUNCTION`
