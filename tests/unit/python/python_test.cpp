#include <gtest/gtest.h>

#include "tests/unit/python/ran.h"

namespace kern::python {
namespace {

TEST(Python, RunsInOrder) {
  const Ran ran("A = 3\nB = A + 1\nA = 5\nA += 2\nC = (A, B, A / 2, 'x' 'y')\n");
  EXPECT_EQ(ran.name("A"), "7");
  EXPECT_EQ(ran.name("C"), "(7, 4, 3.5, 'xy')");
  EXPECT_EQ(ran.name("D"), "nothing");
}

TEST(Python, TakesTheBranchThatRuns) {
  const Ran ran("A = 2\nif A > 1:\n    N = 7\nelif A:\n    N = 8\nelse:\n    N = 9\nimport os\nif "
                "os.environ.get('F'):\n"
                "    A = 4\n    M = 1\n");
  EXPECT_EQ(ran.name("N"), "7");
  EXPECT_EQ(ran.name("A"), "unknown (bound)");
  EXPECT_EQ(ran.name("M"), "unknown (bound)");
}

TEST(Python, RunsLoops) {
  const Ran ran(
      "s = 0\nfor i in range(4):\n    if i == 3: break\n    s += i\nn = 10\nwhile n > 3:\n    n -= 2\n"
      "for x in unknown():\n    s2 = 1\nL = []\nfor i in range(3):\n    L.append(i * i)\n");
  EXPECT_EQ(ran.name("s"), "3");
  EXPECT_EQ(ran.name("n"), "2");
  EXPECT_EQ(ran.name("s2"), "unknown (bound)");
  EXPECT_EQ(ran.name("L"), "[0, 1, 4]");
}

TEST(Python, ListsHaveOneIdentityUnderAllNames) {
  const Ran ran("L = [1, 2]\nM = L\nM[0] = 5\nN = L + [3]\nN[0] = 9\nx = {'w': L}\nx['w'].append(4)\n");
  EXPECT_EQ(ran.name("L"), "[5, 2, 4]");
  EXPECT_EQ(ran.name("N"), "[9, 2, 3]");
}

TEST(Python, EvaluatesTheBoundsOfASliceOnce) {
  const Ran ran(
      "C = [0]\ndef f():\n    C[0] += 1\n    return C[0]\nL = [1, 2, 3, 4]\nP = L[f():]\nQ = L[3:0:-2]\n");
  EXPECT_EQ(ran.name("C"), "[1]");
  EXPECT_EQ(ran.name("P"), "[2, 3, 4]");
  EXPECT_EQ(ran.name("Q"), "[4, 2]");
}

TEST(Python, WhatNobodyFollowsMakesUnknownWhatItReaches) {
  const Ran ran("import other\nL = [1]\nK = [2]\nT = (K, 1)\nother.change(T)\nA = other.value\n");
  EXPECT_EQ(ran.name("L"), "[1]");
  EXPECT_EQ(ran.name("K"), "unknown (changed)");
  EXPECT_EQ(ran.name("A"), "unknown (not computed)");
}

// Each of these would take longer than anybody waits if every way through it were followed.
TEST(Python, SumsUpWhatItDoesNotFollow) {
  const std::string given_away = "import other\nN, M, L, T = 3, 4, [1], [5]\n";
  // Functions that call themselves and each other, in a loop of which nobody knows how long it is.
  Ran ran(given_away +
          "def f(x):\n    global M\n    if x.a: f(x.b), g(x.c)\n    f(x.d)\n    M = 4\n    L.append(g(x))\n"
          "def g(x):\n    f(x)\n    f(x.b)\n    return g(x.c)\n"
          "for x in other.all():\n    for y in x:\n        f(y), g(y)\n");
  EXPECT_EQ(ran.name("N"), "3");
  EXPECT_EQ(ran.name("M"), "4");
  EXPECT_EQ(ran.name("L"), "unknown (changed)");
  EXPECT_EQ(ran.name("T"), "[5]");
  // Functions that were given away, and call what nobody follows.
  std::string text = given_away;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    text += "def f" + n + "(): \n    global M\n    other.call(f" + std::to_string((i + 1) % 30) +
            ")\n    M = M + 1\n";
  }
  for (int i = 0; i < 30; ++i) text += "other.keep(f" + std::to_string(i) + ")\n";
  Ran ran2(text);
  EXPECT_EQ(ran2.name("N"), "3");
  EXPECT_EQ(ran2.name("M"), "unknown (bound)");
  EXPECT_EQ(ran2.name("L"), "[1]");
  // Loops in loops that make objects.
  text = given_away;
  for (int i = 0; i < 12; ++i)
    text += std::string(static_cast<std::size_t>(i), ' ') + "for a in other.all():\n";
  Ran ran3(text + std::string(12, ' ') + "b = [a]\n");
  EXPECT_EQ(ran3.name("N"), "3");
  EXPECT_EQ(ran3.name("b"), "unknown (bound)");
  // A kernel that one of them launches reads what its names are then.
  Ran ran5(given_away + "from numba import cuda\n@cuda.jit\ndef k(x):\n    x[0] = N\n"
                        "def go(x):\n    k[1, 1](x)\nfor x in other.all():\n    go(x)\nN = 8\n");
  EXPECT_EQ(ran5.in_kernel("N"), "unknown (launched)");
  // A long run of what is known.
  Ran ran4(given_away + "s = 0\nfor i in range(60000):\n    for j in range(60000):\n        s += j\n");
  EXPECT_EQ(ran4.name("N"), "3");
  EXPECT_EQ(ran4.name("s"), "unknown (not computed)");
}

TEST(Python, InstancesReachWhatTheirClassHolds) {
  const Ran ran("class A:\n    T = [1]\n    U = 2\nclass B(A):\n    V = [3]\nclass C:\n    W = [4]\n"
                "b = B()\nb.T[0] = 5\nx, y, z, w = A.T, A.U, B.V, C.W\n");
  EXPECT_EQ(ran.name("x"), "unknown (changed)");
  EXPECT_EQ(ran.name("y"), "2");
  EXPECT_EQ(ran.name("z"), "unknown (changed)");
  EXPECT_EQ(ran.name("w"), "[4]");
}

TEST(Python, StatementsWithoutATreeMayReturn) {
  std::string text = "def f(n):\n";
  for (int i = 1; i < 20; ++i) text += std::string(static_cast<std::size_t>(i), ' ') + "if n:\n";
  const Ran ran(text + std::string(20, ' ') + "return n\nN = f(3)\nM = 4\n");
  EXPECT_EQ(ran.name("N"), "unknown (not computed)");
  EXPECT_EQ(ran.name("M"), "4");
}

TEST(Python, RunsFinallyHoweverItEnds) {
  const Ran ran(
      "G = 1\ndef f():\n    global G\n    try:\n        return 2\n    finally:\n        G = 5\nA = f()\n"
      "for i in range(3):\n    try:\n        if i == 1: break\n    finally:\n        B = i\n");
  EXPECT_EQ(ran.name("A"), "2");
  EXPECT_EQ(ran.name("G"), "5");
  EXPECT_EQ(ran.name("B"), "1");
}

TEST(Python, LoopsSeeWhatTheirStatementsChange) {
  const Ran ran(
      "a = [1, 2, 3]\nfor v in a:\n    a[2] = 7\nb = [1]\nfor w in b:\n    if w < 4: b.append(w + 1)\n");
  EXPECT_EQ(ran.name("v"), "7");
  EXPECT_EQ(ran.name("b"), "[1, 2, 3, 4]");
}

TEST(Python, ModulesOfSysReachAllNames) {
  const Ran ran("import sys\nN = 1\nsetattr(sys.modules[__name__], 'N', 2)\ndef f(): pass\n");
  EXPECT_EQ(ran.name("N"), "unknown (bound)");
}

TEST(Python, FunctionsOfNumbaReturnWhatNobodyComputes) {
  const Ran ran("from numba import cuda, njit, jit\n@njit\ndef f(x): return x + 1\n@jit(nopython=True)\n"
                "def h(x): return x\n@cuda.jit\ndef k(x): pass\nN = f(3)\nM = h(3)\nR = k[1, 1](3)\n");
  EXPECT_EQ(ran.name("N"), "unknown (not computed)");
  EXPECT_EQ(ran.name("M"), "unknown (not computed)");
  EXPECT_EQ(ran.name("R"), "None");
}

TEST(Python, CallsFunctions) {
  const Ran ran("def f(a, b=2):\n    if a > 3:\n        return a * b\n    return -a\nA = f(4)\nB = f(1)\nC = "
                "f(4, b=5)\n"
                "def g():\n    global A\n    A = 99\ndef h(): g()\nh()\ndef fact(n): return 1 if n < 2 else "
                "n * fact(n - 1)\n"
                "F = fact(5)\n");
  EXPECT_EQ(ran.name("A"), "99");
  EXPECT_EQ(ran.name("B"), "-1");
  EXPECT_EQ(ran.name("C"), "20");
  EXPECT_EQ(ran.name("F"), "120");
}

TEST(Python, FunctionsThatAreGivenAwayRunAtSomeTime) {
  const Ran ran("import other\nA = B = 1\ndef f():\n    global A\n    A = 2\ndef g():\n    global B\n    B = "
                "2\nother.keep(f)\n");
  EXPECT_EQ(ran.name("A"), "unknown (bound)");
  EXPECT_EQ(ran.name("B"), "1");
}

TEST(Python, ClassesHaveAttributes) {
  const Ran ran("class C:\n    N = 1\n    M = N + 1\nC.N = 5\nA = C.N + C.M\nfrom enum import IntEnum, auto\n"
                "class E(IntEnum):\n    X = 4\n    Y = auto()\nB = E.Y\n");
  EXPECT_EQ(ran.name("A"), "7");
  EXPECT_EQ(ran.name("B"), "5");
}

TEST(Python, SearchesTextsAndLists) {
  const Ran ran("A = 'bc' in 'abcd'\nB = 'ac' not in 'abcd'\nC = 2 in [1, 2]\nD = 2 not in (1, 3)\n");
  EXPECT_EQ(ran.name("A"), "True");
  EXPECT_EQ(ran.name("B"), "True");
  EXPECT_EQ(ran.name("C"), "True");
  EXPECT_EQ(ran.name("D"), "True");
}

TEST(Python, BindsByText) {
  const Ran ran("import cfg\nsetattr(cfg, 'N', 2)\nA = cfg.N\nsetattr(cfg, 'N')\nB = cfg.N\n", "N = 1\n");
  EXPECT_EQ(ran.name("A"), "2");
  EXPECT_EQ(ran.name("B"), "2");
}

TEST(Python, MakesTexts) {
  const Ran ran(
      "from numba import float32\nT = float32\na = 'void(%s, %s[:])' % (T, 'i4')\nb = '{0}-{}-{n}'.format(1, "
      "n=True)\n"
      "c = '{{}}{}'.format(None)\nd = f'{T}[:]'\ne = '%d%%' % 5\nf = '%5d' % 5\ng = '{:>3}'.format(1)\n"
      "h = T.__name__\n");
  EXPECT_EQ(ran.name("a"), "'void(float32, i4[:])'");
  EXPECT_EQ(ran.name("b"), "'1-1-True'");
  EXPECT_EQ(ran.name("c"), "'{}None'");
  EXPECT_EQ(ran.name("d"), "'float32[:]'");
  EXPECT_EQ(ran.name("e"), "'5%'");
  EXPECT_EQ(ran.name("f"), "unknown (not computed)");
  EXPECT_EQ(ran.name("g"), "unknown (not computed)");
  EXPECT_EQ(ran.name("h"), "'float32'");
}

TEST(Python, ComputesComplexFunctions) {
  const Ran ran(
      "import cmath\na = cmath.sqrt(-4)\nb = cmath.phase(-1)\nc = cmath.rect(2, 0)\nd = cmath.exp(1e4)\n");
  EXPECT_EQ(ran.name("a"), "complex(0.0, 2.0)");
  EXPECT_EQ(ran.name("b"), "3.141592653589793");
  EXPECT_EQ(ran.name("c"), "complex(2.0, 0.0)");
  EXPECT_EQ(ran.name("d"), "unknown (not computed)");
}

TEST(Python, FilesRunAtTheirImport) {
  const Ran ran("import cfg\nfrom cfg import N, set_n\nset_n(4)\nA = cfg.N\nfrom cfg import *\nB = M\n",
                "N = 1\nM = 2\n_h = 3\ndef set_n(v):\n    global N\n    N = v\n");
  EXPECT_EQ(ran.name("A"), "4");
  EXPECT_EQ(ran.name("N"), "4");
  EXPECT_EQ(ran.name("B"), "2");
  EXPECT_EQ(ran.name("_h"), "nothing");
}

TEST(Python, TriesWhatMayFail) {
  const Ran ran("try:\n    import nowhere\n    N = 1\nexcept ImportError:\n    N = 2\ntry:\n    M = "
                "3\nexcept ValueError:\n    M = 4\n");
  EXPECT_EQ(ran.name("N"), "unknown (bound)");
  EXPECT_EQ(ran.name("M"), "3");
}

TEST(Python, KernelsReadWhatNamesAreAtTheFirstLaunch) {
  const Ran ran(
      "from numba import cuda\nN = 1\nM = 2\nL = [1]\n@cuda.jit\ndef k(x):\n    x[0] = N + M + L[0]\nN = 3\n"
      "k[1, 1](x)\nM = 4\nL[0] = 6\n");
  EXPECT_EQ(ran.in_kernel("N"), "3");
  EXPECT_EQ(ran.in_kernel("M"), "unknown (launched)");
  EXPECT_EQ(ran.in_kernel("L"), "[1]");
}

TEST(Python, KernelsReadTheFunctionAroundThem) {
  const Ran ran(
      "from numba import cuda\nG = 1\ndef make(n):\n    c = 5\n    d = c + G\n    @cuda.jit\n    def k(x):\n"
      "        x[0] = c\n    e = 6\n    return k\nG = 2\n");
  EXPECT_EQ(ran.in_kernel("c"), "5");
  EXPECT_EQ(ran.in_kernel("d"), "7");
  EXPECT_EQ(ran.in_kernel("e"), "6");
  EXPECT_EQ(ran.in_kernel("n"), "unknown (captured)");
  EXPECT_EQ(ran.in_kernel("cuda"), "numba.cuda");
}

TEST(Python, KernelsReadTheBranchThatMakesThem) {
  const Ran ran("from numba import cuda\ndef make(n):\n    if n > 1:\n        c = 5\n        if n > 2:\n     "
                "       d = c\n"
                "            @cuda.jit\n            def k(x):\n                x[0] = c + d\n            d "
                "+= 1\n    else:\n"
                "        c = 6\n    e = 1\n    if n: e = 2\n    return k\n");
  const values::FunctionData& k = *ran.function("make.k");
  EXPECT_EQ(ran.modules.print(*ran.modules.find(k, "c")), "5");
  EXPECT_EQ(ran.modules.print(*ran.modules.find(k, "d")), "6");
  EXPECT_EQ(ran.modules.print(*ran.modules.find(k, "e")), "unknown (bound)");
}

// What is said of a name that is not known: why, the texts of its places, and their names.
static std::string doubt(const Ran& ran, const std::optional<Found>& found) {
  const auto* unknown = found ? values::as<values::Unknown>(found->value) : nullptr;
  if (!unknown) return "known";
  std::string text = values::print(*unknown) + " " + std::string(ran.sources.text(found->where)) + " | " +
                     std::string(ran.sources.text(unknown->where));
  if (!unknown->doubt) return text;
  for (Span place : unknown->doubt->bound) text += " @" + std::to_string(ran.sources.locate(place).line);
  if (unknown->doubt->condition.end > 0)
    text += " if " + std::string(ran.sources.text(unknown->doubt->condition));
  return text + (unknown->doubt->name.empty() ? "" : " of " + std::string(unknown->doubt->name));
}

TEST(Python, SaysWhichWaysBindAName) {
  const Ran ran("import os\nN = 1\nif os.a:\n    N = 2\nelif os.b:\n    N = 3\nelse:\n    M = 4\n");
  const std::string whole = "if os.a:\n    N = 2\nelif os.b:\n    N = 3\nelse:\n    M = 4";
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "N")), "unknown (bound) N | " + whole + " @4 @6 if os.a");
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "M")), "unknown (bound) M | " + whole + " @8 if os.a");
}

