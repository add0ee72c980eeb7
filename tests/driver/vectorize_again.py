# A notebook defines a function again: each kernel calls the function that it was made of.
# RUN: %kernc run %s add a=2 b=3 --print out | %FileCheck %s
# CHECK: out = [6.0]
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
# REPORT: files 1, kernels 2: compiles 2
import numpy as np
from numba import vectorize


@vectorize(['float64(float64, float64)'], target='cuda')
def add(a, b):
    return a + b


add(np.ones(4), 1)


@vectorize(['float64(float64, float64)'], target='cuda')
def add(a, b):
    return a * b
