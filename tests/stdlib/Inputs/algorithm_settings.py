"""Calls of the library's algorithms that a seed draws: arrays, and settings with what they compute in NumPy."""
import pathlib

import numpy as np

functions = pathlib.Path(__file__).resolve().parent / "operations_to_pass.kern"
SIGNED, UNSIGNED, FLOATS = ("i1", "i2", "i4", "i8"), ("u1", "u2", "u4", "u8"), ("f4", "f8")
INTEGERS = SIGNED + UNSIGNED
NUMBERS = INTEGERS + FLOATS
ALL = ("?",) + NUMBERS
EDGES = (0, 1, 2, 31, 33, *(tile + d for tile in (1024, 2048, 2816, 4096, 8192) for d in (-1, 0, 1)), 3 * 8192 + 5)
EXTENTS = (1, 2, 3, 4, 31, 32, 33, 255, 256, 257)
LONG = (1999, 2000, 2001, 3000, 8193)


class Case:
    """One call: its arguments, its settings and what its arrays must hold afterwards."""

    def __init__(self, seed, number):
        self.number = number
        self.random = np.random.default_rng([seed, number])
        self.words = {}         # of the arguments by their names: arrays or text
        self.settings = {}
        self.wanted = {}        # by name: an array and how far a result may be from it
        self.required = []      # arguments that cannot be left out
        self.sized = []         # arrays of which one element more is an error
        self.integral = []      # arrays of integers, of which floats are an error
        self.typed = []         # results that have the type of a source
        self.whole = []         # results of which no element is left over, so that their shapes are known
        self.shaped = []        # arrays of which another shape is an error
        self.behind = {}        # by name of a result: an index, and what must still stand from there on
        self.code = 0

    def one_of(self, values):
        return values[self.random.integers(len(values))]

    def chance(self, part):
        return self.random.random() < part

    def size(self):
        return int(self.one_of(EDGES)) if self.chance(0.6) else int(self.random.integers(30000))

    def numbers(self, dtype, n, most=None, special=True):
        """Draws n elements; `most` bounds integers to both sides of 0, and `special` lets floats be NaN, infinite and -0.0."""
        dtype, random = np.dtype(dtype), self.random
        kind = self.one_of(("wide", "wide", "few", "equal", "sorted", "reversed"))
        if dtype.kind == "b":
            x = random.integers(0, 2, n).astype(bool)
        elif dtype.kind == "f":
            x = random.normal(size=n).astype(dtype) if kind != "few" else random.integers(-3, 4, n).astype(dtype)
            if special and self.chance(0.5):
                x = np.where(random.random(n) < 0.1, random.choice([np.nan, -0.0, 0.0, np.inf, -np.inf], n), x).astype(dtype)
        else:
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            bound = most if most is not None else high // 2 if dtype == np.int64 else high
            if kind == "few":
                bound = min(bound, 3)
            x = random.integers(max(low, -bound - 1), min(high, bound), n, dtype, endpoint=True)
        if kind == "equal":
            x[:] = x[:1]
        elif kind in ("sorted", "reversed"):
            x = x[order(x)]
        return np.ascontiguousarray(x[::-1]) if kind == "reversed" else x

    def source(self, name, value, sized=False):
        """Gives an argument that is read."""
        self.words[name] = value
        self.required.append(name)
        if sized:
            self.sized.append(name)
        return value

    def place(self, name, n, dtype, made=True, sized=True):
        """Gives an array of n elements, or of a shape, for a result, or leaves that to kernc where `made` allows it; returns what
        the array holds before."""
        dtype = np.dtype(dtype)
        if made and self.chance(0.5):
            return np.zeros(n, dtype)
        self.words[name] = self.random.integers(0, 100, n).astype(dtype)
        if sized:
            self.sized.append(name)
        return self.words[name]

    def want(self, name, value, tolerance=0):
        self.wanted[name] = (np.asarray(value), tolerance)

    def result(self, name, value, made=True, sized=True, tolerance=0, n=None):
        """Gives an array for a result of which every element is known: what lies behind the value in one of n elements stays."""
        before = self.place(name, value.shape if n is None else n, value.dtype, made, sized)
        self.want(name, np.concatenate([value, before[len(value):]]), tolerance)
        self.whole.append(name)

    def begin(self, name, n, value, size, tolerance=0, made=True):
        """Gives an array of n elements for a result that begins with a value; where there is a size, what lies behind that stays."""
        before = self.place(name, n, value.dtype, made, sized=False)
        self.want(name, value, tolerance)
        if "size" in self.words:
            self.behind[name] = (size, before[size:])

    def counted(self, name, values, made=True):
        """Gives an array of i64 for counts of a call."""
        self.result(name, np.array(values, np.int64), made)
        self.integral.append(name)

    def indices(self, name, value, n, kinds=INTEGERS):
        """Gives an array for indices, of a type of integer that holds those of n elements."""
        if self.chance(0.5):
            self.result(name, value.astype(np.int64))
        else:
            self.result(name, value.astype(self.one_of([kind for kind in kinds if np.iinfo(kind).max >= n])), made=False)
        self.integral.append(name)

    def command(self, kernc, folder, options):
        """Saves the arrays and returns the words of the command."""
        words = [kernc, "run", f"std:{self.module}", self.algorithm]
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in self.words.items():
            if isinstance(value, np.ndarray):
                np.save(folder / f"{name}.npy", value)
                value = f"@{folder / name}.npy"
            words.append(f"{name}={value}")
        for name, value in self.settings.items():
            words += ["-D", f"{name}={value}"]
        for name in self.wanted if not self.code else ():
            (folder / f"{name}.result.npy").unlink(missing_ok=True)
            words += ["-o", f"{name}={folder / name}.result.npy"]
        return words + options

    def spoil(self):
        """Makes the call wrong in one way."""
        ways = [("missing", name) for name in self.required] + [("unknown", name) for name in self.words]
        ways += [("size", name) for name in self.sized if len(self.sized) > 1] + [("type", name) for name in self.integral if name in self.words]
        ways += [("type of a source", name) for name in self.typed if name in self.words] + [("setting", ""), ("algorithm", "")]
        ways += [("shape", name) for name in self.shaped if name in self.words]
        ways += [("axis", name) for name in ("AXIS", "AXES") if name in self.settings]
        way, name = self.one_of(ways)
        if way == "missing":
            del self.words[name]
        elif way == "unknown":
            self.words[f"{name}_"] = self.words.pop(name)
        elif way == "size":
            self.words[name] = np.resize(self.words[name], self.words[name].size + 1)
        elif way == "type":
            self.words[name] = self.words[name].astype(np.float32)
        elif way == "type of a source":
            self.words[name] = self.words[name].astype(np.complex64)
        elif way == "shape":
            x = self.words[name]
            # The axes the other way round, or where that is the same shape an element more.
            self.words[name] = np.ascontiguousarray(x.T) if x.shape != x.shape[::-1] else np.resize(x, x.size + 1)
        elif way == "axis":
            self.settings[name] = self.one_of((4, -5)) if name == "AXIS" else self.one_of(("(0, 0)", "(0, 1, 2, 3, 4, 5, 6)", "1"))
        elif way == "setting":
            self.settings["NO_SUCH"] = 1
        else:
            self.algorithm += "_"
        self.code = 2


