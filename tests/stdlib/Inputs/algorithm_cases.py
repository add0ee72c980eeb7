"""Each algorithm of the library as a function that draws the rest of a case: its arguments, and what they hold afterwards."""
import numpy as np

from algorithm_settings import (ALL, INTEGERS, NUMBERS, SIGNED, Case, Joined, draw_input, draw_keep, draw_less, draw_offsets, draw_order,
                                draw_runs, draw_same, draw_values, heads, made_type, order, segments_joined, wide)


def reduce(case):
    dtype = case.one_of(ALL)
    joined = Joined(case, dtype)
    x = case.source("x", joined.data(case.size()))
    if not joined.commutes:
        case.settings["COMMUTES"] = False
    given = x
    if joined.kind in ("add", "a + b") and case.chance(0.4):
        if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
            x = case.source("x", x % 1000)
        given = draw_input(case, x)
    if given.dtype != x.dtype:
        joined.becomes(wide(given.dtype))
    case.result("out", np.array([joined.total(given)], joined.type), joined.made, tolerance=joined.tolerance(given))


def arg_extreme(case, least):
    x = case.source("x", case.numbers(case.one_of(NUMBERS), case.size()))
    if len(x) == 0:
        # There is no least element of none.
        case.code = 2
        return
    place = np.argmin(x) if least else np.argmax(x)
    case.result("value", x[place:place + 1])
    case.counted("place", [place])


def argmin(case):
    arg_extreme(case, True)


def argmax(case):
    arg_extreme(case, False)


def scan(case, inclusive):
    joined = Joined(case, case.one_of(ALL), starts=not inclusive)
    x = case.source("x", joined.data(case.size()))
    case.result("y", joined.inclusive(x) if inclusive else joined.exclusive(x), joined.made, tolerance=joined.tolerance(x))


def inclusive_scan(case):
    scan(case, True)


def exclusive_scan(case):
    scan(case, False)


def scan_by_key(case, inclusive):
    n = case.size()
    keys = case.source("keys", draw_runs(case, n), sized=True)
    same = draw_same(case, keys.dtype)
    joined = Joined(case, case.one_of(ALL), starts=not inclusive)
    x = case.source("x", joined.data(n), sized=True)
    y = segments_joined(joined.inclusive if inclusive else joined.exclusive, x, heads(keys, same), joined.type)
    case.result("y", y, joined.made, tolerance=joined.tolerance(x))


def inclusive_scan_by_key(case):
    scan_by_key(case, True)


def exclusive_scan_by_key(case):
    scan_by_key(case, False)


def reduce_by_key(case):
    n = case.size()
    keys = case.source("keys", draw_runs(case, n), sized=True)
    same = draw_same(case, keys.dtype)
    joined = Joined(case, case.one_of(ALL), starts=False)
    x = case.source("x", joined.data(n), sized=True)
    starts = heads(keys, same)
    case.place("out", n, joined.type, joined.made, sized=False)
    case.want("out", segments_joined(lambda part: joined.inclusive(part)[-1], x, starts, joined.type), joined.tolerance(x))
    case.counted("count", [len(starts)])
    case.place("keys_out", n, keys.dtype, sized=False)
    # Of keys that only count as equal any one may stand for the run.
    if "EQUAL" not in case.settings:
        case.want("keys_out", keys[starts])


def run_length_encode(case):
    x = case.source("x", draw_runs(case, case.size()))
    starts = heads(x, draw_same(case, x.dtype))
    case.place("values", len(x), x.dtype, sized=False)
    if "EQUAL" not in case.settings:
        case.want("values", x[starts])
    case.place("lengths", len(x), np.int64, sized=False)
    case.want("lengths", np.diff(np.append(starts, len(x))))
    case.counted("count", [len(starts)])


def select(case, names, parts, counts):
    """Gives an array for each part that a selection moves."""
    n = max([len(part) for part in parts] + [len(case.words[case.required[0]])])
    for name, part in zip(names, parts):
        case.place(name, n, part.dtype, sized=False)
        case.typed.append(name)
        case.want(name, part)
    case.counted("count", counts)