TEST(Python, SaysWhyANameIsNotKnown) {
  const Ran ran(
      "import os, nowhere\nfrom there import T\nL = [1]\nK = L\nos.change(K)\nA = 1 + os.f(2)\nB = A * 2\n"
      "from numba import cuda\ndef make(n):\n    c = n + 1\n    @cuda.jit\n    def k(x):\n        x[0] = c + "
      "n\n");
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "nowhere")), "unknown (missing) nowhere | nowhere of nowhere");
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "T")), "unknown (missing) T | T of there");
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "L")), "unknown (changed) L | os.change(K)");
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "A")), "unknown (not computed) A | os.f(2)");
  EXPECT_EQ(doubt(ran, ran.modules.at_end(0, "B")), "unknown (not computed) B | os.f(2)");
  const values::FunctionData& k = *ran.function("make.k");
  EXPECT_EQ(doubt(ran, ran.modules.find(k, "n")), "unknown (captured) n | n of make");
  EXPECT_EQ(doubt(ran, ran.modules.find(k, "c")), "unknown (captured) c | n of make");
}

TEST(Python, SaysWhyAFunctionIsPassedOver) {
  const Ran ran("class C: pass\ndef f(x):\n    yield x\ndef g(x): return x\n");
  const std::optional<Found> f = ran.modules.at_end(0, "f");
  const auto* passed = values::as<values::Function>(f->value);
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->data->def, nullptr);
  EXPECT_NE(passed->data->statement->why, "");
  EXPECT_NE(values::as<values::Function>(ran.modules.at_end(0, "g")->value)->data->def, nullptr);
  EXPECT_TRUE(values::as<values::Class>(ran.modules.at_end(0, "C")->value));
}

