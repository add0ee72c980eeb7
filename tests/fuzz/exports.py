"""A shared library of kernels and the static runtime for ctypes. Such a library exports nothing of Kern by itself: neither the runtime nor the objects. A file of
C++ linked into it says where they are."""
import ctypes
import pathlib
import re

TEMPLATE = """#include <cstring>
extern "C" {
%s
__attribute__((visibility("default"))) void* kern_exported(const char* name) {
  static const struct { const char* name; void* place; } places[] = {%s};
  for (const auto& each : places)
    if (std::strcmp(each.name, name) == 0) return each.place;
  return nullptr;
}
}
"""


def functions():
    """The names of the functions of the C interface."""
    header = pathlib.Path(__file__).resolve().parent.parent.parent / "runtime/include/kern/runtime.h"
    return sorted(set(re.findall(r"\b(kern_\w+)\(", re.sub(r"//.*", "", header.read_text(encoding="utf-8")))))


def exports_text(objects):
    """The C++ text that exports those functions and the objects of these namespaces."""
    names = [*functions(), *(f"kern_object_{each}" for each in objects)]
    return TEMPLATE % ("\n".join(f"extern char {name}[];" for name in names), ", ".join(f'{{"{name}", {name}}}' for name in names))


class Library:
    """The functions by their names as attributes, as of a ctypes.CDLL; an AttributeError where one is not exported."""

    def __init__(self, path):
        self.native = ctypes.CDLL(path)
        self.native.kern_exported.restype = ctypes.c_void_p

    def place(self, name):
        if place := self.native.kern_exported(name.encode()):
            return place
        raise AttributeError(name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        function = self.native._FuncPtr(self.place(name))
        setattr(self, name, function)
        return function
