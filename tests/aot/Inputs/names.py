#!/usr/bin/env python3
"""Headers compile whatever kernels, parameters and files are called.

Names are the keywords of C++, the macros that the runtime's headers have at hand, what the generated headers themselves
call by name, and those of them with `_`, `prepare_` and so on, as kernels and as parameters; and for files the names that
the headers declare in the global namespace. What a machine's headers have is asked of its compiler, so that the table in
the compiler is tested against it.

usage: names.py KERNC INCLUDE FOLDER CXX... [--files N]     N: how many names of files are tried, 40 without
"""
import pathlib
import random
import re
import subprocess
import sys

HEADERS = "complex cstdint kern/kern.hpp kern/jit.hpp kern/dlpack.hpp".split()
C_HEADERS = "assert ctype errno fenv float inttypes limits locale math setjmp signal stdio stdlib string time wchar wctype"
KEYWORDS = """alignas alignof and_eq asm auto bitand bitor bool case catch char char16_t char8_t co_await co_return co_yield
    compl concept const const_cast consteval constexpr constinit decltype default delete do double dynamic_cast enum explicit export
    extern false float friend goto inline int long mutable namespace new noexcept not_eq nullptr operator or_eq private
    protected public register reinterpret_cast requires short signed sizeof static static_assert static_cast struct switch template
    this thread_local throw true typedef typeid typename typeof union unsigned using virtual void volatile wchar_t xor xor_eq restrict
    kern std""".split()
OWN = """Kernels load module module_ loaded_ launch launch_ status status_ kernel_0_ kernel_1_ device object Event Launch Status main
    prepare prepare_f f f_ prepare_prepare_f kern_object kern_argument kern_launch kern_object_names kern_object_main_ View Argument N NULL NULL_ _x _X __x __LINE__ __func__
    __attribute__ _Pragma __has_include v1 int8_t uint32_t size_t linux unix EOF errno assert stdin I
    unexpected override final import""".split()
# Words of Kern itself, which no source can call anything.
OF_KERN = set("and as assert break class continue def del elif else for from if import in is not or pass raise return while with True False None".split())


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def includes(c_headers):
    lines = [f"#include <{name}>" for name in HEADERS] + [f"#include <{name}.h>" for name in c_headers.split()]
    return "\n".join(lines) + "\n"


def macros(cxx):
    text = run([*cxx, "-std=gnu++20", "-dM", "-E", "-x", "c++", "-"], input=includes("")).stdout
    return sorted(set(re.findall(r"^#define ([A-Za-z]\w*)", text, re.M)))


def global_names(cxx):
    """The words of the preprocessed headers that cannot be a namespace."""
    source = includes(C_HEADERS)
    text = run([*cxx, "-std=gnu++20", "-E", "-P", "-x", "c++", "-"], input=source).stdout
    defined = set(re.findall(r"^#define (\w+)", run([*cxx, "-std=gnu++20", "-dM", "-E", "-x", "c++", "-"], input=source).stdout, re.M))
    words = sorted(set(re.findall(r"\b(?!__|_[A-Z])[A-Za-z_]\w*", text)) - set(KEYWORDS) - OF_KERN - defined)
    tried = source + "".join(f"\nnamespace {word} {{}}" for word in words)
    errors = run([*cxx, "-std=gnu++20", "-fsyntax-only", "-ferror-limit=0" if "clang" in cxx[0] else "-fmax-errors=0", "-x", "c++", "-"], input=tried).stderr
    first = source.count("\n") + 2
    lines = {int(line) for line in re.findall(r"^<stdin>:(\d+):\d+: error", errors, re.M)}
    return [words[line - first] for line in sorted(lines) if line >= first]


def kernel(name, params):
    return f"@kernel\ndef {name}({', '.join(f'{param}: {kind}' for param, kind in params)}):\n    pass\n\n\n"


def sources(names):
    """Each name as a kernel and as a parameter, with a few types; a kernel has at most 30 parameters."""
    text = "".join(kernel(name, []) for name in names)
    kinds = ("f32", "i8[:]", "c64", "f16")
    for at in range(0, len(names), 30):
        text += kernel(f"params_{at}", [(name, kinds[i % 4]) for i, name in enumerate(names[at : at + 30])])
    # A name beside what would be made of it.
    text += kernel("beside", [("new", "f32"), ("new_", "f32"), ("new__", "f32"), ("launch", "f32"), ("launch_", "f32"), ("status", "f32"), ("load", "i8[:]"), ("Kernels", "f32"), ("kernel_0_", "f32"), ("N", "i32"), ("t", "(i32, f32)"), ("t_0", "f32")])
    return text