def order(keys, descending=False):
    """Returns the indices that sort stably, in either order with NaN last."""
    if keys.dtype.kind == "f":
        numbers, others = np.flatnonzero(keys == keys), np.flatnonzero(keys != keys)
        return np.concatenate([numbers[order_of_numbers(keys[numbers], descending)], others])
    return order_of_numbers(keys, descending)


def order_of_numbers(keys, descending):
    if descending:
        return len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
    return np.argsort(keys, kind="stable")


def wide(dtype):
    """Returns the type of a sum, and of the arrays that kernc makes for what is computed: of a word a word, of other integers i64, of floats theirs."""
    dtype = np.dtype(dtype)
    return dtype if dtype.kind == "f" or dtype in (np.uint32, np.uint64) else np.dtype(np.int64)


def differs(a, b):
    """Says which neighbours differ as `==` has it, so that a NaN differs from itself."""
    return a != b


def heads(keys, same):
    """Returns where runs of equal neighbours begin."""
    return np.flatnonzero(np.concatenate([np.ones(min(len(keys), 1), bool), differs(same(keys[1:]), same(keys[:-1]))]))


def compose(f, g):
    """Does what `compose` of operations_to_pass.kern does, for arrays."""
    low, half = np.uint64((1 << 32) - 1), np.uint64(32)
    return ((f >> half) * (g >> half) & low) << half | ((f & low) * (g >> half) + g & low)


