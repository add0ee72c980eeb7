# A kernel with a written signature runs with its types, as in Numba: scalars become them, arrays must have them.
# RUN: %kernc run %s one a=ones:f32:3 n=2 s=1 --print a | %FileCheck --check-prefix=LITERAL %s
# LITERAL: a = [0.5, 0.5, 0.5]
# RUN: %kernc run %s one a=ones:f32:3 n=int8:2 s=int64:1 --print a | %FileCheck --check-prefix=LITERAL %s
# RUN: %exits 2 %kernc run %s one a=ones:f32:3 n=2.5 s=1 2>&1 | %FileCheck --check-prefix=DIGITS %s
# DIGITS: run_signature.py:[[#ONE:]]:11: error[E0828]: argument `n` is 2.5, which does not fit, and the parameter takes i32
# RUN: %exits 2 %kernc run %s one a=ones:f32:3 n=float32:2 s=1 2>&1 | %FileCheck --check-prefix=REAL %s
# REAL: error[E0828]: argument `n` is the scalar float32:2, and the parameter takes i32
# RUN: %exits 2 %kernc run %s one a=ones:f64:3 n=2 s=1 2>&1 | %FileCheck --check-prefix=ARRAY %s
# ARRAY: error[E0828]: argument `a` is an array f64 (3,), and the parameter takes f32[:]
# RUN: %exits 2 %kernc run %s one a=ones:f32:3x3 n=2 s=1 2>&1 | %FileCheck --check-prefix=RANK %s
# RANK: error[E0828]: argument `a` is an array f32 (3, 3), and the parameter takes f32[:]
#
# Of several signatures the nearest counts.
# RUN: %kernc run %s several a=ones:i32:2 s=7.5 --print a | %FileCheck --check-prefix=FLOATS %s
# FLOATS: a = [3, 3]
# RUN: %kernc run %s several a=ones:i32:2 s=7 --print a | %FileCheck --check-prefix=WHOLE %s
# WHOLE: a = [3, 3]
# RUN: %kernc run %s several a=ones:f64:2 s=7 --print a | %FileCheck --check-prefix=WIDE %s
# WIDE: a = [3.5, 3.5]
# RUN: %exits 2 %kernc run %s several a=ones:i16:2 s=7 2>&1 | %FileCheck --check-prefix=NONE %s
# NONE: error[E0828]: argument `a` is an array i16 (2,), and the parameter takes
#
# RUN: %kernc run %s given a=ones:i32:2 --print a | %FileCheck --check-prefix=GIVEN %s
# GIVEN: a = [2, 2]
# RUN: %exits 2 %kernc run %s given a=ones:i64:2 2>&1 | %FileCheck --check-prefix=ALIAS %s
# ALIAS: error[E0828]: argument `a` is an array i64 (2,), and the parameter takes i32[:]
from numba import cuda, int32

typed = cuda.jit("void(int32[:])")


@cuda.jit("void(float32[:], int32, float64)")
def one(a, n, s):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s / n


@cuda.jit(["void(int32[:], float64)", "void(int32[:], int64)", "void(float64[:], float64)"])
def several(a, s):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s / 2


@typed
def given(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * 2
