"""Measures what it is asked for, one task a line on the standard input, one JSON line an answer. A GPU that has failed leaves the process:
`run` starts another for the tasks that are left."""
import json
import sys
import time

import cupy
import numpy

from gpu import cases, contenders, timing
from gpu.library import Library


class Worker:
    def __init__(self, folder):
        self.build = json.loads((folder / "build.json").read_text())
        self.errors, self.contenders, self.resources = {}, {}, {}
        self.add("cuda", contenders.Cuda)
        self.add("numba", contenders.Numba)
        self.library = Library(folder)
        for namespace in self.build["objects"]:
            self.add(namespace, lambda: contenders.Kern(self.library, namespace))
            try:
                self.resources[namespace] = self.library.resources(namespace)
            except Exception as error:
                self.errors[f"resources of {namespace}"] = str(error)

    def add(self, name, make):
        try:
            self.contenders[name] = make()
        except Exception as error:
            self.errors[name] = f"{type(error).__name__}: {error}"[:500]

    def ceilings(self, _):
        n = 1 << 27
        a, b, c = (cupy.ones(n, "float32") for _ in range(3))
        add4, result = timing.ceiling_kernel("add4"), {}
        result["copy_GBps"] = 8 * n / timing.milliseconds(lambda: cupy.copyto(c, a)) / 1e6
        result["add_GBps"] = 12 * n / timing.milliseconds(lambda: add4((n // 1024,), (256,), (a, b, c, numpy.int32(n // 4)))) / 1e6
        rounds, blocks = 2000, 132 * 16
        for name, dtype in (("fma32", "float32"), ("fma64", "float64")):
            kernel, out = timing.ceiling_kernel(name), cupy.zeros(1, dtype)
            spent = timing.milliseconds(lambda: kernel((blocks,), (256,), (out, numpy.int32(rounds))))
            result[f"{name}_TFLOPs"] = 2 * 8 * 16 * rounds * blocks * 256 / spent / 1e9
        return result

    def launch(self, _):
        return self.library.launch_cost()

    def values(self, plan):
        random, made = cupy.random.RandomState(1), []
        for spec in plan.arguments:
            if isinstance(spec, cases.Scalar):
                made.append(numpy.dtype(spec.dtype).type(spec.value))
            elif spec.fill == "random":
                made.append(random.random_sample(spec.shape, dtype=spec.dtype) * numpy.dtype(spec.dtype).type(spec.high - spec.low)
                            + numpy.dtype(spec.dtype).type(spec.low))
            elif spec.fill == "integers":
                made.append(random.randint(0, spec.high, spec.shape, dtype="int32").astype(spec.dtype, copy=False))
            elif spec.fill == "steps":
                made.append(cupy.arange(spec.shape[0], dtype=spec.dtype) * numpy.int32(spec.high))
            else:
                made.append(cupy.zeros(spec.shape, spec.dtype))
        return made

    def answers(self, work, outputs):
        """What one run leaves in what the kernel writes."""
        for spec, value, before in outputs:
            if before is not None:
                value[...] = before
            else:
                value.fill(0 if spec.fill == "zeros" else numpy.nan if spec.dtype.startswith("float") else -1)
        returned = work()
        self.library.wait()
        cupy.cuda.Device().synchronize()
        return returned, [value.copy() for _, value, _ in outputs]

    def case(self, task):
        name = task["kernel"]
        case = cases.CASES[name]
        dimensions = case.anchor if task["part"] == "anchors" else case.dimensions(task["size"])
        plan = case.plan(*dimensions)
        row = {"kernel": name, "dimensions": dimensions, "bytes": plan.bytes, "flops": plan.flops, "double": case.double, "times": {}, "errors": {},
               "differences": {}}
        if plan.flops > cases.MOST_FLOPS:
            row["left_out"] = f"{plan.flops:.1e} operations a launch"
            return row
        values, works = self.values(plan), {}
        for contender, which in self.contenders.items():
            if task["part"] == "sizes" and contender.endswith("_ptx"):
                continue  # compared with machine code at the anchors' sizes
            try:
                works[contender] = which.launcher(name, plan, values)
            except Exception as error:
                row["errors"][contender] = str(error)[:500]
        try:
            if call := contenders.library_call(name, values):
                row["library"], works["library"] = call
        except Exception as error:
            row["errors"]["library"] = str(error)[:500]
        self.compare(plan, values, works, row)
        times, errors = timing.interleaved(works, task["seconds"])
        row["times"] = times
        row["errors"].update(errors)
        if task["part"] == "anchors":
            row["resources"] = self.resources_of(name)
        self.library.wait()
        return row

    def compare(self, plan, values, works, row):
        """Runs each contender once on outputs that were put back, and compares with CUDA C++; who fails or differs is not measured."""
        outputs = [(spec, value, value.copy() if spec.fill == "random" else None)
                   for spec, value in zip(plan.arguments, values) if getattr(spec, "written", False)]
        reference = None
        for contender in list(works):
            try:
                begin = time.perf_counter()
                returned, now = self.answers(works[contender], outputs)
                if contender == "numba":
                    row["numba_first_ms"] = 1e3 * (time.perf_counter() - begin)
                if contender == "library" and returned is not None:
                    now = [cupy.asarray(returned)]
                if reference is None:
                    reference = now
                worst = max(difference(one.ravel(), other.ravel()) for one, other in zip(now, reference))
                row["differences"][contender] = worst
                if not worst <= max(plan.tolerance, 1e-12):
                    raise RuntimeError(f"its answer differs from that of the first by {worst:.2g}")
            except Exception as error:
                row["errors"][contender] = str(error)[:500]
                del works[contender]

    def resources_of(self, name):
        found = {namespace: table[name] for namespace, table in self.resources.items() if name in table}
        for contender in ("cuda", "numba"):
            try:
                found[contender] = self.contenders[contender].resources(name)
            except Exception as error:
                self.errors[f"resources of {contender}"] = str(error)[:500]
        return found

    def answer(self, task):
        part = {"anchors": self.case, "sizes": self.case, "ceilings": self.ceilings, "launch": self.launch}[task["part"]]
        try:
            return part(task)
        finally:
            cupy.get_default_memory_pool().free_all_blocks()


def difference(one, other):
    """Of two answers, relative; a value that is no number makes it so."""
    one, other = one.astype("float64"), other.astype("float64")
    return float(cupy.linalg.norm(one - other) / max(1e-30, float(cupy.linalg.norm(other))))


def work(folder):
    worker = Worker(folder)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = worker.answer(task)
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"[:1000], **{key: task[key] for key in ("kernel",) if key in task}}
        print(json.dumps({"task": task, "answer": answer, "worker_errors": worker.errors}), flush=True)
        try:
            cupy.cuda.Device().synchronize()
        except Exception:
            return 3
    return 0
