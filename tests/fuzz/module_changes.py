#!/usr/bin/env python3
"""A matrix of how a module changes what a kernel reads: arrays, lists, dicts, constants of classes and modules, and functions that
stand in several branches. Python runs each module with a stub of Numba, which reads a kernel's value where Numba would compile it: at
its first launch, or at the end. kernc gives the same value, or an error that writes the `-D` line; never another value. Where a row
says `exact`, it gives the value.

usage: module_changes.py KERNC [--only TEXT] [--jobs N]
"""
# fuzz: no, its text test runs the whole matrix
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

import module_names

HEAD = "import math\nimport os\nimport numpy as np\nfrom numba import cuda\n"

# Each kind of object: the line that makes it, and what a kernel reads of it.
OBJECTS = {
    "array": ("W = np.array([3, 1, 2])", "W[0] * 100 + W[1] * 10 + W[2]"),
    "matrix": ("W = np.arange(6).reshape(2, 3)", "W[0, 0] * 100 + W[0, 1] * 10 + W[1, 2]"),
    "list": ("W = [3, 1, 2]", "W[0] * 100 + W[1] * 10 + W[2]"),
    "nested": ("W = [[3, 1], [2, 4]]", "W[0][0] * 100 + W[0][1] * 10 + W[1][0]"),
    "dict": ("W = {'a': 3, 'b': 4}", "W['a'] * 10 + W['b']"),
}

