# A ufunc and its methods are the host's: what needs one in a kernel is an error that says what to write instead, and host code that
# calls them is passed over.
# RUN: %kernc run %s plain x=ones:f32:2 --print x | %FileCheck --check-prefix=PLAIN %s
# PLAIN: x = [2.0, 2.0]
# RUN: %exits 1 %kernc run %s reduced x=ones:f32:2 --grid 1 2>&1 | %FileCheck --check-prefix=REDUCE %s
# REDUCE: fail_ufunc_methods.py:[[#]]:12: error[E0471]: `add.reduce` is what `@vectorize` makes for the host to call; in a kernel write a loop; `total = cuda.Reduce(f)` of the plain function is a kernel that joins an array
# REDUCE: note: `add` is defined here
# RUN: %exits 1 %kernc run %s pairs x=ones:f32:2 --grid 1 2>&1 | %FileCheck --check-prefix=OUTER %s
# OUTER: error[E0471]: `add.outer` is what `@vectorize` makes for the host to call; give each thread a pair, `i, j = cuda.grid(2)`, and store to `out[i, j]`
# RUN: %exits 1 %kernc run %s called x=ones:f32:2 --grid 1 2>&1 | %FileCheck --check-prefix=CALL %s
# CALL: error[E0471]: `add` is what `@vectorize` makes for the host to call; a kernel calls a device function, `@cuda.jit(device=True)`, of the same body
# RUN: %exits 1 %kernc run %s general x=ones:f32:2 --grid 1 2>&1 | %FileCheck --check-prefix=GENERAL %s
# GENERAL: error[E0471]: `double` is what `@guvectorize` makes for the host to call
# RUN: %exits 1 %kernc run %s of_numpy x=ones:f32:2 --grid 1 2>&1 | %FileCheck --check-prefix=NUMPY %s
# NUMPY: error[E0316]: {{.*}} has no attribute `accumulate`
# NUMPY: note: write a loop in which each element takes what the one before it has
#
# Without types too.
# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck --check-prefix=CHECK %s
# CHECK-DAG: error[E0471]: `add.reduce`
# CHECK-DAG: error[E0471]: `add.outer`
# CHECK-DAG: error[E0471]: `add` is
# CHECK-DAG: error[E0403]: `total` is a value of the host that kernc cannot compute; give it with `-D total=VALUE`
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
# REPORT-DAG: plain: compiles
# REPORT-DAG: needs: needs values -D total=VALUE
# REPORT-DAG: reduced: unsupported
# REPORT-DAG: called: unsupported
#
# A value that the host computes by one is given; its method is no kernel.
# RUN: %exits 1 %kernc run %s needs x=ones:f32:2 --grid 1 2>&1 | %FileCheck --check-prefix=NEEDS %s
# NEEDS: error[E0403]: `total` is a value of the host that kernc cannot compute; give it with `-D total=VALUE`
# RUN: %kernc run %s needs x=ones:f32:2 --grid 1 -D total=3 --print x | %FileCheck --check-prefix=GIVEN %s
# GIVEN: x = [3.0, 1.0]
# RUN: %exits 2 %kernc run %s add.reduce x=ones:f32:2 2>&1 | %FileCheck --check-prefix=METHOD %s
# METHOD: error[E0822]
# METHOD: note: `add.reduce` is a method of the host; in a kernel write a loop; `total = cuda.Reduce(f)` of the plain function is a kernel that joins an array
import numpy as np
from numba import cuda, float32, guvectorize, vectorize


@vectorize([float32(float32, float32)], target='cuda')
def add(x, y):
    return x + y


@guvectorize(['void(float32[:], float32[:])'], '(n)->(n)', target='cuda')
def double(x, out):
    for i in range(x.size):
        out[i] = x[i] * 2


values = np.arange(5, dtype=np.float32)
total = add.reduce(values)
steps = add.accumulate(values)
table = add.outer(values, values)
add.at(values, [0, 1], 5)


@cuda.jit
def plain(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit
def reduced(x):
    x[0] = add.reduce(x)


@cuda.jit
def pairs(x):
    x[0] = add.outer(x, x)[0, 1]


@cuda.jit
def called(x):
    x[0] = add(x[0], x[1])


@cuda.jit
def general(x):
    double(x, x)


@cuda.jit
def of_numpy(x):
    np.add.accumulate(x)


@cuda.jit
def needs(x):
    x[0] = total
