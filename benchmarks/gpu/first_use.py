"""What the first use of a kernel costs in a process: each kernel of suite.kern, alone in its object, loaded from PTX and launched once on
the smallest data. Needs the library alone, so that nothing else has made the driver ready; another kernel goes first and pays for that."""
import json
import math
import time

from gpu import cases
from gpu.library import BYTES, Library, argument


def first_use(library, namespace, name, plan):
    arguments = [argument(spec, library.allocate(BYTES[spec.dtype] * math.prod(spec.shape)) if hasattr(spec, "shape") else 0)
                 for spec in plan.arguments]
    library.wait()
    begin = time.perf_counter()
    kernel = library.kernel(library.module(namespace), name, arguments)
    loaded = time.perf_counter()
    library.prepare(kernel, plan.grid, plan.block, arguments)()
    library.wait()
    return {"load_ms": 1e3 * (loaded - begin), "first_ms": 1e3 * (time.perf_counter() - begin)}


def measure(folder):
    build, library = json.loads((folder / "build.json").read_text()), Library(folder)
    launch = cases.Plan((1,), (256,), [cases.f32(1), cases.f32(1), *(cases.read(256) for _ in range(3))], (), 0)
    result = {"first in the process": first_use(library, "launch", "axpby", launch)}
    for variant in ["", *build["variants"]]:
        for name in build["kernels"]:
            key = "_".join(filter(None, (variant, name)))
            try:
                result[key] = first_use(library, f"one_{key}", name, cases.CASES[name].plan(*cases.CASES[name].dimensions(1000)))
            except Exception as error:
                result[key] = {"error": str(error)[:500]}
    print(json.dumps(result))
