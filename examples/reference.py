#!/usr/bin/env python3
"""What each example must compute, in NumPy: written from the mathematics, not from the kernel.

    reference.py                       lists the cases
    reference.py CASE FOLDER           writes its inputs and expected outputs, and prints the arguments for `kernc run`

A case is named after its example, or `example.kernel` where the example has several kernels.
"""
import dataclasses
import math
import pathlib
import struct
import sys
import zlib

import numpy as np

CASES = {}


@dataclasses.dataclass
class Case:
    """`args` are arrays (written as .npy, or as .png where `pictures` names them) and texts for the command line."""
    args: dict
    expected: dict
    rtol: float = 0.0
    atol: float = 0.0
    launch: str = ""  # where the kernel's own tests do not say it
    pictures: tuple = ()
    options: str = ""


def case(function):
    CASES[function.__name__.replace("__", ".")] = function
    return function


def uniform(*shape, seed=1, low=-1.0, high=1.0, dtype=np.float32):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


# ---- Elements, sums, tiles ----

@case
def doublify__doublify():
    a = uniform(1000)
    return Case({"a": a}, {"a": a + a})


@case
def doublify__doublify_image():
    a = uniform(37, 53)
    return Case({"a": a}, {"a": a + a})


@case
def doublify__doublify_volume():
    a = uniform(5, 7, 33)
    return Case({"a": a}, {"a": a + a})


@case
def saxpy():
    x, y = uniform(1000, seed=1), uniform(1000, seed=2)
    exact = 1.7 * x.astype(np.float64) + y
    return Case({"a": "1.7", "x": x, "y": y}, {"y": exact.astype(np.float32)}, rtol=1e-6, atol=1e-6)


@case
def grid_stride():
    a, b = uniform(5000, seed=1), uniform(5000, seed=2)
    return Case({"a": a, "b": b, "c": np.zeros_like(a)}, {"c": a + b}, launch="--grid 3 --block 128")


@case
def matmul():
    a, b = uniform(70, 45, seed=1), uniform(45, 83, seed=2)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return Case({"A": a, "B": b, "C": np.zeros((70, 83), np.float32)}, {"C": exact.astype(np.float32)}, 1e-5, 1e-5)


@case
def transpose():
    src = uniform(50, 70)
    return Case({"src": src, "dst": np.zeros((70, 50), np.float32)}, {"dst": np.ascontiguousarray(src.T)},
                launch="--grid 3,2 --block 32,8")


def sum_case(launch):
    x = uniform(30000, low=0.0)
    total = np.array([x.sum(dtype=np.float64)], np.float32)
    return Case({"x": x, "out": np.zeros(1, np.float32)}, {"out": total}, rtol=1e-5, launch=launch)


@case
def block_reduce():
    return sum_case("--grid 7 --block 256")


@case
def warp_reduce():
    return sum_case("--grid 7 --block 128")


@case
def histogram():
    data = np.random.default_rng(1).binomial(255, 0.3, 20000).astype(np.uint8)
    bins = np.bincount(data, minlength=256).astype(np.int32)
    return Case({"data": data, "bins": np.zeros(256, np.int32)}, {"bins": bins}, launch="--grid 7 --block 256")


# ---- Stencils and pictures ----

