// Tables of names: the front of a module's name is replaced by Numba's, and the result counts only where it
// is a name that Kern knows. So a package that moves a module costs a row.
#include "compiler/ast/host_modules.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kern::ast {

using Pair = std::pair<std::string_view, std::string_view>;

// Longer ones first. A front that stands here alone is replaced by the other.
static constexpr Pair fronts[] = {
    {"numba_cuda_mlir.numba_cuda.types", "numba.types"},
    {"numba_cuda_mlir.numba_cuda", "numba.cuda"},
    {"numba_cuda_mlir.cuda.types", "numba.types"},
    {"numba_cuda_mlir.types", "numba.types"},
    {"numba_cuda_mlir", "numba"},
    {"numba.core.types", "numba.types"},
    {"numba.cuda.types", "numba.types"},
    {"numba.cuda._internal.cuda_bf16", "numba.cuda.bf16"},
    {"numba.cuda.misc.special", "numba"},
    {"numba.misc.special", "numba"},
    {"numba.core", "numba.types"},
};

static constexpr std::string_view canonical_names[] = {
    "numba",           "numba.cuda",     "numba.types", "numba.cuda.random", "numba.cuda.libdevice",
    "numba.cuda.fp16", "numba.cuda.bf16"};

// Some are modules, and some are functions of numba.cuda.
static constexpr Pair libraries[] = {
    {"numba.cuda.random", "xoroshiro"}, {"numba.cuda.libdevice", "libdevice"},
    {"numba.cuda.fp16", "fp16"},        {"numba.cuda.bf16", "bf16_functions"},
    {"numba.cuda.ldca", "cache_hints"}, {"numba.cuda.ldcg", "cache_hints"},
    {"numba.cuda.ldcs", "cache_hints"}, {"numba.cuda.ldlu", "cache_hints"},
    {"numba.cuda.ldcv", "cache_hints"}, {"numba.cuda.stcg", "cache_hints"},
    {"numba.cuda.stcs", "cache_hints"}, {"numba.cuda.stwb", "cache_hints"},
    {"numba.cuda.stwt", "cache_hints"},
};

static bool is_inside(std::string_view module, std::string_view package) {
  bool has_front = module.starts_with(package);
  return has_front && (module.size() == package.size() || module[package.size()] == '.');
}

// The modules of Python's library, each between two blanks.
static constexpr std::string_view python_modules =
    " abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect"
    " builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys"
    " compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses"
    " dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno"
    " faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob"
    " graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress"
    " itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes"
    " mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib ntpath numbers opcode operator"
    " optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib"
    " posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pyexpat queue quopri random re"
    " readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal"
    " site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl"
    " stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny"
    " tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace"
    " traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave"
    " weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

static bool is_among(std::string_view names, std::string_view name) {
  return names.find(" " + std::string(name) + " ") != names.npos;
}

bool is_python_module(std::string_view module) {
  return is_among(python_modules, module.substr(0, module.find('.')));
}

bool is_host_module(std::string_view module) {
  for (std::string_view known : {"numba", "numba_cuda_mlir", "numpy", "math", "operator", "kern", "cuda",
                                 "typing", "collections", "__future__"})
    if (is_inside(module, known)) return true;
  return false;
}

std::string_view canonical_module(std::string_view module) {
  if (!is_inside(module, "numba") && !is_inside(module, "numba_cuda_mlir")) return module;
  std::string name(module);
  for (const auto& [front, instead] : fronts) {
    if (!is_inside(name, front)) continue;
    name.replace(0, front.size(), instead);
    break;
  }
  for (std::string_view known : canonical_names)
    if (name == known) return known;
  return module;
}

std::string_view library_of(std::string_view module) {
  for (const auto& [numba, file] : libraries)
    if (module == numba) return file;
  return "";
}

static constexpr std::string_view names_of_math[] = {
    "acos",      "acosh",    "asin",   "asinh", "atan",      "atan2",    "atanh",     "cbrt",  "ceil",
    "comb",      "copysign", "cos",    "cosh",  "degrees",   "dist",     "e",         "erf",   "erfc",
    "exp",       "exp2",     "expm1",  "fabs",  "factorial", "floor",    "fmod",      "frexp", "fsum",
    "gamma",     "gcd",      "hypot",  "inf",   "isclose",   "isfinite", "isinf",     "isnan", "isqrt",
    "lcm",       "ldexp",    "lgamma", "log",   "log10",     "log1p",    "log2",      "modf",  "nan",
    "nextafter", "perm",     "pi",     "pow",   "prod",      "radians",  "remainder", "sin",   "sinh",
    "sqrt",      "sumprod",  "tan",    "tanh",  "tau",       "trunc",    "ulp",       "fma"};

static constexpr std::string_view numpy_changing =
    " put copyto fill_diagonal place putmask put_along_axis shuffle at partial ";
static constexpr std::string_view numpy_viewing =
    " asarray asanyarray ascontiguousarray asfortranarray require ravel reshape transpose squeeze atleast_1d"
    " atleast_2d atleast_3d broadcast_to swapaxes moveaxis rollaxis expand_dims flip fliplr flipud rot90"
    " diagonal diag split array_split hsplit vsplit real imag frombuffer broadcast_arrays ";

std::span<const std::string_view> math_names() { return names_of_math; }
bool changes_arrays(std::string_view numpy_function) { return is_among(numpy_changing, numpy_function); }
bool views_arrays(std::string_view numpy_function) { return is_among(numpy_viewing, numpy_function); }

} // namespace kern::ast