TEST(Python, ArraysOfRecordsMayBeChanged) {
  const Ran ran("import numpy as np\nt = np.dtype([('x', 'f4')])\nL = [(1.5,), (2,)]\nA = np.array(L, "
                "dtype=t)\nL.append(3)\n"
                "D = np.dtype(dtype=[('n', 'i4')], align=True)\nB = np.zeros(3, dtype=D)\nB[1] = 2\nC = "
                "np.zeros(3, t)\nv = C['x']\nv[0] = 1\n");
  EXPECT_EQ(ran.name("A"), "numpy.array(((1.5,), (2,)), dtype=numpy.dtype((('x', 'f4'),)))");
  EXPECT_EQ(ran.name("B"), "unknown (changed)");
  EXPECT_EQ(ran.name("C"), "unknown (changed)");
}

// The parser makes trees of set displays in decorators alone.
TEST(Python, SetsMayBeChanged) {
  const auto of = [](const std::string& behind, const std::string& element = "'fast', 'nnan'") {
    return Ran("import other\nfrom numba import njit\nN = 1\ndef set_n():\n    global N\n    N = 2\n"
               "def keep(s):\n    global A\n    A = s\n    return njit\n@keep({" +
               element + "})\ndef f(x): return x\n" + behind);
  };
  EXPECT_EQ(of("").name("A"), "set('fast', 'nnan')");
  EXPECT_EQ(of("B = A\nA.add(1)\n").name("B"), "unknown (changed)");
  EXPECT_EQ(of("other.change((A,))\n").name("A"), "unknown (changed)");
  EXPECT_EQ(of("other.change(1)\n").name("A"), "set('fast', 'nnan')");
  EXPECT_EQ(of("B = A\nB |= other.more()\n").name("A"), "unknown (changed)");
  EXPECT_EQ(of("add = A.add\nadd(7)\n").name("A"), "unknown (changed)");
  EXPECT_EQ(of("def grow(): A.add(9)\nfor x in other.all():\n    grow()\n").name("A"), "unknown (changed)");
  EXPECT_EQ(of("other.run(A)\n", "set_n").name("N"), "unknown (bound)");
  EXPECT_EQ(of("", "*other.all()").name("A"), "unknown (not computed)");
  const Ran ran =
      of("@njit(fastmath=A)\ndef g(x): return x\nA.add(1)\n@njit(fastmath=A)\ndef h(x): return x\n");
  EXPECT_EQ(values::print(ran.function("g")->decorators[0]), "numba.njit(fastmath=set('fast', 'nnan'))");
  EXPECT_EQ(values::print(ran.function("h")->decorators[0]), "numba.njit(fastmath=unknown (changed))");
}

