#!/usr/bin/env python3
"""Random calls among functions that are fast or not: a function is fast in an instance if it, or a caller on the way from its kernel, asks
for fast math, and each kernel's PTX has the divisions of the functions that it reaches so.

usage: fast_math.py KERNC [--count N] [--seed S] [--seconds T]
"""
import random
import re
import subprocess
import sys

import arguments


class Function:
    def __init__(self, name, is_fast, waits, callees):
        self.name, self.is_fast, self.callees = name, is_fast, callees
        self.waits = waits or any(callee.waits for callee in callees)
        self.own_wait = waits

    def reached(self, fast, found):
        """Collects (function, fast) of every instance below, and whether one that waits is fast in an exact caller."""
        found["mixed"] |= self.waits and self.is_fast and not fast
        fast = fast or self.is_fast
        found["instances"].add((self.name, fast))
        for callee in self.callees:
            callee.reached(fast, found)


def program(r):
    functions = []
    for i in range(r.randrange(2, 7)):
        callees = r.sample(functions, min(len(functions), r.randrange(0, 3)))
        functions.append(Function(f"f{i}", r.random() < 0.25, r.random() < 0.15, callees))
    kernels = [Function(f"k{i}", r.random() < 0.5, False, r.sample(functions, min(len(functions), r.randrange(1, 3)))) for i in range(3)]
    lines = []
    for i, function in enumerate(functions):
        lines += ["@device(fastmath=True)" if function.is_fast else "@device", f"def {function.name}(a, b):"]
        lines += ["    syncthreads()"] if function.own_wait else []
        lines += [f"    r = a / (b + {i + 1}.0)"] + [f"    r = max(r, {callee.name}(a, b))" for callee in function.callees] + ["    return r", ""]
    for kernel in kernels:
        lines += [f"@kernel(fastmath={kernel.is_fast})", f"def {kernel.name}(x: f32[:]):", "    i = threadIdx.x"]
        lines += ["    a, b = x[i], x[i + 1]", "    r = a"] + [f"    r = max(r, {callee.name}(a, b))" for callee in kernel.callees]
        lines += ["    x[i + 2 + blockIdx.x * blockDim.x] = r", ""]
    return "\n".join(lines), kernels


def kernc(compiler, path, *options):
    result = subprocess.run([compiler, path, "-Wno-race", *options, "-o", "-"], capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise AssertionError(f"exit code {result.returncode}\n{result.stderr}")
    return result.stdout


def check(compiler, path, kernels):
    expected = {"instances": set()}
    ptx = kernc(compiler, path, "--emit=ptx")
    parts = dict(re.findall(r"^\.visible \.entry (\w+)\((.*?)^}", ptx, re.M | re.S))
    for kernel in kernels:
        found = {"instances": set(), "mixed": False}
        for callee in kernel.callees:
            callee.reached(kernel.is_fast, found)
        expected["instances"] |= found["instances"]
        if len(re.findall(r"^\.func", ptx, re.M)) > 2:
            continue  # more than the declaration and the body of the function that reports faults
        if found["mixed"]:
            continue  # how much of what it calls is inlined, and exact with it, is the inliner's choice
        for word, fast in (("div.approx", True), ("div.rn", False)):
            wanted = any(is_fast == fast for _, is_fast in found["instances"])
            assert (word in parts[kernel.name]) == wanted, f"{kernel.name}: {word} is {'not ' * wanted}there"
    ir = kernc(compiler, path, "--emit=ir")
    blocks = [block for block in ir.split("\n\n") if block.lstrip().startswith("device ")]
    instances = [(re.match(r"\s*device (\w+)", block)[1], "\n  fast_math\n" in block) for block in blocks]
    assert len(instances) == len(set(instances)), f"an instance is there twice: {instances}"
    assert expected["instances"] <= set(instances), f"instances: {instances}, expected {expected['instances']}"
    names = {name for name, _ in expected["instances"]}
    extra = {instance for instance in set(instances) - expected["instances"] if instance[0] in names}
    assert not extra, f"instances that nothing calls: {extra}"


def check_program(options, seed, folder):
    text, kernels = program(random.Random(seed))
    path = folder / "calls.kern"
    path.write_text(text)
    try:
        check(options.kernc, path, kernels)
    except AssertionError as error:
        sys.exit(f"{error}\n{text}")


arguments.agree(arguments.parser(20).parse_args(), check_program)