# How it changes: the objects that this is for, the statements, and whether the value must be known.
CHANGES = [
    ("array list", "W[0] = 9", True),
    ("array list", "W[-1] = 9", True),
    ("array list", "W[0] += 9", True),
    ("array", "W[:] = 5", True),
    ("array", "W[1:] *= 2", True),
    ("array", "W[::-1] = [7, 8, 9]", True),
    ("array", "W[0] = 2.75", True),
    ("array", "W[0] = W[1] + 4", True),
    ("array", "n = 1\nW[n] = n + 6\nn = 2", True),
    ("array", "W += 1", True),
    ("array", "W = W * 2\nW[1] = 0", True),
    ("array", "V = W.copy()\nV[0] = 9", True),
    ("array", "V = W + 1\nV[0] = 9", True),
    ("array", "print(W, W.sum(), len(W), file=open(os.devnull, 'w'))", True),
    ("array", "f'{W} {W[0]}'", True),
    ("array", "n = float(np.dot(W, W))", True),
    ("array", "d = cuda.to_device(W)", True),
    ("array", "def reads(a): return a.sum() + a[0]\nreads(W)", True),
    ("array", "def f():\n    return W[0]\nf()", True),
    ("array", "np.testing.assert_array_equal(W, W)", True),
    ("array", "for i in range(3):\n    W[i] = i * i", True),
    ("array", "for i in range(3):\n    for j in range(i):\n        W[i] += j + 1", True),
    ("array", "for i in range(1, 3):\n    W[i] = W[i - 1] + 1", True),
    ("array", "for i in range(3):\n    t = i * 2\n    if t > 1:\n        W[i] = t\n    else:\n        W[i] = 7", True),
    ("array", "i = 4\nfor i in range(2):\n    W[i] = i\nW[i] = 8", False),
    ("array", "N = 2\nfor i in range(N):\n    W[i] = N\nN = 3", True),
    ("array", "for i in range(int(os.environ.get('N', 3))):\n    W[i] = 5", False),
    ("array", "for i, v in ((0, 4), (1, 6)):\n    W[i] = v", True),
    ("array", "for x in W:\n    pass", True),
    ("array", "W.sort()", False),
    ("array", "W.fill(4)", False),
    ("array", "W.put(1, 4)", False),
    ("array", "W.flat[1] = 4", False),
    ("array", "W.T[0] = 4", False),
    ("array", "W.view()[0] = 4", False),
    ("array", "W.shape = (3,)", False),
    ("array", "W[W > 1] = 0", False),
    ("array", "W[[0, 1]] = 0", False),
    ("array", "W[0], W[1] = 8, 9", False),
    ("array", "X = W[0] = 7", False),
    ("array", "W = Z = np.array([3, 1, 2])\nZ[0] = 6", False),
    ("array", "W, n = np.array([3, 1, 2]), 4\nW[0] = n", False),
    ("array", "A, W = W, W\nA[0] = 6", False),
    ("array", "n = W[0]\nn += 4", True),
    ("list", "W = Z = [3, 1, 2]\nZ[0] = 6", False),
    ("array", "V = W\nV[0] = 6", False),
    ("array", "V = W\nW[0] = 6", False),
    ("array", "V = W\nV += 1", False),
    ("array", "V = W\nU = V[1:]\nU[0] = 6", False),
    ("array", "V = W[::-1]\nV[0] = 6", False),
    ("array", "V = W.reshape(3, 1)\nV[0, 0] = 6", False),
    ("array", "V = np.asarray(W)\nV[0] = 6", False),
    ("array", "V = W if len(W) > 1 else None\nV[0] = 6", False),
    ("array", "x = [W]\nx[0][0] = 4", False),
    ("array", "x = {'w': W}\nx['w'][0] = 4", False),
    ("array", "x = {}\nx['w'] = W\nx['w'][0] = 4", False),
    ("array", "class Box: pass\nbox = Box()\nbox.w = W\nbox.w[0] = 4", False),
    ("array", "for v in (W,):\n    v[0] = 4", False),
    ("array", "with open(os.devnull) as f:\n    W[0] = 4", False),
    ("array", "if True:\n    W[0] = 8", False),
    ("array", "try:\n    W[0] = 8\nexcept ValueError:\n    pass", False),
    ("array", "while W[0] > 1:\n    W[0] -= 1", False),
    ("array", "match 3:\n    case 3:\n        W[0] = 8", False),
    ("array", "def f():\n    W[0] = 8\nf()", False),
    ("array", "def f():\n    W.sort()\ndef g(): f()\ng()", False),
    ("array", "def f():\n    V = W\n    V[0] = 8\nf()", False),
    ("array", "def f():\n    global W\n    W = np.array([7, 8, 9])\nf()", False),
    ("array", "def g(a):\n    a *= 3\ng(W)", False),
    ("array", "def g(a):\n    a[0] = 3\ng(W)", False),
    ("array", "def g(a):\n    b = a\n    b[0] = 3\ng(W)", False),
    ("array", "def g(a): return a\ng(W)[0] = 3", False),
    ("array", "def g(n, a):\n    a.fill(n)\ng(4, a=W)", False),
    ("array", "g = lambda a: a.fill(4)\ng(W)", False),
    ("array", "list(map(lambda a: a.fill(4), [W]))", False),
    ("array", "np.add(W, 1, out=W)", False),
    ("array", "np.add.at(W, 0, 1)", False),
    ("array", "np.copyto(W, 5)", False),
    ("array", "np.put(W, 0, 4)", False),
    ("array", "from numpy import copyto\ncopyto(W, 5)", False),
    ("array", "np.random.default_rng(1).shuffle(W)", False),
    ("array", "[W.fill(n) for n in (4, 5)]", False),
    ("array", "if W.fill(4) is None: pass", False),
    ("array", "W.__setitem__(0, 5)", False),
    ("array", "exec('W[0] = 5')", False),
    ("array", "globals()['W'][0] = 5", False),
    ("array", "k[1, 1](x)\nW[0] = 9", False),
    ("array", "W[0] = 9\nk[1, 1](x)", True),
    ("array", "k[1, 1](x)\nW.fill(9)", True),
    ("matrix", "W[1, 1] = -8", True),
    ("matrix", "W[0] = (5, 6, 7)", True),
    ("matrix", "W[0, :] = 9", True),
    ("matrix", "W[:, 1] += [3, 4]", True),
    ("matrix", "W[:, ::2] = np.array([[4, 5], [6, 7]])", True),
    ("matrix", "W[:] = W[0]", True),
    ("matrix", "for i in range(2):\n    for j in range(3):\n        W[i, j] = 10 * i + j", True),
    ("matrix", "for i in range(2):\n    W[i] = i + 4", True),
    ("matrix", "W[0][1] = 8", False),
    ("matrix", "for row in W:\n    row[0] = 8", False),
    ("matrix", "r = W[0]\nr[0] = 8", False),
    ("matrix", "def g(a):\n    a[0] = 3\ng(W[1])", False),
    ("matrix", "V = W.T\nV[0, 0] = 8", False),
    ("matrix", "for r, q in zip(W, W):\n    r[0] = 8", False),
    ("list", "W.append(4)", False),
    ("list", "W += [4]", False),
    ("list", "W.sort()", False),
    ("list", "W.reverse()", False),
    ("list", "W[0:2] = [7, 8]", False),
    ("list", "V = W\nV[0] = 6", False),
    ("list", "def f(): W.append(3); W[0] = 5\nf()", False),
    ("list", "n = W[0]\nm = len(W)", True),
    ("list", "a = np.array(W)\na[0] = 9", True),
    ("list", "for i in range(3):\n    W[i] = i", False),
    ("list", "del W[0]\nW.append(1)", False),
    ("nested", "W[0] = [7, 8]", True),
    ("nested", "W[0][0] = 7", False),
    ("nested", "r = W[0]\nr[0] = 7", False),
    ("nested", "for r in W:\n    r[0] = 7", False),
    ("nested", "V = W.copy()\nV[0][0] = 7", False),
    ("nested", "V = list(W)\nV[0][0] = 7", False),
    ("nested", "V = [r for r in W]\nV[0][0] = 7", False),
    ("dict", "W['a'] = 5", True),
    ("dict", "W['a'] += 5", True),
    ("dict", "W['c'] = 5", True),
    ("dict", "W.update(a=5)", False),
    ("dict", "V = W\nV['a'] = 5", False),
    ("dict", "W.pop('b'); W['b'] = 1", False),
    ("dict", "W |= {'a': 7}", False),
    ("dict", "def f(d): d['a'] = 7\nf(W)", False),
    ("dict", "n = W['a'] + W.get('b')", True),
    ("dict", "for k_ in W:\n    W[k_] = 5", False),
]