def write_header(kernc, folder, file, text):
    (folder / file).write_text(text)
    header = folder / (file + ".hpp")
    done = run([kernc, str(folder / file), "-o", str(header), "-o", str(header.with_suffix(".h"))])
    return header if header.exists() else sys.exit(f"FAIL: kernc {file}: {done.stderr}")


def compiles(cxx, folder, name, text, *options):
    (folder / name).write_text(text)
    done = run([*cxx, "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror", *options, str(folder / name)])
    return "" if done.returncode == 0 else f"FAIL: {name} {options}: {done.stderr[:3000]}"


def main():
    arguments, count = sys.argv[1:], 40
    if "--files" in arguments:
        at = arguments.index("--files")
        count = int(arguments[at + 1])
        del arguments[at : at + 2]
    kernc, include, folder, *cxx = arguments
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cxx += [f"-I{include}"]
    failures = []

    names = [name for name in dict.fromkeys(KEYWORDS + OWN + macros(cxx)) if name not in OF_KERN]
    few = [name for name in dict.fromkeys(KEYWORDS + OWN) if name not in OF_KERN]
    # A name that the program has made a macro is one there and behind the header still.
    program = includes("") + "#define N 8\n#define W N\n"
    for part in range(0, len(names), 400):
        program += f'#include "{write_header(kernc, folder, f"part_{part}.kern", sources(names[part : part + 400]))}"\n'
    program += "static_assert(N == 8);\nint main() {}\n"
    failures.append(compiles(cxx, folder, "names.cpp", program, "-std=gnu++20"))
    program = includes("") + f'#include "{write_header(kernc, folder, "few.kern", sources(few))}"\n'
    failures += [compiles(cxx, folder, "few.cpp", program, f"-std={standard}", *wide) for standard, wide in (("c++20", ["-fno-exceptions"]), ("c++23", []))]

    # The same as C, and as C++.
    for language, standard in (("c", "c99"), ("c", "gnu17"), ("c++", "c++20")):
        program = f'#include <errno.h>\n#include <stdio.h>\n#define N 8\n#include "{folder / "few.kern.h"}"\n'
        program += "typedef char n_is_8[N == 8 ? 1 : -1];\nint main(void) { return 0; }\n"
        failures.append(compiles(cxx, folder, f"few_{standard}.c", program, "-Wno-shadow", "-x", language, f"-std={standard}"))

    taken = global_names(cxx)
    own = [name for name in taken if name.lower().startswith("kern_")]
    chosen = sorted({*random.Random(1).sample(taken, min(count, len(taken))), *own} | {"main", "exp", "gamma", "index", "log", "time", "expf32", "_exit"})
    chosen += ["std", "kern", "new", "NULL", "errno", "a.b", "my-filter", "2d", "größe", "__x", "line\nbreak", "back\\slash"]
    program = includes(C_HEADERS)
    for number, name in enumerate(chosen):
        done = run([kernc, "-", f"--stdin-name={name}.kern", "--emit=header,c-header"], input=kernel("f", [("x", "f32[:]")]))
        (folder / f"file_{number}.hpp").write_text(done.stdout or f"#error no header for {name}\n")
        program += f'#include "file_{number}.hpp"\n'
    failures.append(compiles(cxx, folder, "files.cpp", program + "int main() {}\n", "-std=gnu++20"))

    for path in "std kern a::std kern::a new a::new NULL printf 2d a:: ::a a-b a::NULL __x a;b".split() + ["a b", "a {} namespace b"]:
        done = run([kernc, "-", f"--namespace={path}", "--emit=header"], input=kernel("f", []))
        if done.returncode != 2 or "--namespace" not in done.stderr:
            failures.append(f"FAIL: --namespace='{path}': {done.returncode} {done.stderr}")

    # Which rows of the table are missing is said at once.
    for number, name in enumerate(chosen):
        if (folder / f"file_{number}.hpp").read_text().count(f"\nnamespace {name} {{") and name in taken:
            failures.append(f"FAIL: `{name}` is declared by the headers: add it to compiler/driver/aot/reserved_names.def")

    failures = [failure for failure in failures if failure]
    print("\n".join(failures) or f"names: {len(names)} of kernels and parameters, {len(chosen)} of {len(taken)} of files")
    sys.exit(1 if failures else 0)


main()
