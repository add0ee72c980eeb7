"""The parts of benchmarks/gpu.py. Reading this order explains it: cases, build, library, contenders, timing, parts, worker, report."""