def copy_if(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size()))
    kept = x[draw_keep(case, x)]
    select(case, ["y"], [kept], [len(kept)])


def copy_flagged(case):
    n = case.size()
    x = case.source("x", case.numbers(case.one_of(ALL), n), sized=True)
    flags = case.source("flags", case.random.integers(0, case.one_of((1, 2, 100)), n).astype(case.one_of(ALL)), sized=True)
    kept = x[flags != 0]
    select(case, ["y"], [kept], [len(kept)])


def partition(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size()))
    keeps = draw_keep(case, x)
    select(case, ["y", "rest"], [x[keeps], x[~keeps]], [keeps.sum()])


def unique(case):
    x = case.source("x", draw_runs(case, case.size()))
    starts = heads(x, draw_same(case, x.dtype))
    select(case, ["y"], [x[starts]], [len(starts)])


def unique_by_key(case):
    n = case.size()
    keys = case.source("keys", draw_runs(case, n), sized=True)
    values = case.source("values", case.numbers(case.one_of(ALL), n), sized=True)
    starts = heads(keys, draw_same(case, keys.dtype))
    select(case, ["keys_out", "values_out"], [keys[starts], values[starts]], [len(starts)])


def partition_three(case):
    x = case.source("x", case.numbers(case.one_of(NUMBERS), case.size()))
    first = draw_keep(case, x, "FIRST", leave=0)
    case.settings.setdefault("FIRST", "nonzero")
    second = draw_keep(case, x, "SECOND") & ~first
    select(case, ["y", "z", "rest"], [x[first], x[second], x[~first & ~second]], [first.sum(), second.sum()])


def sort(case):
    keys, in_order = draw_order(case, case.numbers(case.one_of(ALL), case.size()))
    result = keys[in_order(keys)]
    if case.chance(0.5):
        case.source("keys", keys)
        case.want("keys", result)
    else:
        case.source("keys", keys, sized=True)
        case.result("keys_out", result, made=False)
        case.typed.append("keys_out")


def sort_by_key(case):
    n = case.size()
    keys, in_order = draw_order(case, case.numbers(case.one_of(ALL), n))
    case.source("keys", keys, sized=True)
    values = case.source("values", draw_values(case, n), sized=True)
    places = in_order(keys)
    if case.chance(0.5):
        case.want("keys", keys[places])
        case.want("values", values[places])
    else:
        case.result("keys_out", keys[places], made=False)
        case.result("values_out", values[places], made=False)
        case.typed += ["keys_out", "values_out"]


def argsort(case):
    keys, in_order = draw_order(case, case.numbers(case.one_of(ALL), case.size()))
    case.source("keys", keys)
    case.indices("indices", in_order(keys), len(keys))


