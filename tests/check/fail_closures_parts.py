# What is wrong inside of host code is said where it is asked for; a dict has the keys that it has.
# RUN: %exits 1 %kernc check %s --sig 'broken(float32[:])' 2>&1 | %FileCheck --check-prefix=BROKEN %s
# RUN: %exits 1 %kernc check %s --sig 'keyed(float32[:])' 2>&1 | %FileCheck --check-prefix=KEY %s
# RUN: %kernc check %s --sig 'good(float32[:])'
from numba import cuda

SIZES = {'rows': 4}


def make():
    @cuda.jit
    def broken(x):
        with x:
            pass

    @cuda.jit
    def good(x):
        x[0] = SIZES['rows']


@cuda.jit
def keyed(x):
    x[0] = SIZES['row']


# BROKEN: :12:9: error[E0423]: `broken` cannot be compiled: {{.*}}with
# KEY: :23:12: error[E0422]: `SIZES` has no key `'row'`