# Modules whole: what the kernel `k` reads, the statements before it, those behind, the options, whether the value must be known.
MODULES = [
    ("Config.N", "class Config:\n    N = 1\nConfig.N = 5", "", [], False),
    ("Config.N", "class Config:\n    N = 1\nConfig.M = 5", "", [], True),
    ("Config.N", "class Config:\n    N = 1\nx1 = Config.N * 2\nc = Config()", "", [], True),
    ("Config.N", "class Config:\n    N = 1\n    A, B = 2, 3\n    C = N + 1", "", [], True),
    ("Config.N", "class Config:\n    N = 1\nsetattr(Config, 'N', 5)", "", [], False),
    ("Config.N", "class Config:\n    N = 1\nfor a in ('N',):\n    setattr(Config, a, 5)", "", [], False),
    ("Config.N", "class Config:\n    N = 1\ndef f(m):\n    Config.N = m\nf(7)", "", [], False),
    ("Config.N", "class Config:\n    N = 1\ndef f(c):\n    c.N = 4\nf(Config)", "", [], False),
    ("Config.N", "class Config:\n    N = 1\ndef f(c):\n    return c.N\nf(Config)", "", [], False),
    ("Config.N", "class Config:\n    N = 1\nC = Config\nC.N = 6", "", [], False),
    ("Config.N", "class Config:\n    N = 1\nif True:\n    Config.N = 6", "", [], False),
    ("Config.N", "class Config:\n    N = 1\nfor Config.N in (4, 5):\n    pass", "", [], False),
    ("Config.N", "class Config:\n    N = 1\nConfig.N += 4", "", [], False),
    ("Config.N", "class Config:\n    N = 1\n    @classmethod\n    def set(cls): cls.N = 4\nConfig.set()", "", [], False),
    ("Config.N", "class Config:\n    N = 1\n    if True:\n        N = 2\n    else:\n        N = 3", "", [], True),
    ("Config.T[1]", "class Config:\n    T = [1, 2, 3]\nConfig.T[1] = 9", "", [], False),
    ("Config.T[1]", "class Config:\n    T = np.arange(3)\nConfig.T[1] = 9", "", [], False),
    ("Config.T[1]", "class Config:\n    T = np.arange(3)\nConfig.T.fill(9)", "", [], False),
    ("Config.T[1]", "class Config:\n    T = np.arange(3)\nt = Config.T\nt[1] = 9", "", [], False),
    ("Config.T[1]", "class Config:\n    T = np.arange(3)\nc = Config()\nc.T[1] = 9", "", [], False),
    ("Config.T[1]", "class Config:\n    T = np.arange(3)\n    T[1] = 9", "", [], True),
    ("Config.T[1]", "class Config:\n    T = np.arange(3)\ns = Config.T.sum() + Config.T[0]", "", [], True),
    ("cfg.N", "import cfg\ncfg.N = 9", "", [], False),
    ("cfg.N", "import cfg as c\nimport cfg\nsetattr(c, 'N', 9)", "", [], False),
    ("cfg.W[1]", "import cfg\ncfg.W[1] = 9", "", [], False),
    ("cfg.W[1]", "import cfg\ns = cfg.W.sum() + cfg.W[1]", "", [], True),
    ("W[1]", "from cfg import W\nW[1] = 9", "", [], False),
    ("L[1]", "from cfg import L\nL[1] = 9", "", [], False),
    ("D['a']", "from cfg import D\nD['a'] = 9", "", [], False),
    ("D['a']", "import cfg\nfrom cfg import D\ncfg.D['a'] = 9", "", [], False),
    ("F[1]", "from cfg import F", "", [], True),
    ("G[1]", "from cfg import G", "", [], False),
    ("Box.N", "from cfg import Box\nBox.N = 9", "", [], False),
    ("cfg.Box.N", "import cfg\ncfg.Box.N = 9", "", [], False),
    ("Box.N", "from cfg import Box", "", [], True),
    ("N", "N = 1\ndef f():\n    global N\n    N = 2\nf()", "", [], False),
    ("N", "N = 1\ndef f():\n    global N\n    N += 2\ndef g(): f()\ng()", "", [], False),
    ("N", "N = 1\ndef f():\n    global N\n    N = 2", "", [], True),
    ("B[0, 1]", "A = np.arange(6)\nB = A.reshape(2, 3)\nA[1] = 9", "", [], False),
    ("B[0]", "A = np.arange(6)\nA[1] = 9\nB = A[1:]", "", [], True),
    ("B[0]", "A = np.arange(6)\nA.fill(3)\nB = A[1:]", "", [], False),
    ("T[0][1]", "A = np.arange(3)\nT = (A, 4)\nA[1] = 9", "", [], False),
    ("cuda.const.array_like(A)[1]", "A = np.arange(3)\nA[1] = 9", "", [], True),
    ("cuda.const.array_like(A)[1]", "A = np.arange(3)\nA.fill(9)", "", [], False),
    ("A[1]", "A = np.zeros(3, dtype=np.complex128)\nA[1] = 2 + 1j\nA = A.real", "", [], False),
    ("A[700]", "A = np.zeros(20000)\nA[600:] = 4\nA[700] += 1", "", [], True),
    ("A[9, 3]", "A = np.zeros((10, 4), np.float32)\nfor i in range(10):\n    for j in range(4):\n        A[i, j] = math.exp(-i) + j",
     "", [], True),
    # Functions and values of branches.
    ("op(3, 5)", "{if True}", "", [], True), ("op(3, 5)", "{if False}", "", [], True),
    ("op(3, 5)", "DEBUG = False\n{if DEBUG}", "", [], True), ("op(3, 5)", "DEBUG = True\n{if not DEBUG}", "", [], True),
    ("op(3, 5)", "N = 4\n{if N > 100}", "", [], True), ("op(3, 5)", "MODE = 'b'\n{if MODE == 'a'}", "", [], True),
    ("op(3, 5)", "N = 4\n{if N > 1 and N < 9}", "", [], True), ("op(3, 5)", "{if os.environ.get('FAST')}", "", [], False),
    ("op(3, 5)", "DEBUG = False\n{if DEBUG}", "", ["DEBUG=True"], True),
    ("op(3, 5)", "{if os.environ.get('FAST')}", "", ["op=cfg.py:add"], True),
    ("op(3, 5)", "{plain def}\nif os.environ.get('FAST'):\n    {def}", "", [], False),
    ("op(3, 5)", "{plain def}\nif False:\n    {def}", "", [], True),
    ("op(3, 5)", "{plain def}\nif True:\n    {def}", "", [], True),
    ("op(3, 5)", "{plain def}\ntry:\n    import missing_module\n    {def}\nexcept ImportError:\n    pass", "", [], False),
    ("op(3, 5)", "try:\n    import missing_module\n    {def}\nexcept ImportError:\n    {other def}", "", [], False),
    ("op(3, 5)", "try:\n    {def}\nexcept ImportError:\n    {other def}", "", [], False),
    ("op(3, 5)", "for i in (1, 2):\n    if i == 1:\n        {inner def}\n    else:\n        {inner other}", "", [], False),
    ("op(3, 5)", "with open(os.devnull) as f:\n    {def}", "", [], True),
    ("op(3, 5)", "match 4:\n    case 3:\n        {inner def}\n    case 4:\n        {inner other}", "", [], False),
    ("op(3, 5)", "{if False}\n{if True}", "", [], True),
    ("op(3, 5)", "A = 1\nif A > 0:\n    if A > 1:\n        {inner def}\n    else:\n        {inner other}\nelse:\n    {def}", "", [], True),
    ("op(3, 5)", "if False: pass\nelif True:\n    {def}", "", [], True),
    ("N", "A = 2\nif A > 1:\n    N = 7\nelse:\n    N = 8", "", [], True),
    ("N", "N = 1\nif os.environ.get('FAST'):\n    N = 7", "", [], False),
    ("N", "N = 1\nA = 0\nif A:\n    N = 7", "", [], True),
    ("N", "A = 0\nif A: N = 7\nelse: N = 9", "", [], True),
    ("N + M", "A = 3\nif A == 3:\n    M = 5\n    N = M + 1\nelse:\n    M = N = 0", "", [], True),
    ("N", "N = 1\nif True:\n    N += 4", "", [], False),
    ("W[0]", "W = np.zeros(2)\nif True:\n    W = np.ones(2)", "", [], True),
    ("W[0]", "if True:\n    W = np.ones(2)\n    W[0] = 5", "", [], True),
    ("W[0]", "if True:\n    W = np.ones(2)\n    W.fill(5)", "", [], False),
    ("W[0]", "if True:\n    W = np.ones(2)\nW.fill(5)", "", [], False),
    ("W[0]", "if True:\n    W = np.ones(2)\nW[0] = 5", "", [], True),
    ("B", "if True:\n    A = 1\n    B = A\n    A = 2", "", [], True),
    ("A[0]", "A = np.ones(3)\nB = np.zeros(3)\nn = B[0]\nmath.sqrt(n)\nA[0] = B[1] + 3", "", [], True),
    ("A[0]", "class Work:\n    def use(self, n): return n\nA = np.ones(3)\nn = A[0]\nWork().use(n)", "", [], True),
]