def top_k(case):
    n = case.size()
    keys = case.source("keys", case.numbers(case.one_of(NUMBERS), n))
    largest = case.chance(0.6)
    if not largest:
        case.settings["LARGEST"] = False
    k = case.one_of((0, min(n, 1), min(n, 10), n // 2, n))
    places = np.sort(order(keys, largest)[:k])
    case.result("keys_out", keys[places], made=False)
    case.typed.append("keys_out")
    case.indices("indices_out", places, n)


def segmented_start(case, x):
    n = len(x)
    offsets = draw_offsets(case, n)
    if case.chance(0.3):
        case.settings["BY_BLOCK"] = True
    case.integral.append("offsets")
    return case.source("offsets", offsets), [(int(a), int(b)) for a, b in zip(offsets, offsets[1:])]


def segmented_reduce(case):
    joined = Joined(case, case.one_of(ALL), ordered=False)
    x = case.source("x", joined.data(case.size()))
    _, segments = segmented_start(case, x)
    case.result("out", np.array([joined.total(x[a:b]) for a, b in segments], joined.type), joined.made, tolerance=joined.tolerance(x))


def segmented_arg_extreme(case, least):
    x = case.source("x", case.numbers(case.one_of(NUMBERS), case.size()))
    _, segments = segmented_start(case, x)
    find = np.argmin if least else np.argmax
    places = np.array([find(x[a:b]) if a < b else -1 for a, b in segments], np.int64)
    values = case.place("values", len(segments), x.dtype).copy()
    for s, (a, b) in enumerate(segments):
        values[s] = x[a + places[s]] if a < b else values[s]
    case.want("values", values)
    # Segments without elements get -1.
    case.indices("indices", places, len(x), SIGNED)


def segmented_argmin(case):
    segmented_arg_extreme(case, True)


def segmented_argmax(case):
    segmented_arg_extreme(case, False)


def segmented_scan(case, inclusive):
    joined = Joined(case, case.one_of(ALL), starts=not inclusive)
    x = case.source("x", joined.data(case.size()), sized=True)
    _, segments = segmented_start(case, x)
    y = case.place("out", len(x), joined.type, joined.made).copy()
    for a, b in segments:
        y[a:b] = joined.inclusive(x[a:b]) if inclusive else joined.exclusive(x[a:b])
    case.want("out", y, joined.tolerance(x))


def segmented_inclusive_scan(case):
    segmented_scan(case, True)


def segmented_exclusive_scan(case):
    segmented_scan(case, False)


def segments_sorted(case, names):
    n = case.size()
    keys = case.numbers(case.one_of(ALL), n)
    keys, in_order = draw_less(case, keys)
    arrays = [case.source("keys", keys, sized=True)]
    if len(names) == 2:
        arrays.append(case.source("values", draw_values(case, n), sized=True))
    _, segments = segmented_start(case, keys)
    places = [a + in_order(keys[a:b]) for a, b in segments]
    for name, array in zip(names, arrays):
        result = case.place(name, n, array.dtype).copy()
        for (a, b), place in zip(segments, places):
            result[a:b] = array[place]
        case.want(name, result)


def segmented_sort(case):
    segments_sorted(case, ["keys_out"])


def segmented_sort_by_key(case):
    segments_sorted(case, ["keys_out", "values_out"])


def counts_of(case, counts):
    case.result("counts", counts.astype(case.one_of(("i4", "i8", "u4", "u8"))), made=False, sized=False)
    case.integral.append("counts")


def draw_bins(case):
    return int(case.one_of((1, 2, 10, 255, 8192, 8193, 20000)))


def histogram_even(case):
    samples = case.source("samples", case.numbers(case.one_of(NUMBERS), case.size(), 1000))
    low, high = case.one_of(((-1.0, 2.0), (0.0, 0.5), (-100.0, 1000.0)))
    case.source("low", repr(low))
    case.source("high", repr(high))
    bins = draw_bins(case)
    within = samples[(samples >= low) & (samples <= high)]
    counts_of(case, np.histogram(within, bins, (low, high))[0])


def histogram_edges(case):
    dtype = case.one_of(("i2", "i4", "f4", "f8"))
    samples = case.source("samples", case.numbers(dtype, case.size(), 1000))
    bins = draw_bins(case)
    edges = case.source("edges", np.sort(case.numbers(dtype, bins + 1, 1000, special=False)), sized=True)
    within = samples[(samples >= edges[0]) & (samples <= edges[-1])]
    counts_of(case, np.histogram(within, edges)[0])
    case.sized.append("counts")


def bincount(case):
    samples = case.source("samples", case.numbers(case.one_of(INTEGERS), case.size(), 10000))
    case.integral.append("samples")
    bins = draw_bins(case)
    within = samples[(samples >= 0) & (samples < bins)].astype(np.int64)
    counts_of(case, np.bincount(within, minlength=bins))


def searched(case, side):
    dtype = case.one_of(NUMBERS)
    table = case.numbers(dtype, case.size(), 1000)
    x = case.numbers(dtype, case.size(), 1000)
    if case.chance(0.3):
        table, x = table[table == table], np.where(x == x, x, 1).astype(dtype)
        case.settings["LESS"] = "a > b"
        case.source("sorted", np.sort(table)[::-1].copy())
        places = len(table) - np.searchsorted(np.sort(table), x, "right" if side == "left" else "left")
    else:
        places = np.searchsorted(case.source("sorted", np.sort(table)), x, side)
    case.source("x", x)
    case.indices("places", places, len(table))


def lower_bound(case):
    searched(case, "left")


def upper_bound(case):
    searched(case, "right")


def draw_unary(case, x):
    """Draws a function of an element and returns what it makes of all."""
    kinds = [("itself", lambda v: v)]
    if x.dtype.kind in "iuf":
        kinds += [("x * 2 + 1", lambda v: v.astype(wide(v.dtype)) * 2 + 1), ("-x", lambda v: -v.astype(wide(v.dtype))), ("x < 3", lambda v: v < 3)]
    text, function = case.one_of(kinds)
    if text != "itself" or case.chance(0.5):
        case.settings["UNARY"] = text
    with np.errstate(over="ignore"):
        return function(x)


def transform(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size(), 1 << 30), sized=True)
    result = draw_unary(case, x)
    case.result("out", result, result.dtype == made_type(x.dtype))


def transform_2(case):
    n = case.size()
    dtype = case.one_of(NUMBERS)
    x, y = (case.source(name, case.numbers(dtype, n, 1 << 30), sized=True) for name in ("x", "y"))
    kinds = [("multiply", np.multiply), ("larger", np.fmax), ("x + y", np.add), ("x - y", np.subtract), ("x < y", np.less)]
    text, function = case.one_of(kinds)
    if text != "multiply" or case.chance(0.5):
        case.settings["BINARY"] = text
    with np.errstate(all="ignore"):
        result = function(x.astype(wide(dtype)), y.astype(wide(dtype)))
    case.result("out", result, result.dtype == made_type(dtype), tolerance=np.finfo(result.dtype).tiny if result.dtype.kind == "f" else 0)


def draw_stencil(case, n):
    stencil = case.source("stencil", case.numbers(case.one_of(ALL), n), sized=True)
    return draw_keep(case, stencil, "PREDICATE")


def transform_if(case):
    n = case.size()
    x = case.source("x", case.numbers(case.one_of(ALL), n, 1 << 30), sized=True)
    keeps = draw_stencil(case, n)
    result = draw_unary(case, x)
    case.want("out", np.where(keeps, result, case.place("out", n, result.dtype, result.dtype == made_type(x.dtype))))


def adjacent_difference(case):
    x = case.source("x", case.numbers(case.one_of(NUMBERS), case.size(), 1 << 30), sized=True)
    y = x.astype(wide(x.dtype))
    text, function = case.one_of([("a - b", np.subtract), ("a + b", np.add)])
    if text != "a - b" or case.chance(0.5):
        case.settings["DIFFERENCE"] = text
    with np.errstate(all="ignore"):
        case.result("out", np.concatenate([y[:1], function(y[1:], y[:-1])]), y.dtype == made_type(x.dtype))


def fill(case):
    dtype = np.dtype(case.one_of(ALL))
    value = case.source("value", case.one_of(("True", "False") if dtype.kind == "b" else ("1", "0", "100")))
    case.result("out", np.full(case.size(), value == "True" if dtype.kind == "b" else int(value), dtype), made=False, sized=False)
    case.required.append("out")


def sequence(case):
    start, step = int(case.random.integers(-1000, 1000)), int(case.random.integers(-5, 6))
    case.source("start", str(start))
    case.source("step", str(step))
    case.result("out", (start + step * np.arange(case.size())).astype(case.one_of(("i4", "i8", "f4", "f8"))), made=False, sized=False)
    case.required.append("out")


def tabulate(case):
    i = np.arange(case.size())
    text, function = case.one_of([("itself", lambda v: v), ("i * i", lambda v: v * v), ("i % 7 == 0", lambda v: v % 7 == 0)])
    if text != "itself" or case.chance(0.5):
        case.settings["INDEXED"] = text
    case.result("out", function(i).astype("?" if "==" in text else case.one_of(("i4", "i8"))), made=False, sized=False)
    case.required.append("out")


def draw_index(case, value):
    return value.astype(case.one_of([kind for kind in INTEGERS if not len(value) or value.max() <= np.iinfo(kind).max]))


def gather(case):
    n = case.size() + 1
    x = case.source("x", case.numbers(case.one_of(ALL), n))
    index = case.source("index", draw_index(case, case.random.integers(0, n, case.size())), sized=True)
    case.integral.append("index")
    case.result("out", x[index])


def gather_if(case):
    n, m = case.size() + 1, case.size()
    x = case.source("x", case.numbers(case.one_of(ALL), n))
    index = case.source("index", draw_index(case, case.random.integers(0, n, m)), sized=True)
    keeps = draw_stencil(case, m)
    case.integral.append("index")
    case.want("out", np.where(keeps, x[index], case.place("out", m, x.dtype)))


def scatter(case):
    n = case.size()
    x = case.source("x", case.numbers(case.one_of(ALL), n), sized=True)
    index = case.source("index", draw_index(case, case.random.permutation(n)), sized=True)
    case.integral.append("index")
    result = case.place("out", n, x.dtype, False, sized=False).copy()
    result[index] = x
    case.want("out", result)


def scatter_if(case):
    n = case.size()
    x = case.source("x", case.numbers(case.one_of(ALL), n), sized=True)
    index = case.source("index", draw_index(case, case.random.permutation(n)), sized=True)
    case.integral.append("index")
    keeps = draw_stencil(case, n)
    result = case.place("out", n, x.dtype, False, sized=False).copy()
    result[index[keeps]] = x[keeps]
    case.want("out", result)


def reverse(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size()), sized=True)
    case.result("out", x[::-1])


