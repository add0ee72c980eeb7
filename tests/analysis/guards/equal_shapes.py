# RUN: %kernc %s -Wno-race -Wno-neighbour_load --emit=guards --target=cuda -o - | %FileCheck %s
# Facts that a launch can meet with arrays of equal shapes: a constant index asks for so many elements, and a neighbour
# of what an earlier guard let through for no array longer than another.
from numba import cuda


# CHECK-LABEL: constants: 4 of 4 proved
# CHECK-DAG: taken where a.shape[0] >= 5
# CHECK-DAG: taken where b.shape[0] >= 3
@cuda.jit("void(float32[:], float32[:])")
def constants(a, b):
    a[0] = b[2]
    b[0] = a[4]


# CHECK-LABEL: neighbours: {{[0-9]+ of [0-9]+}} proved
# CHECK-NOT: .shape[0] + 4
@cuda.jit("void(float32[:], float32[:])")
def neighbours(a, b):
    i = cuda.grid(1)
    if i >= 2:
        a[i - 2] = b[i + 2]
        b[i - 2] = a[i + 2]


# Behind several tests of one number the tightest counts, and a test for a constant comes before a looser one. (Both
# parts of k, those of the block and of the thread, may be 1, as far as their ranges tell: 5 where 4 would do.)
# CHECK-LABEL: tightest: 8 of 8 proved
# CHECK-DAG: taken where u.shape[0] >= n
# CHECK-DAG: taken where u.shape[0] >= 5
# CHECK-NOT: n + 1
# CHECK-LABEL: constants$v1
@cuda.jit("void(float32[:], int32)")
def tightest(u, n):
    k = cuda.grid(1)
    if k < 1 or k > n - 2:
        return
    if k == 1:
        u[k] = u[k + 2]
    elif k == n - 3:
        u[k] = u[k + 1]
    elif k == n - 2:
        u[k] = 1.0
    else:
        u[k] = u[k + 2] + u[k - 1]