# Numbers of a list or dict that a call is given are no objects that it could change.
NUMBERS = "N = 6\nT = (1, 2)\nclass Box:\n    N = 6\n"
LISTS = ["[N, 3]", "[N + 0, 3]", "[6, 3]", "[int(6.5), 3]", "[len(T) + 4, 3]", "[math.floor(6.5), 3]", "[np.int32(6), 3]", "[max(N, 2), 3]",
         "[abs(-6), 3]", "[Box.N, 3]", "[N if N > 2 else 1, 3]"]
CALLS = ["max(L)", "min(L)", "tuple(L)[0]", "sum(L)", "len(L)", "L[0]", "max(L[0], 2)"]
for made in LISTS:
    MODULES += [("L[0] * 100 + L[1] * 10 + Q", f"{NUMBERS}L = {made}\nQ = {call}", "", [], True) for call in CALLS]
MODULES += [("L[0]", f"{NUMBERS}L = [N, 3]\n{statements}", "", [], True)
            for statements in ("def f():\n    q = max(L)\n    return q\nf()", "def f(): return sorted(L)\nf()", "m = sorted(L)", "m = list(L)\nm[0] = 8")]
MODULES += [
    ("D['a'] + Q", "N = 6\nD = {'a': N}\nQ = D['a']", "", [], True),
    ("L[1][0]", "M = [1, 2]\nL = [M, [3, 1]]\nQ = max(L)\nQ[0] = 9", "", [], False),
    ("M[0]", "M = [1, 2]\nL = [M, [0, 1]]\nQ = max(L)\nQ[0] = 9", "", [], False),
    ("L[0][0]", "W = np.arange(3)\nL = [W, 3]\nV = list(L)\nV[0][0] = 7", "", [], False),
    ("W[0]", "W = np.arange(3)\nL = [W, 3]\nV = list(L)\nV[0][0] = 7", "", [], False),
    ("L[0][1]", "def f(): return [1, 2]\nL = [f(), 3]\nV = list(L)\nV[0][1] = 8", "", [], False),
    ("L[0][1]", "def f(): return [1, 2]\nL = [f(), [9, 9]]\nQ = min(L)\nQ[1] = 8", "", [], False),
    # A `try` whose imports find their modules is what it holds.
    ("F[1] + N", "try:\n    from cfg import *\nexcept ImportError:\n    F = None", "", [], True),
    ("F[1] + N", "try:\n    from cfg import *\n    import math as m\nexcept (ImportError, ValueError) as e:\n    from math import *", "", [], True),
    ("math.floor(N + 0.5)", "try:\n    from cfg import *\n    from math import *\nexcept ImportError:\n    pass", "", [], True),
    ("N", "N = 7\ntry:\n    from cfg import *\nexcept ImportError:\n    N = 8", "", [], True),
    ("N", "try:\n    from missing_module import *\nexcept ImportError:\n    N = 8", "", [], False),
]

