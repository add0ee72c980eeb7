# The tests of a bundle: everything is found from where this file lies.
import os
import pathlib
import shutil
import sys

tests = pathlib.Path(__file__).resolve().parent
root = tests.parents[2]
tools = tests / "tools"
config.kernc = str(root / "bin/kernc")
config.file_check = str(tools / "FileCheck")
config.llvm_tools = str(tools)
config.cxx = shutil.which("c++") or shutil.which("g++") or ""
config.include = str(root / "include")
config.runtime = str(root / "lib/libkern_runtime.a")
config.examples = ""
config.print_names = ""
config.jit_formula = ""
config.fake_cuda = ""
config.cmake = ""
config.cpack = ""
config.build = ""
config.python = sys.executable
config.kern_tests_binary_dir = os.path.join(os.getcwd(), "kern-tests")
lit_config.load_config(config, str(tests / "lit.cfg.py"))
