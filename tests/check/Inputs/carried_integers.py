#!/usr/bin/env python3
"""Makes integers that may have wrapped, or that no longer wrap, and carries them through locals, branches, tuples, arrays, calls
and reductions to where they are used: checks which of these are warned of."""
import itertools
import json
import pathlib
import subprocess
import sys

KERNC, PATH = sys.argv[1], pathlib.Path(sys.argv[2])
HEAD = """from block import add, reduce


@device
def square(v):
    return v * v


@device
def warp_sum(q):
    for k in (16, 8, 4, 2, 1):
        q += shfl_down_sync(0xffffffff, q, k)
    return q


@device
def block_sum(q):
    s = shared.array(64, i32)
    t = threadIdx.x
    s[t] = q
    syncthreads()
    k = 32
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        syncthreads()
        k //= 2
    return s[0]
"""
KERNEL = """

@kernel(block=64)
def k{}(v: i32[:], u: u32[:], b: u8[:], c: i16[:], x: f32[:], y: i64[:], w: u64[:], o: i32[:], r: u32[:], p: u8[:], f: f32[:]):
    i = grid(1)
    t = threadIdx.x
"""

# Each value that may pass 32 bits, and its warning.
MADE = {
    "v[i] * v[i]": "W0744",
    "square(v[i])": "W0744",
    "v[i] * 1000": "W0744",
    "v[i] * 2": "",
    "b[i] * b[t]": "",
    "i32(b[i]) << 8": "",
}
# How it gets to `q`.
CARRIED = {
    "q = {}": True,
    "q = 0\nif t > 3:\n    q = {}": True,
    "if t > 3:\n    q = {}\nelse:\n    q = 0": True,
    "if t > 3:\n    q = 0\nelse:\n    q = {}": True,
    "q = 0\nif t > 3:\n    if t > 5:\n        q = {}": True,
    "a = {}\nq = a": True,
    "a = 0\nif t > 3:\n    a = {}\nq = a": True,
    "a = 0\nif t > 3:\n    a = {}\nq = reduce(a, add)": True,
    "q = {0} if t > 3 else 0": True,
    "s = shared.array(64, i32)\ns[t] = {}\nsyncthreads()\nq = s[63 - t]": True,
    "s = local.array(4, i32)\ns[t & 3] = {}\nq = s[t & 3]": True,
    # A later assignment and a declared type count.
    "q = {}\nq = v[t]": False,
    "q: i32 = {}": False,
}
WIDENED = {
    "y[i] = q": True,
    "f[i] = f32(q)": True,
    "o[i] = q // 3": True,
    "o[i] = q": False,
    "o[i] = q & 255": False,
}