# Kernels inside of functions.
FACTORIES = [
    ("def make():\n    w = np.zeros(3)\n    w[0] = 4\n{kernel w[0]}", "make()", [], True),
    ("def make():\n    w = np.zeros(3)\n    w.fill(4)\n{kernel w[0]}", "make()", [], False),
    ("def make():\n    w = np.zeros(3)\n    for i in range(3):\n        w[i] = i + 1\n{kernel w[2]}", "make()", [], True),
    ("def make():\n    w = np.zeros(3)\n    def f():\n        w[0] = 7\n    f()\n{kernel w[0]}", "make()", [], False),
    ("def make():\n    t = [0] * 3\n    t[1] = 8\n    t = tuple(t)\n{kernel t[1]}", "make()", [], False),
    ("def make(n):\n    w = np.zeros(3)\n    w[0] = n\n{kernel w[0]}", "make(3)", ["make.n=3"], True),
    ("def make(n):\n    if n == 1:\n        v = 4\n    else:\n        v = 5\n{kernel v}", "make(3)", ["make.n=3"], True),
    ("def make(n):\n    if n == 1:\n        v = 4\n    else:\n        v = 5\n{kernel v}", "make(3)", [], False),
    ("def make(kind):\n    if kind == 'sum':\n        {inner def}\n    elif kind == 'max':\n        {inner other}\n{kernel op(3, 5)}",
     "make('max')", ["make.kind='max'"], True),
    ("def make(kind):\n    if kind == 'sum':\n        {inner def}\n    elif kind == 'max':\n        {inner other}\n{kernel op(3, 5)}",
     "make('sum')", ["make.kind='sum'"], True),
    ("def make(kind):\n    if kind == 'sum':\n        {inner def}\n    elif kind == 'max':\n        {inner other}\n{kernel op(3, 5)}",
     "make('max')", [], False),
]

