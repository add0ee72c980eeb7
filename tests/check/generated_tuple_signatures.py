# A signature that is a tuple gives the parameters of a generalized function; one of an elementwise function then has
# no result, and is none.
# RUN: %kernc run %s scaled a=arange:f32:4x3 b=ones:f32:3 --print c | %FileCheck %s
# RUN: %kernc check %s
from numba import cuda, float32, from_dtype, guvectorize, vectorize
import numpy as np


@guvectorize([(float32[:], float32[:], float32[:])], "(n),(n)->(n)", target="cuda")
def scaled(a, b, c):
    for i in range(a.shape[0]):
        c[i] = 2 * a[i] + b[i]


def of_dates():
    date = from_dtype(np.dtype("datetime64[D]"))

    @vectorize([(date, date)], target="cuda")
    def difference(start, end):
        return end - start


# CHECK: c = {{\[}}[1.0, 3.0, 5.0],
