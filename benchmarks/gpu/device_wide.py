"""The device-wide algorithms of the library: what is compiled of each module, and how the host launches it, as the module's docstring says.
This is the one place that knows grids, states, clears and the order of launches. Nothing here needs a package.

A sequence takes a host (`device_wide_hosts`) and arrays, and returns steps, functions without arguments that are called one after the other.
"""
import dataclasses
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent.parent
here = pathlib.Path(__file__).resolve().parent


def ceil_div(n, each):
    return -(-n // each)


@dataclasses.dataclass
class Module:
    source: str
    signatures: list
    defines: dict = dataclasses.field(default_factory=dict)
    constants: str = ""  # the module of the library whose constants say how large a tile is; without it that of the source


def radix_sort(key, pairs=False, counters=("u32",)):
    passes = [f"sort_pairs_pass({key}[:], u32[:], {key}[:], u32[:], u32[:, :], u32[:, :], i32)"] if pairs else []
    for count in counters:
        passes += [f"digit_counts({key}[:], {count}[:, :])", f"digit_starts({count}[:, :])",
                   f"sort_pass({key}[:], {key}[:], {count}[:, :], {count}[:, :], i32)"]
    return passes


def random(kind, number):
    return Module(str(here / "device_wide.kern"), [f"numbers({number}[:], u64)"], {"FILL": f"fill_{kind}"}, "random")


MODULES = {
    "reduce": Module("std:reduce", ["reduce(f32[:], f32[:], u64[:])", "argmin(f32[:], f32[:], i64[:], u64[:])"]),
    "scan": Module("std:scan", ["scan(f32[:], f32[:], u64[:])"]),
    "select": Module("std:select", ["copy_if(u32[:], u32[:], i64[:], u64[:])", "unique(u32[:], u32[:], i64[:], u64[:])"],
                     {"KEEP": f"{here / 'device_wide.kern'}:is_even"}),
    "histogram": Module("std:histogram", ["bincount_bytes(u32[:], u8[:], u32[:])"]),
    "segmented": Module("std:segmented", ["segmented_reduce(f32[:], i32[:], f32[:])"]),
    "by_key": Module("std:by_key", ["reduce_by_key(u32[:], f32[:], u32[:], f32[:], i64[:], u64[:])"], {"scan.ITEMS": 16, "scan.THREADS": 256, "BLOCKS": 5}, "scan"),
    "transpose": Module("std:transpose", ["transpose(f32[:, :], f32[:, :])"]),
    "sort_u32": Module("std:sort", radix_sort("u32", True, ("u32", "u64"))),
    "sort_f32": Module("std:sort", radix_sort("f32")),
    "sort_u64": Module("std:sort", radix_sort("u64"), {"ITEMS": 12}),
    "merge_sort": Module("std:merge_sort", ["block_sort(f32[:], f32[:])", "merge_splits(f32[:], i64[:], i64)",
                                            "merge_pass(f32[:], f32[:], i64[:], i64)"]),
    "top_k": Module("std:top_k", ["top_counts(f32[:], u32[:, :], u64[:], i32)", "top_digit(u32[:, :], u64[:], i64, i32)",
                                  "top_gather(f32[:], f32[:], i64[:], u64[:], u64[:])"]),
    "random_bits": random("bits", "u32"),
    "random_uniform": random("uniform", "f32"),
    "random_normal": random("normal", "f32"),
}


def constants(module):
    """The numbers of a module that its host must know: those of its source, and in their place those that -D gives."""
    name = module.constants or module.source.removeprefix("std:")
    text = (root / "stdlib" / f"{name}.kern").read_text(encoding="utf-8")
    numbers = {key: int(value) for key, value in re.findall(r"^([A-Z_]+) = (\d+)\b", text, re.M)}
    numbers.update((key.split(".")[-1], value) for key, value in module.defines.items() if isinstance(value, int))
    if "ITEMS" in numbers:
        numbers["TILE"] = numbers["THREADS"] * numbers["ITEMS"]
    return numbers


def look_back_state(host, tiles, words):
    return host.zeros((tiles + tiles // 32 + tiles // 1024) * words, "uint64")


def reduction(host, kernel, words, x, *out):
    known = host.constants["reduce"]
    parts = min(max(ceil_div(x.size, known["TILE"]), 1), known["MOST_BLOCKS"])
    # A launch that did not fault leaves the state as it must be before the next one.
    return [host.launch("reduce", kernel, parts, x, *out, host.zeros(words * parts + 1, "uint64"))]


def one_pass(host, module, kernel, words, x, *others):
    """Of scans and selections: a block a tile, and a state of so many words a tile."""
    tiles = max(1, ceil_div(x.size, host.constants[module]["TILE"]))
    state = look_back_state(host, tiles, words)
    return [host.clear(state), host.launch(module, kernel, tiles, x, *others, state)]


def histogram(host, samples, counts):
    known, whole = host.constants["histogram"], samples.size // 4 * 4
    words, rest = samples[:whole].view("uint32"), samples[whole:] if whole < samples.size else host.zeros(0, "uint8")
    blocks = max(1, min(known["MAX_BLOCKS"], ceil_div(words.size, known["TILE"])))
    return [host.clear(counts), host.launch("histogram", "bincount_bytes", blocks, words, rest, counts)]


def segmented(host, x, offsets, out):
    warps = host.constants["segmented"]["THREADS"] // 32
    return [host.launch("segmented", "segmented_reduce", max(1, ceil_div(out.size, warps)), x, offsets, out)]


def transpose(host, src, dst):
    tile = host.constants["transpose"]["TILE"]
    return [host.launch("transpose", "transpose", max(1, ceil_div(src.shape[0], tile) * ceil_div(src.shape[1], tile)), src, dst)]


def counting_grid(host, known, n):
    """Any grid is right; a block that counts has much of a multiprocessor's shared memory, and adds its counts to all others' in the end."""
    return max(1, min(2 * host.processors, ceil_div(n, known["COUNTERS"] * known["COUNTED"])))


def sort(host, module, keys, out, values=None, values_out=None):
    known, passes = host.constants[module], keys.itemsize
    tiles = max(1, ceil_div(keys.size, known["TILE"]))
    counter = "uint32" if keys.size < 1 << 30 else "uint64"  # two bits of a word of state are a mark
    counts, state = host.zeros((passes, 256), counter), host.zeros((passes, tiles, 256), counter)
    steps = [host.clear(counts), host.clear(state),
             host.launch(module, "digit_counts", counting_grid(host, known, keys.size), keys, counts),
             host.launch(module, "digit_starts", passes, counts)]
    spare, spare_values = host.zeros(keys.size, keys.dtype), None if values is None else host.zeros(values.size, values.dtype)
    for number in range(passes):
        last = (passes - 1 - number) % 2 == 0  # the passes go to `out` and to what is spare in turn, and end in `out`
        to, values_to = (out, values_out) if last else (spare, spare_values)
        tail = (counts, state[number], host.number("int32", number))
        if values is None:
            steps.append(host.launch(module, "sort_pass", tiles, keys, to, *tail))
        else:
            steps.append(host.launch(module, "sort_pairs_pass", tiles, keys, values, to, values_to, *tail))
        keys, values = to, values_to
    return steps


def merge_sort(host, keys, out):
    tile = host.constants["merge_sort"]["TILE"]
    tiles = max(1, ceil_div(keys.size, tile))
    splits, spare = host.zeros(tiles, "int64"), host.zeros(keys.size, keys.dtype)
    merges = (tiles - 1).bit_length()  # a width of tile, 2 tile, ... that is less than n
    source, to = (out, spare) if merges % 2 == 0 else (spare, out)
    steps = [host.launch("merge_sort", "block_sort", tiles, keys, source)]
    for merge in range(merges):
        width = host.number("int64", tile << merge)
        steps.append(host.launch("merge_sort", "merge_splits", ceil_div(tiles, 256), source, splits, width, block=256))
        steps.append(host.launch("merge_sort", "merge_pass", tiles, source, to, splits, width))
        source, to = to, source
    return steps


def top_k(host, keys, keys_out, indices_out):
    known, passes = host.constants["top_k"], keys.itemsize
    tiles, k = max(1, ceil_div(keys.size, known["TILE"])), host.number("int64", keys_out.size)
    counts, chosen, state = host.zeros((passes, 256), "uint32"), host.zeros(2, "uint64"), host.zeros(tiles, "uint64")
    steps = [host.clear(counts), host.clear(chosen), host.clear(state)]
    for number in range(passes):
        digit = host.number("int32", number)
        steps.append(host.launch("top_k", "top_counts", counting_grid(host, known, keys.size), keys, counts, chosen, digit))
        steps.append(host.launch("top_k", "top_digit", 1, counts, chosen, k, digit))
    return [*steps, host.launch("top_k", "top_gather", tiles, keys, keys_out, indices_out, chosen, state)]


def random_numbers(host, kind, out, seed):
    # Where there is much to do more blocks even out when they end; a thread makes four numbers at a time.
    blocks = min(host.processors * (64 if out.size >= 1 << 26 else 16), max(1, ceil_div(out.size, 4 * 256)))
    return [host.launch(f"random_{kind}", "numbers", blocks, out, host.number("uint64", seed), block=256)]