TEST(Python, EachCallMakesItsOwnFunctions) {
  const Ran ran(
      "from numba import cuda\ndef make(n):\n    def helper(x): return x + n\n    @cuda.jit\n    def k(x):\n"
      "        x[0] = helper(n)\n    return k\na = make(3)\nb = make(4)\n"
      "class C:\n    @staticmethod\n    @cuda.jit\n    def m(x): x[0] = 1\ndef unused(x): return x\n");
  EXPECT_EQ(ran.of("a", "n"), "3");
  EXPECT_EQ(ran.of("b", "n"), "4");
  EXPECT_EQ(ran.functions(),
            "make.helper:, make.k:a, make.helper:, make.k:b, C.m:C.m, make.helper:, make.k:");
}

TEST(Python, DecoratorsAreTermsWithTheirCalls) {
  const Ran ran("from numba import cuda\n@cuda.jit('void(int32[:])', device=True)\ndef k(x): return x\n");
  const values::FunctionData& k = *ran.function("k");
  ASSERT_EQ(k.decorators.size(), 1u);
  const auto* term = values::as<values::Term>(k.decorators[0]);
  ASSERT_TRUE(term && term->data->call);
  EXPECT_EQ(values::print(*term), "numba.cuda.jit('void(int32[:])', device=True)");
  EXPECT_EQ(ran.sources.text(term->data->call->keywords[0].value->span), "True");
}

