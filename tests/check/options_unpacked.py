# **options of a decorator, flags, and values in dicts.
# RUN: %kernc %s --emit=ir -Wno-option | %FileCheck %s
# RUN: %kernc check %s 2>&1 | %FileCheck --check-prefix=WARN %s
import os

from numba import cuda

FAST = {'fastmath': True}
SIZES = {'rows': 4, 'columns': 5, 'name': os.name}


@cuda.jit('void(float32[:])', **FAST)
def fast(x):
    x[0] = SIZES['rows'] + SIZES['columns']


@cuda.jit('void(float32[:])', **dict(max_registers=32))
def few(x):
    x[0] = 1


@cuda.jit('void(float32[:])', **os.environ)
def unknown(x):
    x[0] = 1


# CHECK: kernel fast(
# CHECK: fast_math
# CHECK: kernel few(
# CHECK: max_registers
# WARN: warning[W0725]: `**os.environ` has no effect: kernc does not know what it holds; write the options here
