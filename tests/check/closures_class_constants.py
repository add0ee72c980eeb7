# Constants of classes and members of enumerations.
# RUN: %kernc run %s k x=zeros:int64:6 --grid=1 --block=1 --device=cpu --print x | %FileCheck %s
from enum import Enum, IntEnum, auto

from numba import cuda, int64


class Config:
    N = 4
    dtype = int64
    SIZE = N * 2


class Color(IntEnum):
    RED = 1
    GREEN = 2


class Shape(Enum):
    ROUND = auto()
    FLAT = auto()


@cuda.jit
def k(x):
    s = cuda.local.array(Config.N, Config.dtype)
    x[0] = Config.SIZE
    x[1] = Color.GREEN
    x[2] = Color.RED.value
    x[3] = Color.GREEN == Color.RED
    x[4] = Shape.FLAT.value
    s[0] = len(s)
    x[5] = s[0]


# CHECK: 8{{.*}}2{{.*}}1{{.*}}0{{.*}}2{{.*}}4
