# RUN: %kernc run %s scaled x=arange:f32:3 --print out | %FileCheck --check-prefix=SCALED %s
# RUN: %kernc run %s wide x=arange:f32:3 --print out | %FileCheck --check-prefix=WIDE %s
# A decorator generates a kernel in the clauses of other statements, too.
import math
from numba import vectorize

FACTOR = 2

if math.pi > 3:
    @vectorize(["float32(float32)"], target="cuda")
    def scaled(x):
        return x * FACTOR

for WIDTH in (2, 4):
    @vectorize(["float32(float32)"], target="cuda")
    def wide(x):
        return x + WIDTH

# SCALED: out = [0.0, 2.0, 4.0]
# WIDE: out = [4.0, 5.0, 6.0]
