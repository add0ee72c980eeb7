# A function that `@vectorize` makes a kernel of is Kern's business: what is wrong in it or its decorator is said.
# RUN: not %kernc check %s 2>&1 | %FileCheck %s
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
import numba as nb
import numpy as np
from numba import guvectorize, vectorize


# CHECK: :[[#@LINE + 1]]:12: error[E0206]: a list comprehension is not part of Kern
@vectorize([f"{t}({t}, {t})" for t in ("float32", "float64")], target="cuda")
def added(a, b):
    return a + b


@guvectorize(["void(float32[:], float32[:])"], "(n)->(n)", target='cuda')
def copied(a, out):
    # CHECK: :[[#@LINE + 1]]:14: error[E0206]: a list comprehension is not part of Kern
    values = [a[i] for i in range(3)]
    out[0] = values[0]


@nb.vectorize(["float32(float32)"],
              # CHECK: :[[#@LINE + 1]]:21: error[E0206]
              other=[t for t in ()],
              target="cuda")
def of_module(a):
    return a


GPU = "cuda"
CPU = "cpu"


# CHECK: :[[#@LINE + 1]]:12: error[E0206]
@vectorize([f"{t}({t})" for t in ("float32", "float64")], target=GPU)
def by_name(a):
    return a


# What is for the host stays so.
@vectorize([f"{t}({t})" for t in ("float32", "float64")], target=CPU)
def by_another_name(a):
    return a


@vectorize([f"{t}({t})" for t in ("float32", "float64")])
def on_host(a):
    return a


@np.vectorize
def of_numpy(a):
    return [each for each in (a, "cuda")]


# CHECK-NOT: error
# REPORT: added: unsupported
# REPORT: by_name: unsupported
