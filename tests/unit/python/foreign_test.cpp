#include <gtest/gtest.h>

#include "tests/unit/python/ran.h"

namespace kern::python {
namespace {

using values::Foreign;
using values::Value;

// A program whose functions are called with values that only who calls knows.
struct Called : Ran {
  using Ran::Ran;
  std::vector<values::NamedValue> keywords{};
  std::string asked{}; // all of it

  // Answers by the texts of questions, "isinstance(foreign 1, int)".
  std::optional<Found> call(std::string_view function, const std::vector<Value>& args,
                            const std::vector<std::pair<std::string, Value>>& answers = {}) {
    const Ask ask = [&](std::string_view path, std::span<const Value> of) -> std::optional<Value> {
      std::string text(path);
      for (std::size_t i = 0; i < of.size(); ++i) text += (i == 0 ? "(" : ", ") + values::print(of[i]);
      text += ")";
      asked += (asked.empty() ? "" : "; ") + text;
      for (const auto& [question, answer] : answers)
        if (question == text) return answer;
      return std::nullopt;
    };
    const std::optional<Found> named = modules.at_end(0, function);
    const auto* of = named ? values::as<values::Function>(named->value) : nullptr;
    const values::FunctionData* data = of ? of->data : this->function(function);
    return data ? modules.call(*data, args, keywords, ask) : std::nullopt;
  }

  std::string result(std::string_view function, const std::vector<Value>& args,
                     const std::vector<std::pair<std::string, Value>>& answers = {}) {
    const std::optional<Found> found = call(function, args, answers);
    return found ? modules.print(*found) : "nothing";
  }

