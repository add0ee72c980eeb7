#!/usr/bin/env python3
"""The 16 kernels on an NVIDIA GPU: Kern from suite.kern and from suite_numba.py, with guards and without, beside CUDA C++, Numba and
libraries. Three steps, as the machine with the GPU needs neither kernc nor LLVM:

  gpu.py build -o FOLDER      here: the library under test (kernc, a C++ compiler)
  gpu.py run FOLDER -o FILE   there: measures, writes JSON (a GPU, CuPy; Numba and PyTorch where they are)
  gpu.py report FILE          anywhere: tables; with --plots FOLDER pictures too (matplotlib)
"""
import argparse
import os
import pathlib
import sys

from compile_time import names, root
from gpu import cases


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="make the folder that a GPU machine needs")
    build.add_argument("--kernc", default=root / "build/bin/kernc")
    build.add_argument("--runtime", default=root / "build/runtime/libkern_runtime.a", help="libkern_runtime.a")
    build.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    build.add_argument("--arch", default="sm_90", help="of the cubins (sm_90)")
    build.add_argument("--variant", action="append", default=[], metavar="NAME=OPTIONS", help="both sources once more with these options of kernc")
    build.add_argument("--cxx", default=os.environ.get("CXX", "c++"))
    build.add_argument("--jobs", type=int, default=os.cpu_count())
    run = commands.add_parser("run", help="measure on this machine")
    run.add_argument("folder", type=pathlib.Path, help="what `build` made")
    run.add_argument("-o", dest="results", type=pathlib.Path, default=pathlib.Path("results.json"))
    run.add_argument("--parts", type=names, default=["ceilings", "anchors", "launch", "first_use", "compile", "sizes"],
                     help="of ceilings,anchors,launch,first_use,compile,sizes")
    run.add_argument("--only", type=names, default=list(cases.CASES), metavar="KERNEL,...", help="of the 16 kernels")
    run.add_argument("--seconds", type=float, default=200, help="for the measurements of anchors, and again for those of sizes (200)")
    run.add_argument("--compile-time", type=pathlib.Path, help="the program compile_time (ninja compile_time): compilation in process")
    run.add_argument("--kernc", type=pathlib.Path, help="without it: a kernc, for its --time-report")
    run.add_argument("--check", action="store_true", help="only say what there is to measure with")
    worker = commands.add_parser("worker")  # what `run` starts
    worker.add_argument("folder", type=pathlib.Path)
    first_use = commands.add_parser("first-use")  # likewise
    first_use.add_argument("folder", type=pathlib.Path)
    report = commands.add_parser("report", help="print the tables of a run")
    report.add_argument("results", type=pathlib.Path)
    report.add_argument("--plots", type=pathlib.Path, metavar="FOLDER")
    return parser.parse_args()


def main():
    options = arguments()
    if options.command == "build":
        from gpu import build
        print(build.build(options.kernc, options.runtime, options.folder, options.arch, options.variant, options.cxx, options.jobs))
    elif options.command == "run":
        from gpu import run
        return run.check(options.folder) if options.check else run.run(options)
    elif options.command == "worker":
        from gpu import worker
        return worker.work(options.folder)
    elif options.command == "first-use":
        from gpu import first_use
        return first_use.measure(options.folder)
    else:
        from gpu import report
        report.report(options.results, options.plots)


if __name__ == "__main__":
    sys.exit(main())
