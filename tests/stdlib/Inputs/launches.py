"""Runs kernels of a file one behind the other in one `kernc run`, and compares what they write with NumPy's results."""
import os
import pathlib
import subprocess
import sys

import numpy as np

here = pathlib.Path(__file__).resolve().parent


def run_stages(kernc, source, folder, stages, *options):
    """Runs launches, each the words of one, and says whether all went well."""
    words = [kernc, "run", str(source)]
    for number, stage in enumerate(stages):
        words += (["--then"] if number > 0 else []) + stage
    words += map(str, options)
    # Launches of one kernel share its code, through a cache of this test's own.
    cache = {"KERN_CACHE": "on", "KERN_CACHE_DIR": str(pathlib.Path(folder).resolve() / "cache")}
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **cache})
    if done.returncode:
        print(f"exit code {done.returncode}: {' '.join(words)[:4000]}\n{done.stderr[:4000]}")
    return done.returncode == 0


class Launches:
    """Collects launches of kernels of one file, with one set of options."""

    failures = 0    # of all

    def __init__(self, kernc, source, folder, *options):
        self.kernc, self.source, self.options = kernc, source, options
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.stages = []
        self.files = 0

    def save(self, array):
        self.files += 1
        path = self.folder / f"{self.files}.npy"
        np.save(path, array)
        return path

    def add(self, kernel, inputs, outputs, *launch):
        """Adds a launch. `inputs` are arguments, arrays and words; `outputs` has what arrays must hold afterwards, of zeros where
        they are no inputs; `launch` is the grid, or words."""
        words = [kernel]
        for name, value in {**{name: np.zeros_like(value) for name, value in outputs.items()}, **inputs}.items():
            words.append(f"{name}=@{self.save(value)}" if isinstance(value, np.ndarray) else f"{name}={value}")
        for name, value in outputs.items():
            words += ["--expect", f"{name}={self.save(value)}"]
        if len(launch) == 1 and not isinstance(launch[0], str):
            launch = ("--grid", *launch)
        self.stages.append([*words, *map(str, launch)])

    def run(self, *options):
        if not run_stages(self.kernc, self.source, self.folder, self.stages, *self.options, *options):
            Launches.failures += 1


def finish(name="launches"):
    """Ends the process: with 1 where a launch was wrong."""
    print(f"{name}: {Launches.failures} failed")
    sys.exit(1 if Launches.failures else 0)
