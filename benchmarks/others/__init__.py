"""The parts of benchmarks/others.py. Reading this order explains it: build, trace.c, run, host, dispatch, cg.cpp, lu.cpp, report."""