TEST(Python, TypesAreTerms) {
  const Ran ran(
      "from numba import float32, types\nimport numpy as np\nL = [('x', 'f4')]\nA = float32[:, ::1]\n"
      "R = np.dtype(L)\nL.append(1)\nF = R.fields\n");
  EXPECT_EQ(ran.name("A"),
            "operator.getitem(numba.float32, (slice(None, None, None), slice(None, None, 1)))");
  EXPECT_EQ(ran.name("R"), "numpy.dtype((('x', 'f4'),))");
  EXPECT_EQ(ran.name("F"), "getattr(numpy.dtype((('x', 'f4'),)), 'fields')");
}

TEST(Python, WhatIsGivenIsThatWhateverBindsIt) {
  const std::string text =
      "import cfg\nN = 1\nA = N + 1\nclass C:\n    X = 1\n    Y = X + 1\nB = C.Y\n"
      "def make(n):\n    w = 2\n    d = n + w\n    return d\nD = make(1)\nE = cfg.M\nF = U\n";
  const Ran ran(text, "M = 5\n",
                {{"N", "7"},
                 {"C.X", "10"},
                 {"make.n", "20"},
                 {"w", "30"},
                 {"cfg.M", "6"},
                 {"U", "(1, 2)"},
                 {"k.n", "1"}});
  EXPECT_EQ(ran.name("A"), "8");
  EXPECT_EQ(ran.name("B"), "11");
  EXPECT_EQ(ran.name("D"), "50");
  EXPECT_EQ(ran.name("E"), "6");
  EXPECT_EQ(ran.name("F"), "(1, 2)");
  EXPECT_TRUE(ran.modules.is_used("make.n"));
  EXPECT_TRUE(ran.modules.is_used("w"));
  EXPECT_FALSE(ran.modules.is_used("k.n"));
}