CFG = """import numpy as np
from numba import cuda
N = 1
W = np.arange(3)
L = [1, 2, 3]
D = {'a': 1}
F = np.zeros(3)
F[1] = 6
G = np.zeros(3)
G.fill(6)
class Box:
    N = 1
@cuda.jit(device=True)
def add(a, b):
    return a + b + 100
"""


def device(body, indent):
    pad = " " * indent
    return f"@cuda.jit(device=True)\n{pad}def op(a, b):\n{pad}    return {body}"


def written(text):
    one, two = "a + b", "a * b"
    text = re.sub(r"\{if (.*?)\}", lambda m: f"if {m[1]}:\n    {device(one, 4)}\nelse:\n    {device(two, 4)}", text)
    for word, body, indent in (("plain def", "a - b", 0), ("def", one, 4), ("other def", two, 4), ("inner def", one, 8),
                               ("inner other", two, 8)):
        text = text.replace("{" + word + "}", device(body, indent))
    return re.sub(r"\{kernel (.*?)\}", r"    @cuda.jit\n    def k(out):\n        out[0] = \1\n    return k", text)


def cases():
    """Yields the text of each module, how Python makes the kernel, the options, and whether the value must be known."""
    for kinds, change, exact in CHANGES:
        for kind in kinds.split():
            made, read = OBJECTS[kind]
            kernel = f"@cuda.jit\ndef k(out):\n    out[0] = {read}\n"
            yield (HEAD + "x = {}\n" + made + "\n" + kernel + change + "\n" if "k[1" in change else
                   HEAD + made + "\n" + change + "\n" + kernel), "k", [], exact
    for read, before, behind, options, exact in MODULES:
        yield HEAD + written(before) + f"\n@cuda.jit\ndef k(out):\n    out[0] = {read}\n" + behind, "k", options, exact
    for text, call, options, exact in FACTORIES:
        yield HEAD + written(text) + "\n", call, options, exact


