# A function of @guvectorize is called for each part of its arrays; what stands in front of the axes of the layout broadcasts.
# RUN: %kernc run %s matmul A=arange:f32:2x3 B=arange:f32:3x2 --print C | %FileCheck --check-prefix=ONE %s
# ONE: C = {{\[}}[10.0, 13.0], [28.0, 40.0]]
# RUN: %kernc run %s matmul A=arange:f32:2x2x3 B=arange:f32:3x2 --print C | %FileCheck --check-prefix=MANY %s
# MANY: C = {{\[}}{{\[}}[10.0, 13.0], [28.0, 40.0]], {{\[}}[46.0, 67.0], [64.0, 94.0]]]
# RUN: %kernc run %s shift x=arange:i32:3 y=5 --print res | %FileCheck --check-prefix=SHIFT %s
# SHIFT: res = [5, 6, 7]
# RUN: %kernc run %s shift x=arange:i32:3 y=[1,2] --print res | %FileCheck --check-prefix=LIST %s
# LIST: res = {{\[}}[1, 2, 3], [2, 3, 4]]
# RUN: %kernc run %s total x=arange:f64:2x4 --print sum | %FileCheck --check-prefix=TOTAL %s
# TOTAL: sum = [6.0, 22.0]
# RUN: %kernc run %s bare x=arange:f32:3 res=zeros:f32:3 --print res | %FileCheck --check-prefix=BARE %s
# BARE: res = [0.0, 2.0, 4.0]
# RUN: not %kernc run %s matmul A=arange:f32:2x3 B=arange:f32:2x3 2>&1 | %FileCheck --check-prefix=MISFIT %s
# MISFIT: the contract of kernel `matmul` does not hold
# RUN: not %kernc run %s matmul A=arange:f32:3 B=arange:f32:2x3 2>&1 | %FileCheck --check-prefix=RANK %s
# RANK: error[E0827]: argument `A=arange:f32:3`: it has 1 axes, and the layout names 2 of it
# RUN: not %kernc run %s bare x=arange:f32:3 2>&1 | %FileCheck --check-prefix=GIVE %s
# GIVE: error[E0827]: argument `res`: nothing says its type; give the array
from numba import guvectorize, int32, float64


@guvectorize(['void(float32[:,:], float32[:,:], float32[:,:])'], '(m,n),(n,p)->(m,p)', target='cuda')
def matmul(A, B, C):
    m, n = A.shape
    n, p = B.shape
    for i in range(m):
        for j in range(p):
            C[i, j] = 0
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]


@guvectorize([(int32[:], int32, int32[:])], '(n),()->(n)', target='cuda')
def shift(x, y, res):
    for i in range(x.shape[0]):
        res[i] = x[i] + y


@guvectorize([(float64[:], float64[:])], '(n)->()', target='cuda')
def total(x, sum):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    sum[0] = s


@guvectorize('(n)->(n)', target='cuda')
def bare(x, res):
    for i in range(x.shape[0]):
        res[i] = x[i] * 2
