"""The text tests: every .kern, .py and .test file below a folder of tests/, run by its RUN lines.

Substitutions: %kernc, %FileCheck, %python (with numpy), %cxx, %include and %runtime (to build a C++ program with kernels),
%cmake, %cpack and %build (to install it), %jit_formula (an example, built), %print_names (prints what python/ says
of names), %fake_cuda (a driver on host memory, for KERN_LIBCUDA: its kernels do nothing), %ptxas (where the feature `ptxas` is; %kernc, where it writes PTX, then has it assembled), and
`%exits N COMMAND...`, which runs a command and demands exit code N; %examples, the folder of the C++ examples, and %device, the
environment in which they run: KERN_DEVICE=cuda with KERN_TEST_CUDA=1, else the CPU. Features: ptxas, avx512, cuda, make, dpkg, pkgconfig, clang,
libdevice, gdb, dwarfdump, tree (the examples and benchmarks lie beside the tests).
"""
import os
import pathlib
import shutil
import subprocess
import sys

source = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(source))
from text_test import TextTest, missing_tools  # noqa: E402

config.name = "kern"
config.test_format = TextTest(missing_tools(config))
config.suffixes = [".kern", ".py", ".test"]
config.excludes = ["Inputs", "unit", "fuzz", "__pycache__"] + [path.name for path in source.iterdir() if path.is_file()]
config.test_source_root = str(source)
config.test_exec_root = config.kern_tests_binary_dir


def find_ptxas():
    folders = os.environ.get("PATH", "").split(os.pathsep) + ["/usr/local/cuda/bin"]
    return next((tool for tool in (os.path.join(folder, "ptxas") for folder in folders) if os.access(tool, os.X_OK)), None)


def cpu_has(flag):
    try:
        return flag in pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False


ptxas = find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    # A command that may write PTX: FILE and options, up to a pipe, with a word of PTX or the standard output in them.
    config.substitutions.append((r"%kernc(?= (?!run )[^|;&]*(?:[=.,]ptx\b|-o -(?:\s|$)))", f"{source / 'assembled'} {ptxas} {config.kernc}"))
if cpu_has("avx512vl") and cpu_has("avx512dq") and cpu_has("avx512bw"):
    config.available_features.add("avx512")
if shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"):
    config.available_features.add("dpkg")
if "libdevice" in subprocess.run([config.kernc, "doctor"], capture_output=True, text=True).stdout:
    config.available_features.add("libdevice")
if shutil.which("gdb"):
    config.available_features.add("gdb")
if shutil.which("llvm-dwarfdump", path=os.pathsep.join([config.llvm_tools, os.environ.get("PATH", "")])):
    config.available_features.add("dwarfdump")
if shutil.which("clang++-19"):
    config.available_features.add("clang")
if shutil.which("pkg-config"):
    config.available_features.add("pkgconfig")
if shutil.which("make"):
    config.available_features.add("make")
if (source.parent / "CMakeLists.txt").exists():
    config.available_features.add("tree")
if os.environ.get("KERN_TEST_CUDA") == "1":
    config.available_features.add("cuda")

config.substitutions += [
    ("%kernc", config.kernc),
    ("%FileCheck", config.file_check),
    ("%python", config.python),
    ("%exits", str(source / "exits")),
    ("%cxx", config.cxx),
    ("%include", config.include),
    ("%runtime", config.runtime),
    ("%examples", config.examples),
    ("%device", "KERN_DEVICE=cuda" if os.environ.get("KERN_TEST_CUDA") == "1" else "KERN_DEVICE=cpu"),
    ("%fake_cuda", config.fake_cuda),
    ("%cmake", config.cmake),
    ("%cpack", config.cpack),
    ("%build", config.build),
    ("%jit_formula", config.jit_formula),
    ("%print_names", config.print_names),
]
# Tests see the same kernc whatever the machine's user has set.
for name in ("KERN_DEVICE", "KERN_LIBCUDA", "KERN_CPU", "KERN_CPU_THREADS", "KERN_CACHE_DIR", "KERN_CACHE_MAX_MB", "XDG_CACHE_HOME", "NO_COLOR", "COLUMNS"):
    config.environment.pop(name, None)
# A test that wants the kernel cache says so, and where.
config.environment["KERN_CACHE"] = "off"
# `not` and `count` are LLVM's.
config.environment["PATH"] = os.pathsep.join([config.llvm_tools, os.environ.get("PATH", "")])
# Small launches are what tests are made of.
config.environment["KERN_WARNINGS"] = "off"
# NumPy's powers of vectors of AVX-512 differ from those of the C library in the last bit.
config.environment["NPY_DISABLE_CPU_FEATURES"] = "AVX512_SKX"
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