class Joined:
    """An operation for elements of a type: its text, its start, and what it makes of the elements up to each, of arrays along their
    last axis."""

    def __init__(self, case, dtype, starts=True, ordered=True):
        self.case, self.dtype, self.type = case, np.dtype(dtype), wide(dtype)
        kinds = ["add", "a + b", "larger", "smaller", "max(a, b)"]
        if self.dtype.kind in "iu":
            kinds += ["a | b", "a ^ b", "a & b"]
        if self.dtype in (np.uint32, np.float32):
            kinds += ["multiply"]
        if ordered:
            kinds += ["b", "compose"] if self.dtype == np.uint64 else ["b"]
        self.kind = case.one_of(kinds)
        self.start = self.draw_start() if starts else None
        text = f"{functions}:compose" if self.kind == "compose" else self.kind
        if self.kind != "add" or case.chance(0.3):
            case.settings["OPERATION"] = text
        if starts and (self.start != 0 or case.chance(0.2)):
            value = self.start
            case.settings["START"] = f"{'-' if value < 0 else ''}math.inf" if np.isinf(value) else value.item()
        self.commutes = self.kind not in ("b", "compose")
        self.made = self.type == wide(dtype)

    def becomes(self, type):
        """Changes the type of the result, where elements become others before they are joined."""
        self.made = self.made and type == self.type
        self.type, self.start = type, type.type(self.start)

    def draw_start(self):
        """Draws what all operations but these get by: the least that there is for a maximum, all bits for `&`."""
        if self.kind in ("larger", "max(a, b)", "smaller") and self.dtype.kind == "f":
            return self.type.type(np.inf if self.kind == "smaller" else -np.inf)
        if self.kind == "a & b":
            return self.type.type(np.iinfo(self.dtype).max if self.dtype.kind == "u" else -1)
        if self.kind == "compose":
            return self.type.type(1 << 32)
        return self.type.type(self.case.one_of((0, 0, 1, 100) if self.dtype.kind != "b" or self.kind in ("add", "a + b") else (0, 1)))

    def data(self, n):
        """Draws n elements, or those of a shape, whose sums fit and whose products are exact."""
        if self.kind == "multiply" and self.dtype.kind == "f":
            return self.case.random.choice([1.0, -1.0], n).astype(self.dtype)
        return self.case.numbers(self.dtype, int(np.prod(n)), 1 << 40 if self.dtype == np.int64 else None).reshape(n)

    def inclusive(self, x):
        """Returns what the operation makes of x[..., 0] up to each element."""
        x = x.astype(self.type)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.kind in ("add", "a + b"):
                sums = np.cumsum(x, -1, dtype=np.longdouble if self.type.kind == "f" else self.type)
                return sums.astype(self.type)
            if self.kind == "b":
                return x
            if self.kind == "compose":
                for i in range(1, x.shape[-1]):
                    x[..., i] = compose(x[..., i - 1], x[..., i])
                return x
            joined = {"larger": np.fmax, "max(a, b)": np.fmax, "smaller": np.fmin, "multiply": np.multiply,
                      "a | b": np.bitwise_or, "a ^ b": np.bitwise_xor, "a & b": np.bitwise_and}
            return joined[self.kind].accumulate(x, -1, dtype=self.type) if x.size else x

    def started(self, x):
        """Returns what the operation makes of the start and x[..., 0] up to each element, the start itself before them."""
        return self.inclusive(np.concatenate([np.full(x.shape[:-1] + (1,), self.start, self.type), x.astype(self.type)], -1))

    def exclusive(self, x):
        return self.started(x)[..., :-1]

    def total(self, x):
        return self.started(x)[..., -1]

    def tolerance(self, x):
        """Returns how far a sum of floats in another order may be off, or a maximum, of which zeros may have either sign."""
        if self.type.kind != "f":
            return 0
        if self.kind not in ("add", "a + b"):
            return float(np.finfo(self.type).tiny)
        return sum_tolerance(x, self.type)