# Lines, and the codes of their warnings, in order.
LINES = {
    # A u32 that an index made an i64.
    "h = u[0] + i\nh ^= h >> 16\nh *= 0x85ebca6b\nr[i] = u32(h)": "W0736",
    "h = i + u[0]\nh = (h ^ (h >> 15)) * 5\nr[i] = u32(h)": "W0736",
    "h = u[0] ^ t\nh ^= h << 13\nh ^= h >> 17\nr[i] = u32(h)": "W0736",
    "h = u[0] ^ t\nh ^= h << 13\nf[i] = f32(h)": "W0736",
    "h = u[0] ^ t\nh ^= h << 13\no[i] = i32(h % 100)": "W0736",
    "h = u[0]\nif t > 3:\n    h = u[0] + i\nh ^= h >> 16\nr[i] = u32(h)": "W0736",
    "h = u[0] + i if t > 3 else u[1]\nh ^= h >> 16\nr[i] = u32(h)": "W0736",
    "s = u[0] * 747796405 + 2891336453 + i\nz = ((s >> ((s >> 28) + 4)) ^ s) * 277803737\nr[i] = u32((z >> 22) ^ z)": "W0736",
    "f[i] = f32(((u[0] ^ i) * 1664525 + 1013904223) >> 8) / 16777216.0": "W0736",
    "f[i] = f32((u[0] + i) * 2654435761) / 4294967296.0": "W0736",
    "h = u[0] + i\nr[i] = u32((h << 15) | (h >> 17))": "W0736",
    "h = u[0] + u32(i)\nh ^= h >> 16\nr[i] = h": "",
    "h = (u[0] + i) & 0xffffffff\nh ^= h >> 16\nr[i] = u32(h)": "",
    "q = (u[0] + i) >> 5\ny[i] = q * 4 + (u[0] + i) % 7": "",
    "q = u[0] + i\ny[i] = (q >> 1) + q // 2": "",
    "y[i] = i64(u[0]) + i\ny[i] ^= y[i] >> 3": "",
    "if u[0] + i < v.size:\n    f[i] = f32(u[0] + i)": "",
    "y[i] = (u[0] + i) * 4096 + 7": "",
    # Rounded floats, behind locals and `max`.
    "q = round(x[i] * 255.0)\np[i] = u8(q)": "W0735",
    "q = int(x[i])\np[i] = u8(q)": "W0735",
    "q = round(x[i]) + 1\np[i] = u8(q)": "W0735",
    "p[i] = u8(round(x[i]) + 1)": "W0735",
    "p[i] = u8(max(round(x[i]), 0))": "W0735",
    "p[i] = u8(min(round(x[i]), 255))": "",
    "q = max(round(x[i]), 0)\np[i] = u8(q)": "W0735",
    "q = round(x[i])\np[i] = u8(min(max(q, 0), 255))": "",
    "q = round(x[i])\nif q > 255:\n    q = 255\np[i] = u8(q)": "",
    "q = round(x[i])\nif 0 <= q <= 255:\n    p[i] = u8(q)": "",
    "q = round(x[i])\np[i] = u8(q & 255)": "",
    # Sums that two statements make of products of narrow integers.
    "q = c[i] * c[t]\nq += c[0] * c[1]\no[i] = q >> 15": "W0730",
    "q = c[i] * c[t]\nq = q + c[0] * c[1]\no[i] = q >> 15": "W0730",
    "q = c[i] * c[t]\nd = c[0] * c[1]\no[i] = (q + d) >> 15": "W0730",
    "q = c[i] * c[t]\nq -= c[0] * c[1]\ny[i] = q": "",
    "q = b[i] * b[t]\nq += b[0] * b[1]\no[i] = q >> 15": "",
    "q = c[i] * c[t]\nq += b[0]\no[i] = q >> 15": "",
    # Elements of tuples.
    "a = (v[i], v[0])\ny[i] = a[0] * a[1]": "W0744",
    "a, d = v[i], v[0]\ny[i] = a * d": "W0744",
    # Shifts of 32 bits that are widened.
    "y[i] = v[i] << b[0]": "W0744",
    "y[i] = v[i] << 16": "W0744",
    "w[i] = u64(u[i] << 16) | u[0]": "W0744",
    "y[i] = v[i] << 16 | u[0]": "W0744",
    "f[i] = f32(v[i] << 16)": "W0744",
    "q = v[i] << 16\ny[i] = q": "W0744",
    "y[i] = v[i] << 2": "",
    "y[i] = i64(v[i]) << 16": "",
    "y[i] = (v[i] & 255) << 16": "",
    "y[i] = i32(b[i]) << 16": "",
    "y[i] = t << 8": "",
    "o[i] = (v[i] << 24) >> 24": "",
    "r[i] = (u[i] << 13) | (u[i] >> 19)": "",
    "w[i] = (u[i] << 13) | (u[i] >> 19)": "",
    "w[i] = u[i] ^ (u[i] << 13)": "",
    # Numbers that a loop puts together by shifts.
    "q = 0\nfor k in range(v.size):\n    q = (q << 8) | b[k]\ny[0] = q": "W0734",
    "q = 0\nfor k in range(v.size):\n    q = q << 8 | b[k]\ny[0] = q": "W0734",
    "q = 0\nfor k in range(v.size):\n    q = (q << 7) + (b[k] & 127)\ny[0] = q": "W0734",
    "q = 0\nfor k in range(v.size):\n    q <<= 8\n    q |= b[k]\ny[0] = q": "W0734",
    "q = 0\nfor k in range(v.size):\n    q = (q << 8) | b[k]\nf[0] = f32(q)": "W0734",
    "q = 0\nn = 0\nfor k in range(v.size):\n    q |= (b[k] & 127) << n\n    n += 7\ny[0] = q": "W0734",
    "q = 0\nn = 0\nfor k in range(v.size):\n    q |= (b[k] & 127) << n\n    n += 7\ny[0] = (q >> 1) ^ -(q & 1)": "W0734",
    "q = 0\nfor k in range(3):\n    q = (q << 8) | b[k]\no[0] = q": "",
    "q = 0\nfor k in range(8):\n    q = (q << 1) | (b[0] >> k & 1)\np[0] = u8(q)": "",
    "q: i64 = 0\nfor k in range(8):\n    q = (q << 8) | b[k]\ny[0] = q": "",
    "q = 0\nfor k in range(v.size):\n    q = ((q << 1) | (b[k] & 1)) & 255\nf[0] = f32(q)": "",
    "q = 0\nfor k in range(v.size):\n    q = (q << 1) ^ b[k]\no[0] = q": "",
    # The values that threads hold are added up: by shuffles, in a loop or without one, behind locals and functions.
    "q = v[i]\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = f32(q)": "W0734",
    "q = v[i]\nk = 16\nwhile k > 0:\n    q = q + shfl_xor_sync(0xffffffff, q, k)\n    k //= 2\ny[i] = q": "W0734",
    "q = v[i]\nq += shfl_down_sync(0xffffffff, q, 16)\nq += shfl_down_sync(0xffffffff, q, 8)\no[i] = q // 3": "W0734",
    "q = v[i]\nfor k in (16, 8, 4, 2, 1):\n    d = shfl_down_sync(0xffffffff, q, k)\n    q += d\nf[i] = q": "W0734",
    "q = 0\nif t < 60:\n    q += v[i]\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = q": "W0734",
    "f[i] = f32(warp_sum(v[i]))": "W0744",
    "q = warp_sum(v[i])\ny[i] = q": "W0744",
    "q: i64 = v[i]\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = f32(q)": "",
    "q: i32 = v[i]\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = f32(q)": "",
    "q = v[i]\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\no[i] = q": "",
    "q = i32(b[i])\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = f32(q)": "",
    "q = 1 if v[i] > 3 else 0\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = f32(q)": "",
    "q = 0\nfor k in range(v.size):\n    q += b[k]\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nf[i] = f32(q)": "",
    "q = v[i]\nfor k in (16, 8, 4, 2, 1):\n    q = max(q, shfl_down_sync(0xffffffff, q, k))\nf[i] = f32(q)": "",
    "f[i] = f32(warp_sum(i32(b[i])))": "",
    "f[i] = f32(warp_sum(i64(v[i])))": "",
    "f[i] = f32(block_sum(v[i]))": "W0744",
    "f[i] = f32(block_sum(i32(b[i])))": "",
    # By a tree in shared memory, in elements that a loop adds to, by atomics.
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nk = 32\nwhile k > 0:\n    if t < k:\n        s[t] += s[t + k]\n    syncthreads()\n    k //= 2\nf[i] = f32(s[0])": "W0734",
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nk = 32\nwhile k > 0:\n    if t < k:\n        s[t] = s[t] + s[t + k]\n    syncthreads()\n    k //= 2\nif t == 0:\n    y[i] = s[0]": "W0734",
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nif t < 32:\n    a = s[t]\n    c2 = s[t + 32]\n    s[t] = a + c2\nsyncthreads()\no[i] = s[0] // 3": "W0734",
    "s = local.array(4, i32)\nfor k in range(v.size):\n    s[k & 3] += v[k]\nf[i] = f32(s[0])": "W0734",
    "s = shared.array(64, i32)\ns[t] = 0\nsyncthreads()\natomic.add(s, b[i] % 64, v[i])\nsyncthreads()\nf[i] = f32(s[t])": "W0734",
    "atomic.add(o, 0, v[i])\nf[i] = f32(o[0])": "W0734",
    "s = shared.array(64, i64)\ns[t] = v[i]\nsyncthreads()\nif t < 32:\n    s[t] += s[t + 32]\nsyncthreads()\nf[i] = f32(s[0])": "",
    "s = shared.array(64, i32)\ns[t] = b[i]\nsyncthreads()\nif t < 32:\n    s[t] += s[t + 32]\nsyncthreads()\nf[i] = f32(s[0])": "",
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nif t < 32:\n    s[t] += s[t + 32]\nsyncthreads()\no[i] = s[0]": "",
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nf[i] = f32(s[63 - t])": "",
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nif t < 32:\n    s[t] = max(s[t], s[t + 32])\nsyncthreads()\nf[i] = f32(s[0])": "",
    "s = shared.array(64, i32)\ns[t] = 0\nsyncthreads()\natomic.add(s, b[i] % 64, 1)\nsyncthreads()\nf[i] = f32(s[t])": "",
    "s = shared.array(64, i32)\ns[t] = 0\nsyncthreads()\natomic.add(s, b[i] % 64, b[i])\nsyncthreads()\nf[i] = f32(s[t]) / 3.0": "",
    # A shared array of small numbers in front of another sum.
    "s = shared.array(2, i32)\nq = i32(b[i])\nfor k in (16, 8, 4, 2, 1):\n    q += shfl_down_sync(0xffffffff, q, k)\nif laneid == 0:\n    s[t // 32] = q\nsyncthreads()\nf[i] = f32(s[0] + s[1])": "",
    # The sum of two elements that is widened or halved.
    "y[i] = v[i] + v[0]": "W0748",
    "y[i] = v[i] - v[0]": "W0748",
    "y[i] = i64(v[i] + v[0])": "W0748",
    "w[i] = u[i] + u[0]": "W0748",
    "o[i] = (v[i] + v[0]) // 2": "W0748",
    "o[i] = (v[i] + v[0] + 1) >> 1": "W0748",
    "r[i] = (u[i] + u[0]) >> 1": "W0748",
    "a = v[i]\nd = v[0]\no[i] = (a + d) // 2": "W0748",
    "q: i64 = v[i] + v[0]\ny[i] = q": "W0748",
    # An element that is negated, or its size, and the sign of a difference.
    "y[i] = -v[i]": "W0748",
    "y[i] = abs(v[i])": "W0748",
    "y[i] = i64(-v[i])": "W0748",
    "y[i] = abs(v[i] - v[0])": "W0748",
    "y[i] = -(v[i] + v[0])": "W0748",
    "f[i] = f32(f64(abs(v[i])))": "W0748",
    "f[i] = f32(f64(v[i] - v[0]))": "W0748",
    "a = v[i]\nif a - v[0] < 0:\n    o[i] = 1": "W0748",
    "o[i] = 1 if 0 < v[i] - v[0] else 2": "W0748",
    "o[i] = v[i] if -v[i] >= 0 else 2": "W0748",
    "y[i] = -i64(v[i])": "",
    "y[i] = -b[i]": "",
    "y[i] = abs(i32(b[i]) - c[i])": "",
    "y[i] = -(v[i] + 1)": "",
    "y[i] = abs(v[i] + 5)": "",
    "y[i] = -t": "",
    "o[i] = -v[i]": "",
    "f[i] = -v[i]": "",
    "f[i] = abs(v[i] - v[0])": "",
    "if v[i] - v[0] == 0:\n    o[i] = 1": "",
    "if v[i] - v[0] > 5:\n    o[i] = 1": "",
    "for k in range(v[i + 1] - v[i]):\n    o[i] += k": "",
    "s = shared.array(64, i32)\ns[t] = v[i]\nsyncthreads()\nif t < 32:\n    s[t] = abs(s[t] - s[t + 32])\nsyncthreads()\nf[i] = f32(s[0])": "",
    "y[i] = i64(v[i]) + v[0]": "",
    "o[i] = v[i] + v[0]": "",
    "f[i] = f32(v[i] - v[0])": "",
    "o[i] = (v[i] - v[0]) // 3": "",
    "y[i] = b[i] + c[i]": "",
    "y[i] = v[i] + 1": "",
    "y[i] = v[i] + t": "",
    "o[i] = (i32(b[i]) + i32(b[0])) // 2": "",
    "y[i] = (v[i] & 255) + (v[0] & 255)": "",
    "o[i] = v[(v[i] + v[0]) // 2]": "",
    "a = 0\nd = v[0]\nwhile a < d:\n    m = (a + d) // 2\n    if v[m] > 3:\n        d = m\n    else:\n        a = m + 1\no[i] = a": "",
    "w[i] = u[i] ^ (u[i] + u[0])": "",
    # An index that is multiplied as hashes are.
    "h = i * 2654435761\nh ^= h >> 15\nr[i] = u32(h)": "W0736",
    "h = i * 2654435761\nh = h ^ (h >> 15)\nh *= 2246822519\nr[i] = u32(h)": "W0736",
    "h = (i + 7) * 0x9E3779B1\nr[i] = u32(h ^ h >> 16)": "W0736",
    "h = u32(i) * 2654435761\nh ^= h >> 15\nr[i] = h": "",
    "h = i64(i) * 2654435761\nr[i] = u32(h ^ (h >> 16))": "",
    "r[i] = u32(i * 2654435761)": "",
    "y[i] = i * 2654435761 + 7": "",
    "h = (i * 2654435761) & 0xffffffff\nh ^= h >> 15\nr[i] = u32(h)": "",
}

