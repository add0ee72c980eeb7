"""How a text test is run: as lit does it, but one that uses a tool which the machine lacks is skipped. In a build all of them are
there; a bundle has what the machine has."""
import os
import pathlib
import shutil
import subprocess

import lit.Test
import lit.formats


def missing_tools(config):
    """Returns the words that stand in a test only where it needs a tool that is not here."""
    numpy = config.python and subprocess.run([config.python, "-c", "import numpy"], capture_output=True).returncode == 0
    path = os.pathsep.join([config.llvm_tools, os.environ.get("PATH", "")])
    tools = {"%cxx": config.cxx, "%cmake": config.cmake, "%examples": config.examples,
             "%jit_formula": config.jit_formula, "%print_names": config.print_names, "%fake_cuda": config.fake_cuda, "%python": numpy,
             "nm -g": shutil.which("nm"), "llvm-bcanalyzer": shutil.which("llvm-bcanalyzer", path=path)}
    return [word for word, there in tools.items() if not there]


class TextTest(lit.formats.ShTest):
    def __init__(self, missing):
        super().__init__(execute_external=False)
        self.missing = missing

    def execute(self, test, lit_config):
        text = pathlib.Path(test.getSourcePath()).read_bytes()
        for word in self.missing:
            if word.encode() in text:
                return lit.Test.Result(lit.Test.UNSUPPORTED, f"{word} is not here")
        return super().execute(test, lit_config)