def python_says(text, made, options, folder):
    """Returns the number that the kernel reads; None where the module fails."""
    before = dict(sys.modules)
    stub = module_names.stub()
    stub["numba.cuda"].to_device = numpy.copy
    stub["numba.cuda"].const = type("const", (), {"array_like": staticmethod(lambda a: a)})
    sys.modules.update(stub)
    sys.path.insert(0, str(folder))
    scope = {"__name__": "module"}
    try:
        for option in options:  # what `-D` says counts in Python too, where it stands for a name of the module
            name, _, value = option.partition("=")
            if ".py:" in value:
                import cfg
                text = text.replace("@cuda.jit\ndef k(", "from cfg import add as op\n@cuda.jit\ndef k(")
            elif "." not in name:
                text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.M)
        exec(compile(text, "module.py", "exec"), scope)
        kernel = eval(made, scope)
        kernel.compile()
        return None if "error" in kernel.seen else float(kernel.seen[0].real)
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - set(before):
            if not name.startswith("numpy"):
                del sys.modules[name]
        sys.modules.update(before)


def wrong(kernc, folder, text, expected, options, exact):
    """Returns what is wrong with kernc's answer; nothing where it is right."""
    path = folder / "module.py"
    words = [kernc, "run", str(path), "k", "out=zeros:f64:1", "--grid", "1", "--block", "1", "--device=cpu", "--print", "out"]
    for option in options:
        name, _, value = option.partition("=")
        words += ["-D", f"{name}={folder / value}" if ".py:" in value else option]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode == 0:
        value = eval(done.stdout.partition("=")[2])[0]
        return "" if value == expected or abs(value - expected) < 1e-6 else f"Python {expected}, Kern {value}"
    if exact:
        return f"refused: {done.stderr}"
    if done.returncode != 1 or "-D" not in done.stderr:
        return f"exit {done.returncode}, no `-D` line: {done.stderr}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernc")
    parser.add_argument("--only", default="", help="modules that hold this text")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    os.environ["KERN_CACHE"] = "off"
    rows = [case for case in cases() if args.only in case[0]]
    failed = 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = []
        for i, (text, made, options, exact) in enumerate(rows):
            folder = pathlib.Path(temporary) / str(i)
            folder.mkdir()
            (folder / "cfg.py").write_text(CFG)
            (folder / "module.py").write_text(text)
            expected = python_says(text, made, options, folder)
            if expected is None:
                print(f"Python itself fails:\n{text}")
                failed += 1
                continue
            waiting.append((text, pool.submit(wrong, args.kernc, folder, text, expected, options, exact)))
        for text, result in waiting:
            if result.result():
                failed += 1
                print(f"{result.result()}\n---- module.py\n{text}")
    print(f"{len(rows)} modules, {failed} wrong")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