# The values that a loop adds up, and whether 65,536 of them pass 32 bits.
ADDED = {"v[k]": True, "c[k]": True, "v[k] * v[k]": True, "c[k] * c[k]": True, "b[k] * b[k]": True, "c[k] * 2": True, "b[k]": False, "1": False}
# The loops that add it up, each with the statement that makes a float of the sum.
SUMS = [
    "q = 0\nfor k in range(v.size):\n    q += {added}\nf[i] = f32(q)",
    "q = 0\nfor k in range(v.size):\n    q = q + {added}\nf[i] = f32(q)",
    "q = 0\nfor k in range(v.size):\n    q = {added} + q if t > 3 else q\nf[i] = f32(q)",
    "q = 0\nn = 0\nfor k in range(v.size):\n    q, n = q + {added}, n + 1\nf[i] = f32(q)",
    "s = local.array(4, i32)\nfor k in range(v.size):\n    s[k & 3] += {added}\nf[i] = f32(s[0])",
    "s = shared.array(64, i32)\ns[t] = 0\nfor k in range(t, v.size, 64):\n    s[t] += {added}\nsyncthreads()\nf[i] = f32(s[63 - t])",
    "s = shared.array(64, i32)\ns[t] = 0\nsyncthreads()\nfor k in range(t, v.size, 64):\n    atomic.add(s, 0, {added})\nsyncthreads()\nf[i] = f32(s[0])",
    "k = i\natomic.add(o, 0, {added})\nf[i] = f32(o[0])",
]
# Beside them, what is added so often that it fits.
FEW = [
    "q = 0\nfor k in range(16):\n    q += c[k]\nf[i] = f32(q)",
    "s = local.array(4, i32)\nfor k in range(16):\n    s[k & 3] += c[k]\nf[i] = f32(s[0])",
    "s = shared.array(64, i32)\ns[t] = 0\nsyncthreads()\natomic.add(s, 0, c[i])\nsyncthreads()\nf[i] = f32(s[0])",
]


