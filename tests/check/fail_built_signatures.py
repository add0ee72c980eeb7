# A signature that Python builds in another way says how to give it, by the name that is missing or by one of its own.
# RUN: %exits 1 %kernc run %s of_host x=ones:f32:1 2>&1 | %FileCheck --check-prefix=HOST %s
# HOST: fail_built_signatures.py:[[#]]:19: error[E0403]: `KIND` is a value of the host that kernc cannot compute; give it with `-D KIND=VALUE`
# RUN: %kernc run %s of_host x=ones:f32:1 -D KIND=float32 --grid 1
# RUN: %exits 1 %kernc run %s called x=ones:f32:1 2>&1 | %FileCheck --check-prefix=CALLED %s
# CALLED: fail_built_signatures.py:[[#]]:19: error[E0341]: `kind()` is not constant
# CALLED: fail_built_signatures.py:[[#]]:11: note: Python builds this signature: give it a name, `@cuda.jit(SIGNATURE)`, and its text by `-D SIGNATURE='void(float32[:])'`
# RUN: %exits 1 %kernc run %s replaced x=ones:f32:1 2>&1 | %FileCheck --check-prefix=METHOD %s
# METHOD: error[E0341]: `"void(T[:])".replace("T", KINDS)` is not constant
# METHOD: note: Python builds this signature
# RUN: %exits 1 %kernc run %s wide x=ones:f32:1 2>&1 | %FileCheck --check-prefix=WIDE %s
# WIDE: error[E0341]: `f"void({KINDS:>8}[:])"` is not constant
# WIDE: note: Python builds this signature: {{.*}}; kernc follows texts that are made of texts, integers and types by `+`, `%s`, `%d` and fields without a width, `{}`, `{0}`, `{name}`
# RUN: %exits 1 %kernc run %s array x=ones:f32:1 2>&1 | %FileCheck --check-prefix=ARRAY %s
# ARRAY: error[E0341]: `"void(%s)" % float32[:]` is not constant
# ARRAY: note: Python builds this signature
# RUN: %exits 1 %kernc run %s written x=ones:f32:1 2>&1 | %FileCheck --check-prefix=WRITTEN %s
# WRITTEN: fail_built_signatures.py:[[#]]:11: error[E0206]: an f-string with more than values in its fields is not part of Kern
import os

from numba import cuda, float32

KIND = os.environ["KIND"]
KINDS = "float32"


def kind():
    return os.environ["KIND"]


@cuda.jit(f"void({KIND}[:])")
def of_host(x):
    x[0] = 1


@cuda.jit(f"void({kind()}[:])")
def called(x):
    x[0] = 1


@cuda.jit("void(T[:])".replace("T", KINDS))
def replaced(x):
    x[0] = 1


@cuda.jit(f"void({KINDS:>8}[:])")
def wide(x):
    x[0] = 1


@cuda.jit("void(%s)" % float32[:])
def array(x):
    x[0] = 1


@cuda.jit(f"void({KINDS!s}[:])")
def written(x):
    x[0] = 1
