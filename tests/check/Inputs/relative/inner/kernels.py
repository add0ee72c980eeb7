from numba import cuda
from .. import EPS, DEPTH, helper
from ..helper import scaled as by_name
from .. import deep as d
from . import near


@cuda.jit
def k(o):
    o[0] = EPS
    o[1] = helper.scaled(2)
    o[2] = by_name(3)
    o[3] = d.DEPTH
    o[4] = near.NEAR
    o[5] = DEPTH