@case
def stencil2d():
    u = uniform(67, 91)
    v = np.zeros_like(u)
    v[1:-1, 1:-1] = (u[:-2, 1:-1].astype(np.float64) + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    return Case({"u": u, "v": np.zeros_like(u)}, {"v": v}, 1e-5, 1e-6)


@case
def stencil3d():
    u = uniform(9, 21, 45)
    c = slice(1, -1)
    v = np.zeros_like(u)
    neighbours = (u[:-2, c, c].astype(np.float64) + u[2:, c, c] + u[c, :-2, c] + u[c, 2:, c]
                  + u[c, c, :-2] + u[c, c, 2:])
    v[c, c, c] = 0.4 * u[c, c, c] + 0.1 * neighbours
    return Case({"u": u, "v": np.zeros_like(u)}, {"v": v}, 1e-5, 1e-6)


def escape_times(height, width, left, top, step, limit):
    """Counts in float32 without fused operations, as `--fp-contract=off` does."""
    f = np.float32
    cr = f(left) + np.arange(width, dtype=f)[None, :] * f(step) + np.zeros((height, 1), f)
    ci = f(top) + np.arange(height, dtype=f)[:, None] * f(step) + np.zeros((1, width), f)
    zr, zi = np.zeros_like(cr), np.zeros_like(ci)
    count = np.zeros((height, width), np.int32)
    for _ in range(limit):
        inside = zr * zr + zi * zi < f(4)
        count += inside
        next_zr = zr * zr - zi * zi + cr
        zi = np.where(inside, f(2) * zr * zi + ci, zi)
        zr = np.where(inside, next_zr, zr)
    return count


MANDELBROT_VIEW = {"left": "-2.2", "top": "-1.2", "step": "0.025", "limit": "80"}


@case
def mandelbrot__escape_time():
    count = escape_times(97, 129, -2.2, -1.2, 0.025, 80)
    return Case({"count": np.zeros_like(count), **MANDELBROT_VIEW}, {"count": count}, options="--fp-contract=off")


@case
def mandelbrot__mandelbrot():
    n = escape_times(97, 129, -2.2, -1.2, 0.025, 80)
    image = np.stack([np.minimum(2 * n, 255), np.minimum(6 * n, 255), np.minimum(40 + 12 * n, 255)], -1)
    image = np.where((n < 80)[..., None], image, 0).astype(np.uint8)
    return Case({"image": np.zeros_like(image), **MANDELBROT_VIEW}, {"image": image}, options="--fp-contract=off")


def picture(height, width):
    """Paints three shaded balls over a chequered floor, as an array of u8 RGB."""
    y, x = np.mgrid[0:height, 0:width] / height
    horizon = 0.55
    depth = 0.3 / np.maximum(y - horizon, 0.01)
    chequers = (np.floor(depth * 3) + np.floor((x - width / height / 2) * depth * 6)) % 2
    floor = 60 + 120 * chequers / (1 + 0.15 * depth)
    sky = 150 + 100 * y / horizon
    rgb = np.stack([np.where(y > horizon, floor * 0.9, sky * 0.7), np.where(y > horizon, floor * 0.8, sky * 0.85),
                    np.where(y > horizon, floor * 0.7, sky)], -1)
    for cx, cy, radius, colour in ((0.35, 0.5, 0.25, (1, 0.3, 0.2)), (0.8, 0.62, 0.2, (0.2, 0.8, 0.4)),
                                   (1.1, 0.45, 0.15, (0.3, 0.4, 1))):
        dx, dy = (x - cx) / radius, (y - cy) / radius
        dz = np.sqrt(np.maximum(0, 1 - dx * dx - dy * dy))
        light = np.maximum(0.1, (-dx - dy + 1.5 * dz) / 2.06)
        ball = 255 * np.clip(light[..., None] * colour + light[..., None] ** 20, 0, 1)
        rgb = np.where((dx * dx + dy * dy < 1)[..., None], ball, rgb)
    return np.clip(rgb, 0, 255).astype(np.uint8)


@case
def sobel():
    src = picture(83, 121).mean(-1).astype(np.uint8)
    wide = src.astype(np.int64)
    gx = wide[:, 2:] - wide[:, :-2]
    gx = gx[:-2] + 2 * gx[1:-1] + gx[2:]
    gy = wide[2:] - wide[:-2]
    gy = gy[:, :-2] + 2 * gy[:, 1:-1] + gy[:, 2:]
    dst = np.zeros_like(src)
    dst[1:-1, 1:-1] = np.minimum(np.sqrt(gx * gx + gy * gy), 255)
    return Case({"src": src, "dst": "like:src"}, {"dst": dst}, pictures=("src",))


@case
def gaussian_blur():
    src = picture(61, 83)
    padded = np.pad(src.astype(np.int64), ((2, 2), (2, 2), (0, 0)), "edge")
    weights = (1, 4, 6, 4, 1)
    rows = sum(w * padded[k:k + 61] for k, w in enumerate(weights))
    total = sum(w * rows[:, k:k + 83] for k, w in enumerate(weights))
    return Case({"src": src, "dst": "like:src"}, {"dst": ((total + 128) // 256).astype(np.uint8)}, pictures=("src",))


# ---- Formulas ----

@case
def black_scholes():
    n = 1000
    spot, strike, years = uniform(n, seed=1, low=5, high=30), uniform(n, seed=2, low=1, high=100), uniform(n, seed=3, low=0.25, high=10)
    rate, volatility = 0.02, 0.3
    cdf = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))
    s, x, t = (v.astype(np.float64) for v in (spot, strike, years))
    d1 = (np.log(s / x) + (rate + volatility**2 / 2) * t) / (volatility * np.sqrt(t))
    d2 = d1 - volatility * np.sqrt(t)
    call = s * cdf(d1) - x * np.exp(-rate * t) * cdf(d2)
    put = x * np.exp(-rate * t) * cdf(-d2) - s * cdf(-d1)
    zeros = np.zeros(n, np.float32)
    return Case({"call": zeros, "put": zeros, "spot": spot, "strike": strike, "years": years, "rate": "0.02",
                 "volatility": "0.3"}, {"call": call.astype(np.float32), "put": put.astype(np.float32)}, 1e-4, 1e-4)


@case
def nbody():
    n = 300
    position, mass = uniform(n, 3), uniform(n, seed=2, low=0.5)
    p = position.astype(np.float64)
    away = p[None, :, :] - p[:, None, :]
    pull = mass[None, :] * ((away**2).sum(-1) + 0.01) ** -1.5
    acceleration = (away * pull[..., None]).sum(1).astype(np.float32)
    return Case({"position": position, "mass": mass, "acceleration": np.zeros_like(position), "softening": "0.01"},
                {"acceleration": acceleration}, 1e-4, 1e-3)


@case
def softmax():
    x = uniform(9, 700, low=-5, high=5)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return Case({"x": x, "y": np.zeros_like(x)}, {"y": (e / e.sum(1, keepdims=True)).astype(np.float32)}, 2e-5, 1e-9,
                launch="--grid 9 --block 256")


@case
def spmv():
    rows, columns = 700, 500
    random = np.random.default_rng(1)
    lengths = random.integers(0, 20, rows)
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    where = random.integers(0, columns, first[-1]).astype(np.int32)
    values, x = uniform(int(first[-1]), seed=2), uniform(columns, seed=3)
    y = np.zeros(rows)
    np.add.at(y, np.repeat(np.arange(rows), lengths), values.astype(np.float64) * x[where])
    return Case({"first": first, "columns": where, "values": values, "x": x, "y": np.zeros(rows, np.float32)},
                {"y": y.astype(np.float32)}, 1e-5, 1e-5)


@case
def conv1d():
    a, weights = uniform(1000, seed=1), uniform(32, seed=2)
    padded = np.concatenate([a.astype(np.float64), np.zeros(31)])
    out = np.correlate(padded, weights.astype(np.float64), "valid").astype(np.float32)
    return Case({"a": a, "weights": weights, "out": np.zeros(1000, np.float32)}, {"out": out}, 1e-5, 1e-5)


def philox(seed, sequence, offset):
    """Returns the four words of Philox4x32-10 for an array of sequences, as u32 arrays."""
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    sequence = np.asarray(sequence, np.uint64)
    c = [np.full_like(sequence, offset & 0xFFFFFFFF), np.full_like(sequence, offset >> 32), sequence & low, sequence >> shift]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> shift) ^ c[1] ^ np.uint64(k[0]), b & low, (a >> shift) ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return [word.astype(np.uint32) for word in c]


@case
def monte_carlo_pi():
    hits = 0
    for draw in range(10):
        x, y, z, w = ((word >> np.uint32(8)) * 2.0**-24 for word in philox(42, np.arange(2048), draw))
        hits += np.count_nonzero(x * x + y * y < 1) + np.count_nonzero(z * z + w * w < 1)
    # A point within one rounding of the circle may fall on either side.
    return Case({"hits": np.zeros(1, np.uint64), "draws": "10", "seed": "42"}, {"hits": np.array([hits], np.uint64)},
                atol=2, launch="--grid 16 --block 128")


# ---- Tensors with strides ----

def strides_of(array, shape):
    """Returns the strides, in elements, with which the storage of `array` repeats over `shape`."""
    view = np.broadcast_to(array, shape)
    return np.array([s // array.itemsize for s in view.strides], np.int32)


@case
def tensor__add():
    a, b = uniform(3, 1, 5, seed=1), uniform(4, 1, seed=2)
    out = a + b
    shape = np.array(out.shape, np.int32)
    return Case({"out": np.zeros(out.size, np.float32), "shape": shape, "out_strides": strides_of(out, out.shape),
                 "a": a.ravel(), "a_strides": strides_of(a, out.shape),
                 "b": b.ravel(), "b_strides": strides_of(b, out.shape)},
                {"out": out.ravel()}, launch="--over 60 --block 32")


@case
def tensor__sigmoids():
    a = uniform(6, 7, low=-4, high=4)
    out = (1 / (1 + np.exp(-a.T.astype(np.float64)))).astype(np.float32)
    return Case({"out": np.zeros(42, np.float32), "shape": np.array([7, 6], np.int32),
                 "out_strides": np.array([6, 1], np.int32), "a": a.ravel(), "a_strides": np.array([1, 7], np.int32)},
                {"out": out.ravel()}, 1e-5, 1e-6, launch="--over 42 --block 32")


@case
def tensor__sum():
    a = uniform(5, 11, 6)
    return Case({"out": np.zeros(30, np.float32), "shape": np.array([5, 6], np.int32),
                 "out_strides": np.array([6, 1], np.int32), "a": a.ravel(), "a_strides": np.array([66, 1], np.int32),
                 "extent": "11", "stride": "6"},
                {"out": a.sum(1, dtype=np.float64).astype(np.float32).ravel()}, 1e-5, 1e-6, launch="--over 30 --block 32")


# ---- Files ----

def write_png(path, array):
    """Writes a u8 array of shape (h, w) or (h, w, 3) as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width = array.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), array.reshape(height, -1)], 1)
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if array.ndim == 2 else 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes()))
                     + chunk(b"IEND", b""))


def write(name, folder):
    """Writes the files of a case; returns it, its example, and its arguments for `kernc run` in two lists: the kernel and
    its arguments, and what to expect."""
    this = CASES[name]()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    example, _, kernel = name.partition(".")
    args = [kernel] if kernel else []
    for key, value in this.args.items():
        if isinstance(value, str):
            args.append(f"{key}={value}")
        elif key in this.pictures:
            write_png(folder / f"{key}.png", value)
            args.append(f"{key}=@{folder / key}.png")
        else:
            np.save(folder / f"{key}.npy", value)
            args.append(f"{key}=@{folder / key}.npy")
    expect = []
    for key, value in this.expected.items():
        np.save(folder / f"{key}.expected.npy", value)
        expect += ["--expect", f"{key}={folder / key}.expected.npy"]
    if this.rtol: expect += ["--rtol", str(this.rtol)]
    if this.atol: expect += ["--atol", str(this.atol)]
    return this, example, args, expect + this.options.split()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("\n".join(CASES))
    made, _, arguments, expectations = write(sys.argv[1], sys.argv[2])
    print(" ".join(arguments + made.launch.split() + expectations))