TEST(Python, GivesWhatAFileHasAtItsEnd) {
  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics;
  std::vector<SourceFile> files;
  for (const std::string text : {"A = f\nB = N\n", "def g(x): return x\nM = 1\nM = 2\n"}) {
    const FileId file = sources.add("f" + std::to_string(files.size()), text);
    const auto tokens = lex(sources, file, diagnostics);
    files.push_back({parse(sources, file, tokens, TopLevel::Host, arena, diagnostics), true, {}});
  }
  const std::vector<Given> given{{"f", nullptr, 1, "g"}, {"N", nullptr, 1, "M"}};
  const HostModules modules = run(sources, files, given);
  EXPECT_EQ(modules.print(*modules.at_end(0, "A")), "function g");
  EXPECT_EQ(modules.print(*modules.at_end(0, "B")), "2");
}

TEST(Python, NamedTuplesHaveElements) {
  const Ran ran("from typing import NamedTuple\nfrom collections import namedtuple\nclass P(NamedTuple):\n   "
                " x: float\n"
                "    y: int = 2\np = P(1.5)\nQ = namedtuple('Q', 'x, y')\nq = Q(1, y=2)\nH = p.x + p[1] + "
                "q.y\na, b = q\n"
                "I = len(p)\n");
  EXPECT_EQ(ran.name("H"), "5.5");
  EXPECT_EQ(ran.name("b"), "2");
  EXPECT_EQ(ran.name("I"), "2");
}

