#!/usr/bin/env python3
"""The library's device-wide algorithms on an NVIDIA GPU, with guards and without, beside CUB, cuRAND and a copy, or on the CPU beside C++
with OpenMP and TBB. Steps, as the machine that measures needs neither kernc nor LLVM:

  library.py build -o FOLDER      here: the kernels (kernc, a C++ compiler)
  library.py run FOLDER -o FILE   there: checks, measures, writes JSON (a GPU, nvcc, CuPy)
  library.py report FILE          anywhere: tables
  library.py plot FILE -o SVG     anywhere: a picture of time over size

`run FOLDER --device cpu` needs NumPy alone. It measures where the folder has the peers of `build --cpu-peers` (libtbb-dev), else it only checks.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys

from compile_time import names, root


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="make the folder that a GPU machine needs")
    build.add_argument("--kernc", type=pathlib.Path, default=root / "build/bin/kernc")
    build.add_argument("--runtime", default=root / "build/runtime/libkern_runtime.a", help="libkern_runtime.a")
    build.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    build.add_argument("--arch", default="sm_90", help="of the cubins (sm_90)")
    build.add_argument("--cpu-peers", action="store_true", help="with the C++ that `run --device cpu` measures beside")
    build.add_argument("--cxx", default=os.environ.get("CXX", "c++"))
    build.add_argument("--jobs", type=int, default=os.cpu_count())
    run = commands.add_parser("run", help="measure on this machine")
    run.add_argument("folder", type=pathlib.Path, help="what `build` made")
    run.add_argument("-o", dest="results", type=pathlib.Path, default=pathlib.Path("library.json"))
    run.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    run.add_argument("--only", type=names, default=[""], metavar="TEXT,...", help="cases with one of these in their names")
    run.add_argument("--sizes", type=lambda text: [int(size) for size in names(text)], metavar="N,...", help="numbers of elements")
    report = commands.add_parser("report", help="print the tables of a run")
    report.add_argument("results", type=pathlib.Path)
    plot = commands.add_parser("plot", help="draw the times of a run over the number of elements")
    plot.add_argument("results", type=pathlib.Path)
    plot.add_argument("-o", dest="picture", type=pathlib.Path, default=pathlib.Path("library.svg"))
    return parser.parse_args()


def build(options):
    """One shared library with the runtime and an object of each module with guards `on` and `off`, and what a host must know in build.json."""
    import concurrent.futures

    from gpu.build import call, exports_text
    from gpu.device_wide import MODULES, constants
    kernc, work = options.kernc.resolve(), options.folder / "objects"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    commands = []
    for name, module in MODULES.items():
        given = [*(f"--sig={text}" for text in module.signatures), *(f"-D{key}={value}" for key, value in module.defines.items())]
        for guards in ("on", "off"):
            commands.append([kernc, module.source, *given, f"--guards={guards}", f"--arch={options.arch},x86-64-v3,x86-64-v4", f"--namespace={name}_{guards}",
                             "-o", work / f"{name}_{guards}.o"])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(call, commands))
    made = sorted(work.glob("*.o"))
    (work / "exports.cpp").write_text(exports_text(path.stem for path in made))
    library = options.folder / "libkern_bench.so"
    call([options.cxx, "-shared", "-fPIC", "-s", "-o", library, work / "exports.cpp", *made, options.runtime, "-lpthread", "-ldl",
          "-static-libstdc++", "-static-libgcc"])
    known = {"kernc": call([kernc, "--version"]).stdout.strip(), "arch": options.arch, "cpu_peers": options.cpu_peers and build_cpu_peers(options),
             "constants": {name: constants(module) for name, module in MODULES.items()}}
    (options.folder / "build.json").write_text(json.dumps(known, indent=1))
    shutil.rmtree(work)
    return library


def build_cpu_peers(options):
    """A shared library for each level of x86-64, beside a copy of TBB. Returns the compiler's version."""
    from gpu.build import call
    sources = [root / "benchmarks/gpu" / f"device_wide_{name}.cpp" for name in ("peers", "sorts")]
    flags = ["-std=c++20", "-O3", "-mprefer-vector-width=512", "-fno-math-errno", "-fno-trapping-math", "-fopenmp", "-fPIC", "-shared"]
    for level in (3, 4):
        call([options.cxx, *flags, f"-march=x86-64-v{level}", *sources, "-o", options.folder / f"libpeers_v{level}.so", "-ltbb", "-Wl,-rpath,$ORIGIN"])
    shutil.copy(call([options.cxx, "-print-file-name=libtbb.so.12"]).stdout.strip(), options.folder)
    return call([options.cxx, "--version"]).stdout.splitlines()[0]


def main():
    options = arguments()
    if options.command == "build":
        print(build(options))
    elif options.command == "run":
        from gpu.device_wide_run import run
        return run(options)
    elif options.command == "plot":
        from gpu.device_wide_plot import plot
        plot(options.results, options.picture)
    else:
        from gpu.device_wide_run import report
        report(options.results)


if __name__ == "__main__":
    sys.exit(main())
