"""The cases: their data, who computes what of them, and whether a result is right. Data are the same on every device: a mixed count.

Numbers that are added are whole ones around 0, whose sums are exact in f32 in any order, so that a result is right or wrong.
"""
import dataclasses
import functools
import math
from typing import Callable

from gpu import device_wide as sequences

SEED = 7
RUN = 8  # elements of a run of equal keys, on average
SEGMENT = 1000
TOP = 1000


@dataclasses.dataclass
class Plan:
    outputs: list
    kern: Callable  # of a host: the steps
    peer: tuple  # the function of device_wide_peers.cu and .cpp, and its arrays
    check: Callable  # of the contender: whether the outputs are right
    bytes: int  # that cross the memory at least: each input read once, each output written once
    cpu_peer: tuple = ()  # of device_wide_peers.cpp, where that of the GPU is another


def mixed(xp, n):
    """SplitMix64's words (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014)."""
    z = xp.arange(1, n + 1, dtype="uint64") * xp.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> xp.uint64(shift))) * xp.uint64(factor)
    return z ^ (z >> xp.uint64(31))


def words(xp, n):
    return (mixed(xp, n) >> xp.uint64(32)).astype("uint32")


def whole(xp, n):
    """From -8 to 8."""
    return (mixed(xp, n) % xp.uint64(17)).astype("float32") - xp.float32(8)


def reals(xp, n):
    """In [-0.5, 0.5)."""
    return (mixed(xp, n) >> xp.uint64(40)).astype("float32") * xp.float32(2**-24) - xp.float32(0.5)


def runs(xp, n):
    """Keys of which neighbours are equal."""
    return xp.cumsum((mixed(xp, n) % xp.uint64(RUN) == 0).astype("uint32"), dtype="uint32")


def heads(xp, keys):
    """The indices where runs begin."""
    return xp.concatenate([xp.zeros(1, "int64"), xp.flatnonzero(keys[1:] != keys[:-1]) + 1])


def same(xp, *pairs):
    return all(bool(xp.array_equal(one, other)) for one, other in pairs)


def stands_in(xp, contender):
    """Whether a contender does something else: a peer on a GPU, where the libraries have no such function."""
    return contender == "peer" and xp.__name__ == "cupy"


def reduce(xp, n):
    x, out = whole(xp, n), xp.zeros(1, "float32")
    return Plan([out], lambda host: sequences.reduction(host, "reduce", 2, x, out), ("reduce", [x, out]),
                lambda _: float(out[0]) == float(x.sum(dtype="float64")), 4 * n)


def argmin(xp, n):
    x, value, place = reals(xp, n), xp.zeros(1, "float32"), xp.zeros(1, "int64")
    return Plan([value, place], lambda host: sequences.reduction(host, "argmin", 4, x, value, place), ("argmin", [x, value, place]),
                lambda _: int(place[0]) == int(xp.argmin(x)) and float(value[0]) == float(x.min()), 4 * n)


def scan(xp, n):
    x, y = whole(xp, n), xp.zeros(n, "float32")
    return Plan([y], lambda host: sequences.one_pass(host, "scan", "scan", 1, x, y), ("scan", [x, y]),
                lambda _: same(xp, (y, xp.cumsum(x, dtype="float64"))), 8 * n)


def selection(xp, kernel, peer, x, wanted):
    y, count = xp.zeros(x.size, "uint32"), xp.zeros(1, "int64")
    return Plan([y, count], lambda host: sequences.one_pass(host, "select", kernel, 1, x, y, count), (peer, [x, y, count]),
                lambda _: int(count[0]) == wanted.size and same(xp, (y[:wanted.size], wanted)), 4 * (x.size + wanted.size))


def select(xp, n):
    x = words(xp, n)
    return selection(xp, "copy_if", "select_even", x, x[x % 2 == 0])


def unique(xp, n):
    x = runs(xp, n)
    return selection(xp, "unique", "unique", x, x[heads(xp, x)])


def histogram(xp, n):
    x, counts = (mixed(xp, n) >> xp.uint64(56)).astype("uint8"), xp.zeros(256, "uint32")
    return Plan([counts], lambda host: sequences.histogram(host, x, counts), ("histogram", [x, counts]),
                lambda _: same(xp, (counts, xp.bincount(x, minlength=256))), n)


def segmented(xp, n):
    count = n // SEGMENT
    x, offsets, out = whole(xp, n), xp.arange(count + 1, dtype="int32") * xp.int32(SEGMENT), xp.zeros(count, "float32")
    return Plan([out], lambda host: sequences.segmented(host, x, offsets, out), ("segmented", [x, offsets, out]),
                lambda _: same(xp, (out, x[:count * SEGMENT].reshape(count, SEGMENT).sum(axis=1))), 4 * (n + 2 * count))