def rotate(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size()), sized=True)
    middle = int(case.source("middle", str(case.random.integers(-40000, 40000))))
    case.result("out", np.roll(x, -middle) if len(x) else x)


def repeat(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size()), sized=False)
    times = int(case.source("times", str(case.random.integers(0, 4))))
    case.result("out", np.repeat(x, times), made=False)


def tile(case):
    x = case.source("x", case.numbers(case.one_of(ALL), case.size() + 1))
    case.result("out", np.resize(x, case.size()), made=False, sized=False)


def transpose(case):
    extents = [int(case.one_of((0, 1, 3, 63, 64, 65, 130))) for _ in range(2)]
    extents = [int(extent) for extent in case.random.integers(1, 4, case.one_of((0, 0, 1, 4)))] + extents
    src = case.source("src", case.numbers(case.one_of(ALL), int(np.prod(extents))).reshape(extents))
    dst = np.ascontiguousarray(np.swapaxes(src, -1, -2))
    case.words["dst"] = np.zeros_like(dst)
    case.want("dst", dst)


ALGORITHMS = {
    "reduce": (reduce, argmin, argmax),
    "scan": (inclusive_scan, exclusive_scan),
    "by_key": (inclusive_scan_by_key, exclusive_scan_by_key, reduce_by_key, run_length_encode),
    "select": (copy_if, copy_flagged, partition, unique, unique_by_key, partition_three),
    "sort": (sort, sort_by_key, argsort),
    "top_k": (top_k,),
    "segmented": (segmented_reduce, segmented_argmin, segmented_argmax, segmented_inclusive_scan, segmented_exclusive_scan,
                  segmented_sort, segmented_sort_by_key),
    "histogram": (histogram_even, histogram_edges, bincount),
    "searchsorted": (lower_bound, upper_bound),
    "transform": (transform, transform_2, transform_if, adjacent_difference, fill, sequence, tabulate),
    "gather": (gather, gather_if, scatter, scatter_if, reverse, rotate, repeat, tile),
    "transpose": (transpose,),
}
TABLE = [(module, function) for module, functions_of in ALGORITHMS.items() for function in functions_of]


def draw(seed, number):
    case = Case(seed, number)
    first = number < len(TABLE)
    case.module, function = TABLE[number] if first else case.one_of(TABLE)
    case.algorithm = function.__name__
    function(case)
    if not first and case.code == 0 and case.chance(0.25):
        case.spoil()
    return case
