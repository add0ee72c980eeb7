# RUN: %kernc run %s plain --grid=1 --block=1 o=zeros:i64:12 --print o | %FileCheck --check-prefix=PLAIN %s
# RUN: %kernc run %s by_type --grid=1 --block=1 x=arange:f32:6 m=arange:i32:2x3 o=zeros:i64:14 --print o | %FileCheck --check-prefix=TYPES %s
# RUN: %kernc run %s tuples --grid=1 --block=1 o=zeros:i64:8 --print o | %FileCheck --check-prefix=TUPLES %s
# RUN: %kernc check --numba-report %s | %FileCheck --check-prefix=REPORT %s
# REPORT: compiles 3, needs values 0, unsupported 0
# What `@overload(f)` stands above is given the types of a call of `f`, and returns the function to compile.
import numpy as np
from numba import cuda, types
from numba.extending import overload
from numba.cuda import extending

FACTOR = 3


def get_42():
    raise NotImplementedError()


@overload(get_42, target="cuda", inline="always")
def ol_get_42():
    """Its docstring."""
    def impl():
        a = cuda.local.array(1, dtype=np.float32)
        a[0] = 42.0
        return a[0]

    return impl


def scaled(x):
    pass


@extending.overload(scaled)
def ol_scaled(x):
    return lambda x: x * FACTOR


# The parameters are the overload's, whatever those of the function are.
def with_defaults():
    pass


@overload(with_defaults, jit_options={"fastmath": True}, strict=False)
def ol_with_defaults(out, x, y=5, z=6):
    def impl(out, x, y=5, z=6):
        out[2], out[3] = x + y, z

    return impl


# One for this target comes before one for any; one for another target is none.
def of_targets(x):
    pass


@overload(of_targets, target="generic")
def ol_of_targets_generic(x):
    def impl(x):
        x[4] = 23

    return impl


@overload(of_targets, target="cuda")
def ol_of_targets_cuda(x):
    def impl(x):
        x[4] += 29
        scaled_in_place(x)

    return impl


@overload(of_targets, target="cpu")
def ol_of_targets_cpu(x):
    return 1


def scaled_in_place(x):
    pass


@overload(scaled_in_place)
def ol_scaled_in_place(x):
    def impl(x):
        x[4] *= FACTOR

    return impl


# A function of a module that kernc does not know.
@overload(np.flip)
def ol_flip(a):
    return lambda a: a[::-1]


# It may return the function itself.
def itself(a):
    return a + 1


@overload(itself)
def ol_itself(a):
    return itself


def first_row(a):
    pass


@overload(first_row, inline="always")
def ol_first_row(a):
    def impl(a):
        return a[:1]

    return impl


@cuda.jit
def plain(o):
    o[0] = get_42()
    o[1] = scaled(7)
    with_defaults(o, 1, z=2)
    of_targets(o)
    o[5] = itself(4)
    t = np.flip(o)
    t[0] = 11
    s = first_row(o)
    s[0] += 1

    o[6] = scaled(scaled(1))
# PLAIN: o = [43, 21, 6, 2, 87, 5, 9, 0, 0, 0, 0, 11]


def kind(x):
    pass


@overload(kind)
def ol_kind(x):
    if isinstance(x, types.Array) and x.ndim == 1:
        if x.dtype == types.float32:
            return lambda x: 10
        return lambda x: 11
    elif isinstance(x, types.Array):
        if isinstance(x.dtype, types.Integer):
            def code(x):
                return 12

            return code
        else:
            return None
    if isinstance(x, types.Boolean):
        return lambda x: 13
    if x is types.int32 or x in (types.int16, types.uint8):
        return lambda x: 14
    if x == types.float64:
        def code(x):
            return 15
    elif isinstance(x, types.Integer):
        bits = x.bitwidth

        def code(x):
            return bits
    elif isinstance(x, (types.Float, types.Complex)):
        return lambda x: 17
    else:
        return
    return code


# The first that returns a function counts.
@overload(kind)
def ol_kind_of_none(x):
    if x is None:
        return lambda x: 18


def optional(x, y=None, z=2):
    pass


@overload(optional)
def ol_optional(x, y=None, z=2):
    if not isinstance(x, types.Number):
        raise TypeError("a number")
    if y is None:
        return lambda x, y=None, z=2: x + z
    has_four = z == 4

    def impl(x, y=None, z=2):
        if has_four:
            return 0
        return x + y * z

    return impl


@cuda.jit
def by_type(x, m, o):
    o[0] = kind(x)
    o[1] = kind(o)
    o[2] = kind(m)
    o[3] = kind(x[0] > 1)
    o[4] = kind(m[0, 0])
    o[5] = kind(1.5)
    o[6] = kind(2)
    o[7] = kind(x[1])
    o[8] = kind(None)
    o[9] = kind(np.uint16(3))
    o[10] = optional(1)
    o[11] = optional(1, 5)
    o[12] = optional(1, z=3)
    o[13] = optional(1, z=3, y=10)
# TYPES: o = [10, 11, 12, 13, 14, 15, 64, 17, 18, 16, 3, 11, 4, 31]


def shape_of(t):
    pass


@overload(shape_of)
def ol_shape_of(t):
    if isinstance(t, types.UniTuple) and isinstance(t.dtype, types.Integer):
        n = t.count
        return lambda t: 100 + n
    if isinstance(t, types.BaseTuple) and len(t) > 2:
        return lambda t: 200
    if isinstance(t, types.Tuple) and isinstance(t[0], types.Float):
        return lambda t: 300
    if t == types.Tuple((types.int64, types.float64)):
        return lambda t: 400


def first(b):
    pass


@overload(first)
def ol_first(b):
    b_is_tuple = isinstance(b, (types.Tuple, types.UniTuple))

    def impl(b):
        if b_is_tuple is True:
            b = b[0]
        return b

    return impl


# An overload may call what it is of, with other types each time.
def weighed(*args):
    pass


@overload(weighed)
def ol_weighed(*args):
    if len(args) == 0:
        def impl(*args):
            return 0
    elif isinstance(args[0], types.Integer):
        def impl(*args):
            return 1 + weighed(*args[1:])
    else:
        def impl(*args):
            return 100 + weighed(*args[1:])
    return impl


@cuda.jit
def tuples(o):
    o[0] = shape_of((1, 2))
    o[1] = shape_of((1, 2.0, 3))
    o[2] = shape_of((1.0, 2))
    o[3] = shape_of((1, 2.0))
    o[4] = first((7, 8))
    o[5] = first(9)
    o[6] = weighed(1, 2.0, 3)
    o[7] = weighed()
# TUPLES: o = [102, 200, 300, 400, 7, 9, 102, 0]
