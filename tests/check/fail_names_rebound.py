# RUN: %exits 1 %kernc %s --sig 'f(float64[:])' 2>&1 | %FileCheck %s
# RUN: %kernc %s --sig 'f(float64[:])' -D A=1 -D B=1 -D C=1 -D D=1 -D E=1 -D G=1 -D H=1 -D L=(1,) -D M=(1,) -D O=1 -D P=1 -D Q=1 --emit=ir | %FileCheck --check-prefix=GIVEN %s
# What host code may bind or change is a value of the host, whatever it was first: E0403, with the place.
import sys
from numba import cuda

A = B = C = D = E = G = H = O = P = Q = 3
L = [1, 2]
M = [3]
if sys.argv:
    A = 4
for B in sys.argv:
    pass
with open("name") as C:
    pass
del D
print((E := sys.argv))
def setup():
    global G
    G = 9
sys.setprofile(setup)
class Later:
    def set(self):
        global H
        H = 9
sys.argv.append(Later())
sys.argv.append(L)
M[len(sys.argv)] = 7
match sys.argv:
    case (O, 3):
        pass
P, *rest = sys.argv
try:
    from nowhere import Q
except ImportError:
    Q = 5

@cuda.jit
def f(x):
    x[0] = A
    x[0] = B
    x[0] = C
    x[0] = D
    x[0] = E
    x[0] = G
    x[0] = H
    x[0] = L[0]
    x[0] = M[0]
    x[0] = O
    x[0] = P
    x[0] = Q
# CHECK: error[E0403]: `A` is a value of the host that kernc cannot compute; give it with `-D A=VALUE`
# CHECK: :11:5: note: `A` is bound here, in a block of which kernc does not know whether it runs
# CHECK: error[E0403]: `B`
# CHECK: error[E0403]: `C`
# CHECK: error[E0401]: `D` is not defined
# CHECK: error[E0403]: `E`
# CHECK: error[E0403]: `G`
# CHECK: note: `G` {{is|may be}} bound here
# CHECK: error[E0403]: `H`
# CHECK: error[E0403]: `L`
# CHECK: :27:1: note: `L` may be changed from here on
# CHECK: error[E0403]: `M`
# CHECK: error[E0403]: `O`
# CHECK: error[E0403]: `P`
# CHECK: error[E0467]: `Q` comes from `nowhere`
# GIVEN: store x[0] = 1.0