  // The text of the place that is said of what is not known.
  std::string place(std::string_view function, const std::vector<Value>& args) {
    const std::optional<Found> found = call(function, args);
    const auto* unknown = found ? values::as<values::Unknown>(found->value) : nullptr;
    return unknown ? std::string(sources.text(unknown->where)) : "known";
  }
};

const Value x = Foreign{1}, y = Foreign{2};

TEST(Foreign, IsAskedFor) {
  Called ran("def f(x, y):\n    if isinstance(x, (int, float)) and x.ndim == 2 and len(x) > 1:\n"
             "        return x.dtype if not x.layout else y\n    return None\n");
  EXPECT_EQ(ran.result("f", {x, y},
                       {{"isinstance(foreign 1, (int, float))", true},
                        {"getattr(foreign 1, 'ndim')", WideInt(2)},
                        {"len(foreign 1)", WideInt(3)},
                        {"getattr(foreign 1, 'layout')", Foreign{5}},
                        {"bool(foreign 5)", false},
                        {"getattr(foreign 1, 'dtype')", Foreign{6}}}),
            "foreign 6");
  EXPECT_EQ(ran.asked, "isinstance(foreign 1, (int, float)); getattr(foreign 1, 'ndim'); len(foreign 1); "
                       "getattr(foreign 1, 'layout'); bool(foreign 5); getattr(foreign 1, 'dtype')");
  EXPECT_EQ(ran.result("f", {x, y}, {{"isinstance(foreign 1, (int, float))", false}}), "None");
  EXPECT_EQ(ran.place("f", {x, y}), "x.dtype");
}

TEST(Foreign, IsCompared) {
  Called ran(
      "from numba import types\n"
      "def f(x, y): return (x is None, None != x, x == y, x is not types.none, x in (types.int32, y), x[0], "
      "x[:])\n"
      "def g(x): return ({types.int32: 1, types.int64: 2})[x]\n"
      "def h(x, y): return (len((x, y)), types.Array(x, 1, 'C'), types.Tuple((x, y)), hasattr(x, 'a'))\n"
      "def m(x): return x.foo(1)\n");
  EXPECT_EQ(ran.result("f", {x, y},
                       {{"operator.eq(foreign 1, foreign 2)", true},
                        {"operator.is_not(foreign 1, numba.types.none)", false},
                        {"operator.eq(foreign 1, numba.types.int32)", false},
                        {"operator.getitem(foreign 1, 0)", Foreign{3}},
                        {"operator.getitem(foreign 1, slice(None, None, None))", Foreign{4}}}),
            "(False, True, True, False, True, foreign 3, foreign 4)");
  EXPECT_EQ(ran.result("f", {x, y}, {{"operator.eq(foreign 1, numba.types.int32)", true}}),
            "(False, True, unknown (not computed), unknown (not computed), True, unknown (not computed), "
            "unknown (not computed))");
  EXPECT_EQ(ran.result("g", {x}, {{"operator.eq(numba.types.int64, foreign 1)", true}}), "2");
  EXPECT_EQ(ran.result("h", {x, y},
                       {{"numba.types.Array(foreign 1, 1, 'C')", Foreign{3}},
                        {"numba.types.Tuple((foreign 1, foreign 2))", Foreign{4}},
                        {"hasattr(foreign 1, 'a')", true}}),
            "(2, foreign 3, foreign 4, True)");
  EXPECT_EQ(ran.result("m", {x}), "unknown (not computed)");
  EXPECT_EQ(ran.place("m", {x}), "x.foo(1)");
}

TEST(Foreign, ArgumentsAreBoundAsInAnyCall) {
  Called ran("def g(a, *c, d=8): return (a, c, d)\nG = g(1, 2, 3)\ndef i(a, *, b=4): return (a, b)\nI = i(1, "
             "b=5)\ndef f(a, b=7, *c): return (a, b, c)\n"
             "h = lambda a, b=9: (a, b)\nfrom numba import njit\nj = njit(h)\ndef k(*c): return c\n");
  EXPECT_EQ(ran.result("f", {x}), "(foreign 1, 7, ())");
  EXPECT_EQ(ran.result("f", {x, y, x, y}), "(foreign 1, foreign 2, (foreign 1, foreign 2))");
  EXPECT_EQ(ran.result("f", {}), "nothing");
  // Of such parameters the parser keeps the names alone.
  EXPECT_EQ(ran.result("g", {x, y, y}), "unknown (not computed)");
  EXPECT_EQ(ran.place("g", {x}), "g");
  EXPECT_EQ(ran.name("G"), "(1, (2, 3), unknown (not computed))");
  EXPECT_EQ(ran.name("I"), "(1, 5)");
  EXPECT_EQ(ran.result("k", {x}), "(foreign 1,)");
  EXPECT_EQ(ran.result("j", {x}), "(foreign 1, 9)");
  EXPECT_EQ(ran.result("j", {x, y, x}), "nothing");
  ran.keywords = {{"b", y}};
  EXPECT_EQ(ran.result("f", {x}), "(foreign 1, foreign 2, ())");
  EXPECT_EQ(ran.result("f", {x, y}), "nothing");
  ran.keywords = {{"c", y}};
  EXPECT_EQ(ran.result("f", {x}), "nothing");
}

TEST(Foreign, FunctionsThatACallMakesSeeItsNames) {
  Called ran(
      "from numba.extending import overload\nL = [1]\nM = [1]\nN = 1\ndef f(x): pass\n@overload(f)\ndef "
      "of_f(x, n=3):\n"
      "    global N\n    N = 5\n    L.append(2)\n    T = [n, M[0]]\n    def impl(x, n=3):\n        "
      "return x + n\n"
      "    if isinstance(x, int):\n        return impl\n    def other(x): return T[0]\n    return "
      "other\nN = 2\n");
  const std::size_t before = ran.modules.functions().size();
  const std::optional<Found> made = ran.call("of_f", {x, y}, {{"isinstance(foreign 1, int)", true}});
  ASSERT_TRUE(made);
  EXPECT_EQ(ran.modules.print(*made), "function impl");
  const values::FunctionData* impl = values::as<values::Function>(made->value)->data;
  EXPECT_EQ(ran.modules.print(*ran.modules.find(*impl, "n")), "foreign 2");
  EXPECT_EQ(ran.modules.print(*ran.modules.find(*impl, "x")), "foreign 1");
  const std::optional<Found> t = ran.modules.find(*impl, "T");
  EXPECT_EQ(ran.modules.print(*t), "[foreign 2, 1]");
  EXPECT_EQ(ran.modules.elements(t->moment, t->value)->size(), 2u);
  EXPECT_EQ(ran.modules.function_at(impl->serial), impl);
  const std::optional<Found> other = ran.call("of_f", {x}, {{"isinstance(foreign 1, int)", false}});
  EXPECT_EQ(ran.modules.print(*other), "function other");
  EXPECT_EQ(ran.place("of_f", {x}).substr(0, 16), "if isinstance(x,");
  // Nobody else sees what the calls did.
  EXPECT_EQ(ran.name("L"), "unknown (changed)"); // the function is given away
  EXPECT_EQ(ran.modules.print(*ran.modules.find(*impl, "N")), "5");
  EXPECT_EQ(ran.name("N"), "2");
  EXPECT_EQ(ran.modules.functions().size(), before);
}

TEST(Foreign, CallsAreBoundedAndMayRaise) {
  Called ran("import os\ndef f(x):\n    if x.a:\n        raise TypeError('x')\n    return 3\n"
             "def g(x):\n    for i in range(60000):\n        for j in range(60000):\n            n = j\n    "
             "return n\n"
             "def h(x): return os.environ\nasync def a(x): return x\n"
             "def make(n):\n    def inner(x): return n\n    return inner\n"
             "def p(x):\n    if x.a:\n        return 1\n    y = x\n    return 2\n"
             "def q(x):\n    if x.a:\n        return 1\n    y = x\n"
             "def r(x):\n    for i in range(1000):\n        n = i\n    return n\n");
  EXPECT_EQ(ran.result("f", {x}, {{"getattr(foreign 1, 'a')", true}}), "None");
  EXPECT_EQ(ran.result("f", {x}, {{"getattr(foreign 1, 'a')", false}}), "3");
  EXPECT_EQ(ran.result("g", {x}), "unknown (bound)");
  EXPECT_EQ(ran.result("make.inner", {x}), "unknown (captured)");
  EXPECT_EQ(ran.place("a", {x}), "a");
  const std::string text = "if x.a:\n        return 1";
  EXPECT_EQ(ran.place("p", {x}), text);
  EXPECT_EQ(ran.place("q", {x}), text);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ran.result("r", {x}), "999");
}

} // namespace
} // namespace kern::python
