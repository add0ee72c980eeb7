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
# NONE: run_signature.py:[[#]]:11: error[E0828]: argument `a` is an array i16 (2,), and the parameter takes i32[:]
# NONE: note: nor does (i32[:], f64) take them: `a` is an array i16 (2,)
# NONE: note: nor does (f64[:], f64) take them: `a` is an array i16 (2,)
# RUN: %exits 2 %kernc run %s several a=ones:f64:2 s=1j 2>&1 | %FileCheck --check-prefix=REASONS %s
# REASONS: error[E0828]: argument `s` is 1j, which does not fit, and the parameter takes f64
# REASONS: note: nor does (i32[:], f64) take them: `a` is an array f64 (2,)
# REASONS: note: nor does (i32[:], i64) take them: `a` is an array f64 (2,)
# RUN: %exits 2 %kernc run %s many a=ones:i16:2 2>&1 | %FileCheck --check-prefix=MANY %s
# MANY-COUNT-8: note: nor does (
# MANY: note: nor do 2 more
# An integer takes the type that holds it rather than one of its own width that rounds it.
# RUN: %kernc run %s width a=ones:f64:1 s=int32:16777217 --print a | %FileCheck --check-prefix=WIDTH %s
# WIDTH: a = [16777217.0]
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


@cuda.jit(["void(int8[:])", "void(int32[:])", "void(int64[:])", "void(uint8[:])", "void(uint16[:])", "void(uint32[:])", "void(uint64[:])",
           "void(float32[:])", "void(float64[:])", "void(complex64[:])", "void(complex128[:])"])
def many(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 1


@cuda.jit(["void(float64[:], float32)", "void(float64[:], float64)"])
def width(a, s):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s


@typed
def given(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * 2