def by_key(xp, n):
    keys, x, keys_out, out, count = runs(xp, n), whole(xp, n), xp.zeros(n, "uint32"), xp.zeros(n, "float32"), xp.zeros(1, "int64")
    first = heads(xp, keys)

    def check(_):
        sums = xp.concatenate([xp.zeros(1), xp.cumsum(x, dtype="float64")])
        ends = xp.concatenate([first[1:], xp.full(1, n)])
        return int(count[0]) == first.size and same(xp, (keys_out[:first.size], keys[first]), (out[:first.size], sums[ends] - sums[first]))
    return Plan([keys_out, out, count], lambda host: sequences.one_pass(host, "by_key", "reduce_by_key", 2, keys, x, keys_out, out, count),
                ("by_key", [keys, x, keys_out, out, count]), check, 8 * (n + first.size))


def transpose(xp, n):
    side = math.isqrt(n)
    x, y = reals(xp, side * side).reshape(side, side), xp.zeros((side, side), "float32")
    return Plan([y], lambda host: sequences.transpose(host, x, y), ("copy", [x, y]),
                lambda contender: same(xp, (y, x if stands_in(xp, contender) else x.T)), 8 * side * side, ("transpose", [x, y]))


def sort(module, keys):
    def make(xp, n):
        x = keys(xp, n)
        out, wanted = xp.zeros_like(x), functools.cache(lambda: xp.sort(x))
        return Plan([out], lambda host: sequences.sort(host, module, x, out), (module, [x, out]),
                    lambda _: same(xp, (out, wanted())), 2 * x.nbytes)
    return make


def sort_pairs(xp, n):
    keys, places = words(xp, n), xp.arange(n, dtype="uint32")
    keys_out, places_out = xp.zeros(n, "uint32"), xp.zeros(n, "uint32")

    def check(_):
        # Keys that ascend with their own places, which ascend among equal keys: that is all there is to a stable order.
        pairs = keys_out.astype("uint64") << xp.uint64(32) | places_out
        return same(xp, (keys_out, keys[places_out])) and bool((pairs[1:] > pairs[:-1]).all())
    return Plan([keys_out, places_out], lambda host: sequences.sort(host, "sort_u32", keys, keys_out, places, places_out),
                ("sort_pairs", [keys, places, keys_out, places_out]), check, 16 * n)


def merge_sort(xp, n):
    x, out = reals(xp, n), xp.zeros(n, "float32")
    wanted = functools.cache(lambda: xp.sort(x))
    return Plan([out], lambda host: sequences.merge_sort(host, x, out), ("merge_sort", [x, out]), lambda _: same(xp, (out, wanted())), 8 * n)


def top_k(xp, n):
    k, x, all_places = min(TOP, n), reals(xp, n), xp.arange(n, dtype="uint32")
    out, places, sorted_keys, sorted_places = (xp.zeros(size, dtype) for size, dtype in ((k, "float32"), (k, "int64"), (n, "float32"), (n, "uint32")))
    wanted = functools.cache(lambda: xp.sort(x))

    def check(contender):
        if stands_in(xp, contender):
            return same(xp, (sorted_keys, wanted()[::-1]))
        return same(xp, (out, x[places]), (xp.sort(out), wanted()[n - k:])) and bool((places[1:] > places[:-1]).all())
    return Plan([out, places, sorted_keys, sorted_places], lambda host: sequences.top_k(host, x, out, places),
                ("sort_descending", [x, all_places, sorted_keys, sorted_places]), check, 4 * n, ("top_k", [x, out, places]))


def random(kind, dtype):
    """By its moments: that every number is the right one is what tests/stdlib/random.test checks."""
    scale, mean, spread = {"bits": (2**32, 0.5, 12**-0.5), "uniform": (1, 0.5, 12**-0.5), "normal": (1, 0, 1)}[kind]

    def make(xp, n):
        out = xp.zeros(n, dtype)
        return Plan([out], lambda host: sequences.random_numbers(host, kind, out, SEED), (f"random_{kind}", [out]),
                    lambda _: all(abs(float(of(out.astype("float64"))) / scale - wanted) < 6 / math.sqrt(n)
                                  for of, wanted in ((xp.mean, mean), (xp.std, spread))), 4 * n)
    return make


CASES = {
    "reduce f32": reduce,
    "argmin f32": argmin,
    "scan f32": scan,
    "select u32, half": select,
    f"unique u32, runs of {RUN}": unique,
    "histogram u8": histogram,
    f"segmented reduce f32, {SEGMENT} each": segmented,
    f"reduce by key u32 f32, runs of {RUN}": by_key,
    "transpose f32": transpose,
    "sort u32": sort("sort_u32", words),
    "sort f32": sort("sort_f32", reals),
    "sort u64": sort("sort_u64", mixed),
    "sort pairs u32 u32": sort_pairs,
    "merge sort f32": merge_sort,
    f"top {TOP} f32": top_k,
    "random bits u32": random("bits", "uint32"),
    "random uniform f32": random("uniform", "float32"),
    "random normal f32": random("normal", "float32"),
}
LARGEST = {"sort pairs u32 u32": 1 << 26, "merge sort f32": 1 << 26}  # else what is asked for