cases = {lines: (codes.split(), None) for lines, codes in LINES.items()}
for (added, passes), lines in itertools.product(ADDED.items(), SUMS):
    cases[lines.format(added=added)] = (["W0734"] if passes else [], None)
for lines in FEW:
    cases[lines] = ([], None)
for (made, code), (carried, keeps), (used, widens) in itertools.product(MADE.items(), CARRIED.items(), WIDENED.items()):
    # A block's sum of elements may pass 32 bits in any case.
    adds_up = "reduce" in carried and "v[i]" in made
    warned = [code or "W0744"] if (code or adds_up) and keeps and widens else []
    cases[f"{carried.format(made)}\n{used}"] = (warned, made)

text, at, found = HEAD, {}, {lines: [] for lines in cases}
for number, lines in enumerate(cases):
    text += KERNEL.format(number)
    for line in lines.split("\n"):
        at[text.count("\n") + 1] = lines
        text += f"    {line}\n"
PATH.write_text(text)
done = subprocess.run([KERNC, "check", str(PATH), "--diagnostics=json", "-Wno-race", "-Wno-lost_update", "-Wno-shared_race"], capture_output=True, text=True, timeout=120)
failures = 0
for line in (done.stdout + done.stderr).splitlines():
    one = json.loads(line)
    lines = at.get(one["line"])
    if lines is None:
        failures += 1
        print(line)
    else:
        found[lines].append(one)
for lines, (codes, _) in cases.items():
    got = [one["code"] for one in found[lines]]
    if got != codes:
        failures += 1
        print(f"{lines}\n  => {[one['code'] + ': ' + one['message'] for one in found[lines]]}, {codes or 'none'} expected\n")
print(f"{len(cases)} cases, {failures} failures")
sys.exit(failures != 0)
