"""Makes a folder with everything that a GPU machine needs: one shared library with the runtime and all objects, and build.json, which says
what the objects are and how their guards stand.

An object is a source (`kern` is suite.kern, `py` is suite_numba.py) with guards `on` or `off`, in machine code (`cubin`) or as text that
the driver compiles (`ptx`). Options beyond that come as variants, NAME=OPTIONS: each makes both sources once more, as cubins. Kernels of
suite.kern stand alone as well, as PTX, for what a first use costs.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from compile_time import kernels_apart, root

sys.path.append(str(root / "tests/fuzz"))
from exports import exports_text  # noqa: E402

here = pathlib.Path(__file__).resolve().parent
SOURCES = {"kern": root / "benchmarks/suite.kern", "py": root / "benchmarks/suite_numba.py"}
# A table has each of these as a form of its own when this kernc knows the option.
KNOWN_VARIANTS = {"clamp": "--on-fault=clamp"}


def call(command, **how):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **how)
    if done.returncode != 0:
        raise SystemExit(f"gpu.py: {shlex.join(map(str, command))} failed:\n{done.stderr or done.stdout}")
    return done


def signatures():
    return [f"--sig={line}" for line in (here / "signatures.txt").read_text().splitlines() if line]


def source_options(source):
    return [SOURCES[source], *(signatures() if source == "py" else [])]


def guards_by_form(text, left_out=r"\$"):
    """Of what --emit=guards prints: for each kernel, how many guards stand in which form, in the variant that a launch tries first. Functions
    with `left_out` in their names do not count: instances of device functions and the other variants."""
    kernels = {}
    for line in text.splitlines():
        if head := re.match(r"([\w$]+): \d+ of \d+ proved", line):
            forms = kernels.setdefault(head[1], {}) if not re.search(left_out, head[1]) else {}
        elif guard := re.match(r"\s*\d+:\d+ .+?: ([a-z]+)(?=[ ,;]|$)", line):
            forms[guard[1]] = forms.get(guard[1], 0) + 1
    return kernels


def variants_of(kernc, asked):
    """Name to options: those asked for as NAME=OPTIONS, and the known ones that this kernc has."""
    options = call([kernc, "help"]).stdout
    known = {name: option for name, option in KNOWN_VARIANTS.items() if option.split("=")[0] in options}
    return {**known, **dict(text.split("=", 1) for text in asked)}


def objects_of(arch, variants):
    """Name to (source, guards, code, variant, options) of each object with a whole suite."""
    objects = {}
    for source in SOURCES:
        for guards in ("on", "off"):
            for code in ("cubin", "ptx"):
                objects[f"{source}_{guards}_{code}"] = (source, guards, code, "", [f"--guards={guards}"])
        for name, options in variants.items():
            objects[f"{source}_{name}_cubin"] = (source, "on", "cubin", name, shlex.split(options))
    return {name: (*what[:4], what[4] + ([f"--arch={arch}"] if what[2] == "cubin" else [])) for name, what in objects.items()}


def build(kernc, runtime, folder, arch, asked, cxx, jobs):
    folder.mkdir(parents=True, exist_ok=True)
    work = folder / "objects"
    apart = folder / "apart"
    for path in (work, apart):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
    kernc = pathlib.Path(kernc).resolve()
    variants = variants_of(kernc, asked)
    objects = objects_of(arch, variants)
    # A benchmark on a GPU has no use for CPU code at several levels.
    common = [kernc, "--arch=x86-64-v3"]
    commands = [[*common, *source_options(source), *options, f"--namespace={name}", "-o", work / f"{name}.o"]
                for name, (source, _, _, _, options) in objects.items()]
    commands.append([*common, root / "benchmarks/launch.kern", "-o", work / "launch.o", "-o", work / "launch.kern.hpp"])
    kernels = []
    for name, text in kernels_apart(SOURCES["kern"].read_text()):
        kernels.append(name)
        (apart / f"{name}.kern").write_text(text)
        for variant, options in {"": "", **variants}.items():
            namespace = "_".join(filter(None, ("one", variant, name)))
            commands.append([*common, apart / f"{name}.kern", *shlex.split(options), f"--namespace={namespace}", "-o", work / f"{namespace}.o"])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(call, commands))
    call([cxx, "-std=c++20", "-O2", "-fPIC", f"-I{work}", f"-I{root / 'runtime/include'}", "-c", here / "launch_cost.cpp", "-o", work / "launch_cost.o"])
    library = folder / "libkern_bench.so"
    made = sorted(work.glob("*.o"))
    (work / "exports.cpp").write_text(exports_text(path.stem for path in made if path.stem != "launch_cost"))
    call([cxx, "-shared", "-fPIC", "-s", "-o", library, work / "exports.cpp", *made, runtime, "-lpthread", "-ldl", "-static-libstdc++", "-static-libgcc"])
    guards = {}
    for source in SOURCES:
        for variant, options in {"": "", **variants}.items():
            text = call([kernc, *source_options(source), *shlex.split(options), "--emit=guards", "--target=cuda", "-o", "-"]).stdout
            guards["_".join(filter(None, (source, variant)))] = guards_by_form(text)
    report = call([kernc, SOURCES["kern"], "-o", os.devnull, "--emit=ptx", "--time-report"]).stderr
    (folder / "build.json").write_text(json.dumps({
        "kernc": call([kernc, "--version"]).stdout.strip(), "arch": arch, "kernels": kernels, "variants": variants,
        "objects": {name: dict(zip(("source", "guards", "code", "variant"), what)) for name, what in objects.items()},
        "guards": guards, "suite_to_ptx_ms": float(re.search(r"total +([\d.]+) ms", report)[1]),
    }, indent=1))
    shutil.rmtree(work)
    return library
