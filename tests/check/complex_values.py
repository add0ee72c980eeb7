# Complex constants of the top level are Python's; a kernel takes them, and cmath in every form of its import.
# RUN: %kernc run %s k z=[1+2j] w=zeros:c128:9 x=zeros:f64:6 --grid 1 --block 1 --print w --print x | %FileCheck %s
# RUN: %kernc %s --sig 'k(complex128[::1], complex128[::1], float64[::1])' -o %t.ptx
# CHECK: w = [-3.0+4.0j, 0.0-1.0j, 2.0+1.0j, 1.0-2.0j, -0.5-0.0j, 0.0+1.0j, 0.0+0.0j, 2.5+0.0j, 1.0+2.0j]
# CHECK: x = [1.0, 2.0, 5.0, 1.5, 0.0, 1.0]
import cmath
import cmath as cm
from cmath import phase, pi, sqrt as root

import numpy as np
from numba import cuda

SQUARE = (1 + 2j) ** 2
TWIDDLE = cmath.exp(-1j * cmath.pi / 2)
TYPED = np.complex64(2) + 1j
PAIR = (0.5 + 0j, -0.5j * 1j)
HALF = complex(1, 2).conjugate()


@cuda.jit
def k(z, w, x):
    w[0] = SQUARE
    w[1] = complex(0, round(TWIDDLE.imag, 3))
    w[2] = TYPED
    w[3] = HALF
    w[4] = -PAIR[0] * abs(1j)
    w[5] = root(-1 + 0j)
    w[6] = z[0] / 0j
    w[7] = cm.polar(2.5)[0] * (1 + 0j)
    w[8] = np.conj(np.conjugate(z[0]))
    x[0] = z[0].real
    x[1] = z[0].imag
    x[2] = abs(3 - 4j)
    x[3] = PAIR[0].real + 1
    x[4] = phase(z[0]) - cmath.phase(z[0])
    x[5] = 1.0 if cmath.isnan(complex(cmath.nan, 1)) and not cm.isinf(z[0]) and pi > 3 else 0.0