def sum_tolerance(x, type):
    """Returns how far the sums of the lines of x along the last axis may be off, in arithmetic of a type."""
    return float(np.where(np.isfinite(x), np.abs(x.astype(float)), 0).sum(-1).max(initial=0) + 100) * 16 * np.finfo(type).eps


def segments_joined(function, x, starts, type):
    """Returns `function` of each of the parts of x that begin at `starts`, one behind the other."""
    parts = [function(part) for part in np.split(x, starts[1:])] if len(starts) else []
    return np.concatenate([np.atleast_1d(part) for part in parts]).astype(type) if parts else np.zeros(0, type)


def draw_keep(case, x, name="KEEP", leave=0.3):
    """Draws a condition of an element."""
    kinds = [("x > 0", lambda v: v > 0), ("nonzero", lambda v: v != 0), ("x == x", lambda v: v == v)]
    if x.dtype.kind in "iu":
        kinds += [("x % 3 == 1", lambda v: v % 3 == 1), (f"{functions}:is_even", lambda v: v % 2 == 0)]
    text, function = case.one_of(kinds)
    if text != "nonzero" or not case.chance(leave):
        case.settings[name] = text
    return function(x)


def draw_same(case, dtype):
    """Draws when keys are equal: returns a function of keys whose results are compared."""
    kinds = [("equal", lambda v: v)]
    if np.dtype(dtype).kind in "iu":
        kinds += [("a // 10 == b // 10", lambda v: v // 10), (f"{functions}:same_tens", lambda v: v // 10)]
    if np.dtype(dtype).kind == "f":
        kinds += [("(a > 0) == (b > 0)", lambda v: v > 0)]
    text, function = case.one_of(kinds)
    if text != "equal" or case.chance(0.3):
        case.settings["EQUAL"] = text
    return function


def draw_runs(case, n):
    """Draws keys of a type that come in runs."""
    keys = case.numbers(case.one_of(ALL), n)
    return np.repeat(keys, case.random.integers(1, case.one_of((2, 4, 200, 5000)), n))[:n]


def draw_less(case, keys):
    """Draws a comparison: returns the keys, without those that it is no order of, and a function of them that gives the order."""
    kinds = [("less", order, True), ("greater", lambda v: order(v, True), True)]
    kinds += [("a > b", lambda v: order(v, True), False)]
    if keys.dtype.kind != "b":
        kinds += [("abs(a) < abs(b)", lambda v: order(np.abs(v.astype(wide(v.dtype)))), False)]
    if keys.dtype.kind in "iu":
        kinds += [("a % 10 < b % 10", lambda v: order(v % 10), True), (f"{functions}:tens_less", lambda v: order(v // 10), True)]
    text, function, any_keys = case.one_of(kinds)
    case.settings["LESS"] = text
    return (keys if any_keys else np.where(keys == keys, keys, 1).astype(keys.dtype)), function


def draw_order(case, keys):
    """Draws the order of a sort."""
    way = case.one_of(("ascending", "descending", "less", "bits"))
    if way == "less":
        return draw_less(case, keys)
    descending = way == "descending" or (way == "bits" and case.chance(0.3))
    if descending:
        case.settings["DESCENDING"] = True
    if way == "bits" and keys.dtype.kind in "iu":
        bits = 8 * keys.dtype.itemsize
        begin = int(case.random.integers(bits))
        end = int(case.random.integers(begin + 1, bits, endpoint=True))
        case.settings.update({"BEGIN_BIT": begin, "END_BIT": end})
        # The bits are those of words in the order of the numbers, so that the sign of negative ones is turned round.
        flip = np.array(1 << (bits - 1) if keys.dtype.kind == "i" else 0, f"u{bits // 8}")
        mask = np.array(2 ** (end - begin) - 1, flip.dtype)
        return keys, lambda v: order((v.view(flip.dtype) ^ flip) >> flip.dtype.type(begin) & mask, descending)
    return keys, lambda v: order(v, descending)


def draw_values(case, n):
    """Draws values that tell whether a sort is stable, and any others."""
    return np.arange(n, dtype=np.int32) if case.chance(0.5) else case.numbers(case.one_of(ALL), n)


def draw_offsets(case, n):
    """Draws where segments begin and end, some of them empty, now and then with elements in none."""
    ends = np.sort(case.random.integers(0, n, case.one_of((0, 1, 5, 40, 300)), endpoint=True))
    offsets = ends if len(ends) and case.chance(0.2) else np.concatenate([[0], ends, [n]])
    return offsets.astype(case.one_of([kind for kind in INTEGERS if np.iinfo(kind).max >= n]))


def draw_input(case, x):
    """Draws what elements become before they are joined."""
    kinds = [("x", lambda v: v)]
    if x.dtype.kind in "iuf":
        kinds += [("x > 0", lambda v: v > 0), ("x * x", lambda v: v * v), (f"{functions}:square_at", lambda v: v * v)]
    text, function = case.one_of(kinds)
    if text == "x":
        return x
    case.settings["INPUT"] = text
    with np.errstate(over="ignore"):
        return function(x.astype(wide(x.dtype)))


def draw_size(case, n):
    """Draws, now and then, how many of n elements there are, for an array that the device reads; returns that, n where there is none."""
    if not case.chance(0.35):
        return n
    size = int(case.one_of((0, 1, n // 2, n, case.random.integers(n, endpoint=True))))
    case.words["size"] = np.array([min(size, n)])
    case.integral.append("size")
    case.sized.append("size")
    if case.chance(0.1):
        case.words["size"] = np.array([case.one_of((-1, n + 1, -1 << 63, 1 << 62))])
        case.code = 4
    return min(size, n)


def draw_shape(case, most=1 << 16):
    """Draws a shape and one of its axes: few long lines along it, many short ones, and what lies between."""
    rank = int(case.one_of((1, 2, 2, 3, 3, 4)))
    shape, axis = [1] * rank, int(case.random.integers(rank))
    for place in case.random.permutation(rank):
        extents = LONG if place == axis and case.chance(0.25) else EXTENTS
        shape[place] = 0 if case.chance(0.04) else int(case.one_of([extent for extent in extents if extent <= most] or [1]))
        most //= max(shape[place], 1)
    return tuple(shape), axis


def draw_axis(case, axis, rank):
    """Sets the axis that a call goes along, counted from either side."""
    case.settings["AXIS"] = axis - rank if case.chance(0.5) else axis


def draw_order_of_axes(case, x, *sides):
    """Returns an array in C or in Fortran order. Each of the `sides`, pairs of axes, must lie without gaps: now and then one does not, which
    is an error."""
    fortran = np.asfortranarray(x)
    if fortran.flags.c_contiguous or not case.chance(0.3):
        return x
    if any(sum(extent > 1 for extent in x.shape[first:last]) > 1 for first, last in sides):
        if not case.chance(0.1):
            return x
        case.code = 2
    return fortran


def each_line(function, x):
    """Returns an array with each of its lines along the last axis made another by a function of one."""
    result = np.empty_like(x)
    for line in np.ndindex(x.shape[:-1]):
        result[line] = function(x[line])
    return result