TEST(Python, FilesOfKernHaveMembers) {
  const Ran ran(
      "import lib\nfrom lib import f\nfrom lib import *\nA = lib.N\nB = M\n",
      {{"lib.kern", "N = 3\nM = N\nfn f(x: i32) -> i32:\n    return x\ndef g(x):\n    return x\n"}});
  EXPECT_EQ(ran.name("A"), "member N");
  EXPECT_EQ(ran.name("B"), "member M");
  EXPECT_EQ(ran.name("g"), "member g");
}

TEST(Python, PackagesHoldTheirModules) {
  const Ran ran("import pkg.sub.b\nA = pkg.sub.b.N\nfrom pkg import sub\nB = sub.b.N\n",
                {{"pkg.sub.b", "N = 3\n"}});
  EXPECT_EQ(ran.name("A"), "3");
  EXPECT_EQ(ran.name("B"), "3");
}

TEST(Python, NamedTuplesAndEnumerations) {
  const Ran ran(
      "from typing import NamedTuple\nfrom numba import float32\nfrom collections import namedtuple\n"
      "class P(NamedTuple):\n    x: float32\n    y: int = 2\np = P(1.5)\nQ = namedtuple('Q', 'x y')\nq = "
      "Q(1, y=2)\n"
      "D = P.__annotations__\nE = P.y\nfrom enum import Enum\nclass C(Enum):\n    RED = 3\nF = C.RED.value\n"
      "class Base:\n    W = 8\nclass Inner(Base): pass\nG = Inner.W\n");
  EXPECT_EQ(ran.name("p"), "class P(1.5)");
  EXPECT_EQ(ran.name("q"), "collections.namedtuple('Q', 'x y')(1, y=2)");
  EXPECT_EQ(ran.name("D"), "{'x': numba.float32, 'y': int}");
  EXPECT_EQ(ran.name("E"), "2");
  EXPECT_EQ(ran.name("F"), "3");
  EXPECT_EQ(ran.name("G"), "8");
}

TEST(Python, AsksWhenItGoesOver) {
  const Ran ran("import other\nd = {'a': 1, other.n: 2}\nA = len(d)\nd['b'] = 3\nB = len(d)\n"
                "e = {}\nv = e.values()\ne['x'] = [7]\nC = list(v)[0][0]\nother.f(v)\nD = e['x']\n"
                "E = other.f(x for x in [1])\n");
  EXPECT_EQ(ran.name("A"), "unknown (not computed)");
  EXPECT_EQ(ran.name("B"), "unknown (not computed)");
  EXPECT_EQ(ran.name("C"), "7");
  EXPECT_EQ(ran.name("D"), "unknown (changed)");
  EXPECT_EQ(ran.name("E"), "unknown (not computed)");
}

