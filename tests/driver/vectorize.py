# A function of @vectorize is a kernel over arrays: they broadcast, and the first signature counts that every input
# converts to safely.
# RUN: %kernc run %s scaled a=arange:f32:2x3 b=[10,20,30] --print out | %FileCheck --check-prefix=SHAPES %s
# SHAPES: out = {{\[}}[10.0, 21.0, 32.0], [13.0, 24.0, 35.0]]
# RUN: %kernc run %s scaled a=arange:f32:3x1 b=arange:f32:2 --print out | %FileCheck --check-prefix=OUTER %s
# OUTER: out = {{\[}}[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
# RUN: %kernc run %s scaled a=arange:f64:3 b=2.5 -o out=%t.npy --print out | %FileCheck --check-prefix=SCALAR %s
# SCALAR: out = [2.5, 3.5, 4.5]
# RUN: %kernc run %s scaled a=2 b=3 --print out | %FileCheck --check-prefix=ONE %s
# ONE: out = [5.0]
# RUN: %kernc run %s kinds a=arange:i16:3 --print out | %FileCheck --check-prefix=KINDS %s
# KINDS: out = [1, 2, 3]
# RUN: %kernc run %s kinds a=arange:i64:3 --print out | %FileCheck --check-prefix=FLOAT %s
# FLOAT: out = [1.0, 2.0, 3.0]
# RUN: %kernc run %s untyped a=arange:i32:4 b=full:i32:4:8 --print out | %FileCheck --check-prefix=UNTYPED %s
# UNTYPED: out = [0.0, 0.125, 0.25, 0.375]
# RUN: %kernc run %s three x=ones:f32:1x2x1 out=arange:f32:2 --print out_ | %FileCheck --check-prefix=NAMES %s
# NAMES: out_ = {{\[}}{{\[}}[0.0, 1.0], [0.0, 1.0]]]
# RUN: %kernc run %s scaled a=arange:f32:4 b=ones:f32:4 out=zeros:f32:4 --grid 1 --block 1 --print out | %FileCheck --check-prefix=STRIDE %s
# STRIDE: out = [1.0, 2.0, 3.0, 4.0]
# RUN: not %kernc run %s scaled a=arange:f32:4 b=ones:f32:3 2>&1 | %FileCheck --check-prefix=MISFIT %s
# MISFIT: error[E0827]: argument `b=ones:f32:3`: its shape does not broadcast with those before it
# RUN: not %kernc run %s host a=ones:f32:3 2>&1 | %FileCheck --check-prefix=HOST %s
# HOST: error[E0892]: `@vectorize` makes no kernel of `host`: it makes code for the host; ask for a kernel by `target='cuda'`
#
# RUN: not %kernc run %s three x=ones:f64:2 out=ones:f32:2 2>&1 | %FileCheck --check-prefix=NO-TYPE %s
# NO-TYPE: error[E0870]: no signature of `three` takes (float64, float32); it has (float32, float32)
#
# A launch from C++ has the types of the signatures; --sig gives those of other ranks.
# RUN: %kernc %s -o %t.kern.hpp && grep -o "/// scaled(a: f32.*" %t.kern.hpp | %FileCheck --check-prefix=TYPES %s
# TYPES: /// scaled(a: f32[:], b: f32[:], out: f32[:])
# RUN: %kernc %s --sig 'scaled(float32[:,:], float32[:,:], float32[:,:])' -o %t.sig.kern.hpp && grep -o "/// scaled(a: f32.*" %t.sig.kern.hpp | %FileCheck --check-prefix=SIG %s
# SIG: /// scaled(a: f32[:, :], b: f32[:, :], out: f32[:, :])
import numba as nb
from numba import vectorize, float32, float64


@vectorize(['float32(float32, float32)', 'float64(float64, float64)'], target='cuda')
def scaled(a, b):
    return a + b


@nb.vectorize([nb.int32(nb.int32), float64(float64)], target='cuda')
def kinds(a):
    return a + 1


@vectorize(target='cuda')
def untyped(a, b):
    return a / b


@vectorize([float32(float32, float32)], target='cuda')
def three(x, out):
    return x * out


@vectorize(['float32(float32)'])
def host(a):
    return a
