#!/usr/bin/env python3
"""Programs of others on an NVIDIA GPU: the NAS Parallel Benchmarks, written for Numba, with their kernels compiled by kernc, beside the same
programs in CUDA C++. Every program verifies its own result. Three steps, as the machine with the GPU needs neither kernc nor nvcc:

  others.py build -o FOLDER      here: kernels, programs, and what times kernels (kernc, g++, nvcc, pip's index)
  others.py run FOLDER -o FILE   there: measures, writes JSON (a GPU, Numba)
  others.py report FILE...       anywhere: tables
"""
import argparse
import os
import pathlib
import sys

from compile_time import names, root

BENCHES = ["EP", "CG", "MG", "FT", "IS", "BT", "SP", "LU"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="make the folder that a GPU machine needs")
    build.add_argument("--python", type=pathlib.Path, required=True, help="a checkout of danidomenico/NPB-PYTHON")
    build.add_argument("--cuda", type=pathlib.Path, help="a checkout of GMAP/NPB-GPU")
    build.add_argument("--no-cuda", action="store_true", help="make only what kernc makes; the rest of FOLDER stays")
    build.add_argument("--cupti", type=pathlib.Path, help="a folder with CUPTI's include and lib (without it: pip's nvidia-cuda-cupti)")
    build.add_argument("--kernc", type=pathlib.Path, default=root / "build/bin/kernc")
    build.add_argument("--runtime", type=pathlib.Path, default=root / "build/runtime/libkern_runtime.a", help="libkern_runtime.a")
    build.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    build.add_argument("--arch", default="sm_90")
    build.add_argument("--class", dest="problem", default="B", metavar="CLASS", help="how large the CUDA C++ programs' problems are (B)")
    build.add_argument("--benches", type=names, default=BENCHES, metavar="BENCH,...")
    build.add_argument("--variant", action="append", default=[], metavar="NAME=OPTIONS",
                       help="all once more with these options of kernc; @KERNC among them: by that one, with the runtime of its build")
    build.add_argument("--jobs", type=int, default=os.cpu_count())
    run = commands.add_parser("run", help="measure on this machine")
    run.add_argument("folder", type=pathlib.Path, help="what `build` made")
    run.add_argument("-o", dest="results", type=pathlib.Path, default=pathlib.Path("results.json"))
    run.add_argument("--only", type=names, metavar="BENCH,...")
    run.add_argument("--contenders", type=names, metavar="NAME,...", help="of cuda, numba and what was built (all but numba, which compiles long)")
    run.add_argument("--seconds", type=float, default=300, help="in all; what is not done by then is left out (300)")
    run.add_argument("--times", type=int, default=1, help="timed runs of each program (1)")
    host = commands.add_parser("host")  # what `run` starts
    host.add_argument("folder", type=pathlib.Path)
    host.add_argument("bench")
    host.add_argument("contender")
    host.add_argument("problem")
    host.add_argument("times", type=int)
    report = commands.add_parser("report", help="print the tables of runs")
    report.add_argument("results", type=pathlib.Path, nargs="+")
    return parser.parse_args()


def main():
    options = arguments()
    if options.command == "build":
        from others import build
        build.build(options)
    elif options.command == "run":
        from others import run
        run.run(options)
    elif options.command == "host":
        from others import host
        host.work(options)
    else:
        from others import report
        report.report(options.results)


if __name__ == "__main__":
    sys.exit(main())
