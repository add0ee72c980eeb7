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
  EXPECT_EQ(ran2.name("M"), "unknown (not computed)");
  EXPECT_EQ(ran2.name("L"), "[1]");
  // Loops in loops that make objects.
  text = given_away;
  for (int i = 0; i < 12; ++i)
    text += std::string(static_cast<std::size_t>(i), ' ') + "for a in other.all():\n";
  Ran ran3(text + std::string(12, ' ') + "b = [a]\n");
  EXPECT_EQ(ran3.name("N"), "3");
  EXPECT_EQ(ran3.name("b"), "unknown (bound)");
  // A long run of what is known.
  Ran ran4(given_away + "s = 0\nfor i in range(60000):\n    for j in range(60000):\n        s += j\n");
  EXPECT_EQ(ran4.name("N"), "3");
  EXPECT_EQ(ran4.name("s"), "unknown (not computed)");
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

} // namespace
} // namespace kern::python
