# A kernel that cannot be parsed stops whoever needs it, and the output of the whole file, but no kernel beside it.
# RUN: %kernc run %s good x=zeros:i64:1 --grid 1 --block 1 --device=cpu --print x | %FileCheck --check-prefix=GOOD %s
# RUN: %exits 1 %kernc run %s bad x=zeros:i64:1 --grid 1 --block 1 --device=cpu 2>&1 | %FileCheck --check-prefix=BAD %s
# RUN: %exits 1 %kernc run %s calls x=zeros:i64:1 --grid 1 --block 1 --device=cpu 2>&1 | %FileCheck --check-prefix=CALLS %s
# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck --check-prefix=BAD %s
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
from numba import cuda

@cuda.jit
def bad(x):
    d = {}
    x[0] = 1

@cuda.jit
def good(x):
    x[0] = 2

@cuda.jit(device=True)
def helper(x):
    try:
        return x[0]
    except IndexError:
        return 0

@cuda.jit
def calls(x):
    x[0] = helper(x)

# GOOD: x = [2]
# BAD: :11:9: error[E0206]: a dict or set display is not part of Kern
# CALLS: error[E0460]: `helper` is a function of the host
# CALLS: note: it is passed over as host code: `try` is not part of Kern
# REPORT: bad: unsupported