TEST(Python, ReachesWhatAResultMayBe) {
  const Ran ran("import other\nL, M, N, K = [1], [2], [3], [4]\n[L, L][other.i].append(1)\n(other.f() and "
                "M).append(1)\n"
                "if other.f() and N: A = 1\nx = [K][0]\n");
  EXPECT_EQ(ran.name("L"), "unknown (changed)");
  EXPECT_EQ(ran.name("M"), "unknown (changed)");
  EXPECT_EQ(ran.name("N"), "[3]");
  EXPECT_EQ(ran.name("K"), "[4]");
}

TEST(Python, KnowsWhatBlocksThatRaiseLeave) {
  const Ran ran("import contextlib, other\nfrom numba import cuda\nA = B = C = D = 1\n"
                "with contextlib.suppress(KeyError):\n    A = 2\n    other.f()\n    A = 3\n"
                "with other.manager():\n    B = 2\n    other.f()\n    B = 3\n"
                "with cuda.gpus[0], open('x') as x:\n    C = 2\n    x.read()\n    C = 3\n"
                "with other.manager():\n    D = 3\n");
  EXPECT_EQ(ran.name("A"), "unknown (bound)");
  EXPECT_EQ(ran.name("B"), "unknown (bound)");
  EXPECT_EQ(ran.name("C"), "3");
  EXPECT_EQ(ran.name("D"), "3");
}

TEST(Python, ClassesAreWhatOthersMakeOfThem) {
  const Ran ran(
      "import abc, dataclasses, other\nclass A: X = 1\nclass B(A): pass\nclass C(A): X = 3\nclass D(C, B): "
      "pass\n"
      "def five(c):\n    c.X = 5\n    return c\n@five\nclass E(abc.ABC): X = 1\n"
      "@dataclasses.dataclass(order=True)\nclass F(metaclass=abc.ABCMeta):\n    X: int = 6\n"
      "@other.of\nclass G: X = 1\nclass H(metaclass=other.M): X = 1\nclass I(other.Base, A): X = 1\n"
      "class J(H): X = 1\n"
      "D, E, F, G, H, I, J, A = D.X, E.X, F.X, G.X, H.X, I.X, J.X, A.X\n");
  for (const auto& [name, value] :
       {std::pair("A", "1"), std::pair("D", "3"), std::pair("E", "5"), std::pair("F", "6")})
    EXPECT_EQ(ran.name(name), value) << name;
  for (const char* name : {"G", "H", "I", "J"}) EXPECT_TRUE(ran.name(name).starts_with("unknown")) << name;
}

TEST(Python, ComputesComprehensions) {
  const Ran ran(
      "N = 2\nL = [i * N for i in range(4) if i != 2]\nT = tuple(x + y for x in L for y in (0, 1) if y)\n"
      "D = {k: v for k, v in (('a', 1), ('b', 2), ('a', 3))}\nS = sum(i for i in range(4))\n"
      "import os\nU = [x for x in os.listdir()]\nV = [x for x in L if os.path.exists(x)]\ni = 5\n"
      "M = [[r * 2 + c for c in range(2)] for r in range(2)]\n");
  EXPECT_EQ(ran.name("L"), "[0, 2, 6]");
  EXPECT_EQ(ran.name("T"), "(1, 3, 7)");
  EXPECT_EQ(ran.name("D"), "{'a': 3, 'b': 2}");
  EXPECT_EQ(ran.name("S"), "6");
  EXPECT_EQ(ran.name("U"), "unknown (not computed)");
  EXPECT_EQ(ran.name("V"), "unknown (not computed)");
  EXPECT_EQ(ran.name("M"), "[[0, 1], [2, 3]]");
}

} // namespace
} // namespace kern::python
