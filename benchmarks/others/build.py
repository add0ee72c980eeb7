"""Makes a folder with everything that a GPU machine needs: `python` has the programs, `cuda` the same in CUDA C++, NAME.so.xz is a shared library
for each contender of Kern (the runtime and an object for each program), `hosts` has the programs with a host in C++ of ours, `lib` has what times
kernels, and build.json says what kernc did.
"""
import collections
import concurrent.futures
import json
import lzma
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile

from compile_time import root
from gpu.build import exports_text, guards_by_form

here = pathlib.Path(__file__).resolve().parent
# NPB-PYTHON had to make these blocks smaller than the C++ ones. Blocks of 1024 threads with so many registers do not launch in C++
# either, which nobody checks there.
SMALLER_BLOCKS = r"^((?:BT_THREADS_PER_BLOCK_ON_[XYZ]_SOLVE_2|SP_THREADS_PER_BLOCK_ON_ERROR_NORM_1) = ).*"
HOSTS = ["CG", "LU"]  # which have a host in C++ here, cg.cpp and lu.cpp


def call(command, **how):
    """Runs it and returns (what it printed, its CPU seconds). A thread waits for each command: only its own times are of use."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, **how)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode != 0:
        raise SystemExit(f"others.py: {shlex.join(map(str, command))} failed:\n{text}")
    return text, usage.ru_utime + usage.ru_stime


def cuda_tool(name):
    return shutil.which(name) or f"/usr/local/cuda/bin/{name}"


def contenders_of(options):
    """Name to (kernc, its options, runtime)."""
    result = {}
    for text in ["on=--guards=on", "off=--guards=off", *options.variant]:
        name, _, words = text.partition("=")
        kernc, runtime, words = options.kernc, options.runtime, shlex.split(words)
        for word in words:
            if word.startswith("@"):
                kernc = pathlib.Path(word[1:])
                beside = kernc.parent.parent / "runtime/libkern_runtime.a"
                runtime = beside if beside.exists() else runtime
        result[name] = kernc, [word for word in words if not word.startswith("@")], runtime
    return result


def compile_file(options, contender, bench, work):
    """One file as it is: its object, and what making its PTX and machine code took."""
    kernc, words, _ = contender
    source = options.python / "NPB-CUDA"
    common = [kernc, source / f"{bench}.py", f"-I{source}/common", f"-I{source}/config", *words]
    ptx = work / f"{bench}.ptx"
    text, kernc_seconds = call([*common, "-o", ptx])
    ptxas_seconds = call([cuda_tool("ptxas"), f"-arch={options.arch}", ptx, "-o", work / f"{bench}.cubin"])[1]
    # A benchmark on a GPU has no use for fast CPU code.
    call([*common, f"--arch={options.arch},x86-64-v3", "--lanes=1", f"--namespace={bench}", "-o", work / f"{bench}.o",
          "-o", work / f"{bench}.kern.hpp"])
    guards = collections.Counter()
    if "--guards=off" not in words:
        text_of_guards = call([*common, "--emit=guards", "--target=cuda", "-o", "-"])[0]
        for forms in guards_by_form(text_of_guards, left_out=r"\$v\d+$").values():
            guards.update(forms)
    return {"kernc_s": kernc_seconds, "ptxas_s": ptxas_seconds, "guards": guards, "large": re.findall(r"W0909\]: `([^`]+)`", text)}


def write_compressed(path, file):
    path.write_bytes(lzma.compress(file.read_bytes(), preset=1))  # 3 MB of 22: it has to travel


def build_host(options, name, bench, work, runtime):
    program = work / bench
    call(["g++", "-std=c++20", "-O2", "-s", f"-I{work}", f"-I{root}/runtime/include", here / f"{bench.lower()}.cpp", work / f"{bench}.o", runtime,
          "-lpthread", "-ldl", "-static-libstdc++", "-static-libgcc", "-o", program])
    write_compressed(options.folder / "hosts" / f"{bench}.{name}.xz", program)


def build_kern(options, work, pool):
    contenders, jobs = contenders_of(options), {}
    for name, contender in contenders.items():
        (work / name).mkdir()
        for bench in options.benches:
            jobs[name, bench] = pool.submit(compile_file, options, contender, bench, work / name)
    described, hosts = {}, []
    (options.folder / "hosts").mkdir(exist_ok=True)
    for name, (kernc, words, runtime) in contenders.items():
        files = {bench: jobs[name, bench].result() for bench in options.benches}
        described[name] = {"kernc": call([kernc, "--version"])[0].strip(), "options": words, "files": files}
        (work / name / "exports.cpp").write_text(exports_text(options.benches))
        library = work / name / "libkern_bench.so"
        call(["g++", "-shared", "-fPIC", "-s", "-o", library, work / name / "exports.cpp",
              *(work / name / f"{bench}.o" for bench in options.benches), runtime, "-lpthread", "-ldl", "-static-libstdc++", "-static-libgcc"])
        write_compressed(options.folder / f"{name}.so.xz", library)
        if name in ("on", "off"):
            hosts += [pool.submit(build_host, options, name, bench, work / name, runtime) for bench in HOSTS if bench in options.benches]
    for host in hosts:
        host.result()
    return described


def build_cuda(options, work, pool):
    """As its make.def says, but for the architecture. The folder is a copy, as two lines change: blocks, and digits of the seconds printed."""
    source = work / "cuda"
    shutil.copytree(options.cuda / "CUDA", source)
    for file, old, new in (("config/gpu.config", SMALLER_BLOCKS, r"\g<1>32"),
                           ("common/c_print_results.cpp", r"(Time in seconds = .*)%12\.2f", r"\1%12.6f")):
        (source / file).write_text(re.sub(old, new, (source / file).read_text(), flags=re.M))
    (options.folder / "cuda").mkdir(exist_ok=True)
    call(["g++", "-w", "-o", "setparams", "setparams.cpp"], cwd=source / "sys")
    nvcc = [cuda_tool("nvcc"), "-O3", "-std=c++14", f"-arch={options.arch}", "-Xcompiler", "-fopenmp", "-use_fast_math", "-w"]
    common = ["c_print_results.cpp", "c_randdp.cpp", "wtime.cpp", "c_timers.cu"]
    call([*nvcc, "-I.", "-c", *common], cwd=source / "common")

    def program(bench):
        call([source / "sys/setparams", bench.lower(), options.problem], cwd=source / bench)
        objects = [f"../common/{pathlib.Path(file).stem}.o" for file in common]
        call([*nvcc, "-I../common", f"{bench.lower()}.cu", *objects, "-o", options.folder / "cuda" / f"{bench}.{options.problem}", "-lgomp", "-lm",
              "-Xlinker", "-s"], cwd=source / bench)
    list(pool.map(program, options.benches))


def build_trace(options, work):
    cupti = options.cupti
    if not cupti:
        call([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "nvidia-cuda-cupti==13.0.*", "-d", work])
        with zipfile.ZipFile(next(work.glob("nvidia_cuda_cupti*.whl"))) as wheel:
            wheel.extractall(work)
        cupti = work / "nvidia/cu13"
    (options.folder / "lib").mkdir(exist_ok=True)
    library = next((cupti / "lib").glob("libcupti.so.*"))
    shutil.copy(library, options.folder / "lib")
    include = pathlib.Path(os.path.realpath(cuda_tool("nvcc"))).parent.parent / "include"  # CUPTI's headers include cuda.h
    call(["gcc", "-shared", "-fPIC", "-O2", "-s", here / "trace.c", f"-I{cupti}/include", f"-I{include}", options.folder / "lib" / library.name,
          "-lpthread", "-Wl,-rpath,$ORIGIN", "-o", options.folder / "lib/libtrace.so"])


def build(options):
    if not options.no_cuda and not options.cuda:
        raise SystemExit("others.py: --cuda FOLDER or --no-cuda is needed")
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(options.python / "NPB-CUDA", options.folder / "python", dirs_exist_ok=True)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = pathlib.Path(work)
        if not options.no_cuda:
            build_trace(options, work)
            build_cuda(options, work, pool)
        described = build_kern(options, work, pool)
    (options.folder / "build.json").write_text(json.dumps({"class": options.problem, "benches": options.benches, "kern": described}, indent=1))
