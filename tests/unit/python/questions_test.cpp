#include <gtest/gtest.h>

#include "tests/unit/python/ran.h"

namespace kern::python {
namespace {

TEST(Questions, FunctionsSayWhatTheyAre) {
  const Ran ran(
      "from numba import cuda\ndef make(n):\n    def f(x): return x + n\n    @cuda.jit\n    def k(x):\n"
      "        x[0] = f(1)\n    return k\na = make(3)\ng = lambda x: x\nh = cuda.jit(lambda x: x)\n"
      "def plain(x): return x\nj = cuda.jit(plain)\n"
      "def holds(x, y=lambda: 1): return x\n");
  std::string text;
  for (const CompiledFunction& each : ran.modules.functions())
    text += each.path + (each.is_compiled ? " compiled" : "") + (each.is_of_call ? " of a call" : "") + "\n";
  EXPECT_EQ(text,
            "make.f compiled of a call\nmake.k compiled of a call\nh compiled\nplain\nj compiled\nholds\n"
            "make.f compiled\nmake.k compiled\n");
  const std::optional<Found> found = ran.modules.at_end(0, "j");
  const auto* j = found ? values::as<values::Function>(found->value) : nullptr;
  ASSERT_TRUE(j);
  EXPECT_EQ(j->data->of, ran.function("plain"));
  EXPECT_EQ(ran.modules.function_at(j->data->serial), j->data);
  EXPECT_EQ(ran.modules.function_at(1000), nullptr);
  EXPECT_EQ(ran.modules.function_at(ran.function("holds")->serial), ran.function("holds"));
  EXPECT_EQ(ran.modules.function_of(*ran.function("plain")->def), j->data);
  const values::FunctionData* f = ran.modules.function_of(*ran.function("make.f")->def);
  EXPECT_NE(f, ran.function("make.f"));
  EXPECT_EQ(ran.modules.print(*ran.modules.find(*f, "n")), "unknown (captured)");
}

TEST(Questions, GeneratedKernelsHaveDecorators) {
  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics;
  const FileId file =
      sources.add("f", "from numba import cuda\n@cuda.jit(device=True)\ndef f(x): return x\n");
  const ast::Module* tree =
      parse(sources, file, lex(sources, file, diagnostics), TopLevel::Host, arena, diagnostics);
  auto* kernel = arena.make<ast::FunctionDef>(ast::get<ast::FunctionDef>(*tree->items[1]));
  kernel->generated = arena.make<ast::Generated>();
  kernel->name = "g";
  const std::vector<const ast::Stmt*> items{tree->items[0], tree->items[1], kernel};
  auto* whole = arena.make<ast::Module>(*tree);
  whole->items = arena.copy(items);
  const std::vector<SourceFile> files{{whole, true, {}}};
  const HostModules modules = run(sources, files);
  const values::FunctionData* made = modules.function_of(*kernel);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->is_jit);
  EXPECT_TRUE(made->is_device);
  ASSERT_EQ(made->decorators.size(), 1u);
  EXPECT_EQ(values::print(made->decorators[0]), "numba.cuda.jit(device=True)");
}

TEST(Questions, SayWhatIsGiven) {
  const Ran ran("N = 1\n", "", {{"N", "7"}, {"k.n", "(1, 2)"}});
  EXPECT_EQ(ran.modules.print(*ran.modules.given("k.n")), "(1, 2)");
  EXPECT_EQ(ran.modules.print(*ran.modules.given("N")), "7");
  EXPECT_FALSE(ran.modules.given("n"));
}

TEST(Questions, EvaluateAnExpressionAsItsReaderWould) {
  Ran ran("from numba import cuda\nL = [1]\nN = 2\nclass C:\n    N = 5\n    def m(x): return x\n"
          "def make(n):\n    c = N + 1\n    @cuda.jit\n    def k(x): return x\n    return k\na = make(4)\nN "
          "= 3\n");
  const values::FunctionData* k = ran.function("make.k");
  EXPECT_EQ(ran.evaluated("(N, c + n)", k), "(3, 7)");
  EXPECT_EQ(ran.evaluated("N", ran.function("C.m")), "3");
  EXPECT_EQ(ran.evaluated("other(N, L)"), "other(3, (1,))");
  EXPECT_EQ(ran.evaluated("[N, len(L)]"), "[3, 1]");
  EXPECT_EQ(ran.evaluated("c"), "c");
  // What it changes is seen by its answer alone.
  EXPECT_EQ(ran.evaluated("(L.append(2), L)"), "(None, [1, 2])");
  EXPECT_EQ(ran.name("L"), "[1]");
  const std::size_t before = ran.modules.functions().size();
  const std::optional<Found> made = ran.modules.evaluate(ran.expression("make(9)"), nullptr, 0);
  const auto* function = values::as<values::Function>(made->value);
  ASSERT_TRUE(function);
  EXPECT_EQ(ran.modules.print(*ran.modules.find(*function->data, "n")), "9");
  EXPECT_EQ(ran.modules.functions().size(), before);
}

TEST(Questions, SayWhichNamesAreInSight) {
  Ran ran("import cfg\nN = 1\nclass C:\n    Z = 1\n    def m(x): return x\ndef make(n):\n    w = 2\n"
          "    def k(x): return x\n    return k\n",
          "M = 1\ndef f(a):\n    def g(x): return x\n");
  const auto all = [&](const values::FunctionData* reader, std::size_t file) {
    std::string text;
    for (std::string_view name : ran.modules.names(reader, file)) text += std::string(name) + " ";
    return text;
  };
  const values::FunctionData* k = ran.function("make.k");
  EXPECT_EQ(all(k, 0), "n w k cfg N C make ");
  EXPECT_EQ(all(ran.function("C.m"), 0), "cfg N C make ");
  EXPECT_EQ(all(nullptr, 1), "M f ");
  EXPECT_EQ(ran.modules.define_name(k, 0, "w"), "make.w");
  EXPECT_EQ(ran.modules.define_name(k, 0, "N"), "N");
  EXPECT_EQ(ran.modules.define_name(k, 0, "missing"), "missing");
  EXPECT_EQ(ran.modules.define_name(nullptr, 1, "M"), "cfg.M");
  EXPECT_EQ(ran.modules.define_name(ran.function("f.g"), 1, "a"), "cfg.f.a");
}

TEST(Questions, SayWhatDecoratesFunctions) {
  const Ran ran(
      "from numba.extending import overload\nimport profiler\ndef f(x): pass\n@overload(f)\ndef of_f(x):\n"
      "    def code(x): return x\n    return code\ndef g(x): return x\ng = profiler.wrap(g)\n"
      "def g2(x): return x\n");
  const std::vector<const values::FunctionData*> found = ran.modules.decorated_by(".overload");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->statement->name, "of_f");
  EXPECT_TRUE(ran.modules.decorated_by(".intrinsic").empty());
  // A decorator that is called, of which nobody knows what it does, leaves the function what it is.
  const std::optional<Found> g = ran.modules.at_end(0, "g");
  const auto* function = values::as<values::Function>(g->value);
  ASSERT_TRUE(function);
  EXPECT_EQ(function->data->of, ran.function("g"));
  EXPECT_TRUE(function->data->wrapped_by);
  EXPECT_EQ(ran.modules.last_of_name(*ran.function("g2")), ran.function("g2"));
}

TEST(Questions, SayWhatIsBesideAFunction) {
  const Ran ran(
      "from numba import cuda\nimport os\ndef make():\n    if os.a:\n        @cuda.jit\n        def k(x): "
      "pass\n"
      "    else:\n        @cuda.jit\n        def k(x): x[0] = 1\n    j = cuda.jit(lambda x: x)\n    n = 4\n");
  const values::FunctionData* k = ran.function("make.k");
  EXPECT_EQ(ran.modules.print(*ran.modules.beside(*k, "k")), "unknown (bound)");
  EXPECT_EQ(ran.modules.print(*ran.modules.beside(*k, "n")), "4");
  // What a call makes has the name that it is given.
  EXPECT_TRUE(ran.function("make.j"));
}

TEST(Questions, SayWhichModulesAreChanged) {
  const Ran ran("import math\nmath.pi = 3\nd = math.floor\n");
  EXPECT_TRUE(ran.modules.is_assigned("math", "pi"));
  EXPECT_FALSE(ran.modules.is_assigned("math", "e"));
}

TEST(Questions, TermsHaveNames) {
  const Ran ran("import numpy as np\nt = np.dtype([('x', 'f4')])\n");
  const std::optional<Found> t = ran.modules.at_end(0, "t");
  const auto* term = values::as<values::Term>(t->value);
  ASSERT_TRUE(term);
  EXPECT_EQ(ran.modules.name_of(*term->data), "t");
}

TEST(Questions, SayTheFieldsOfNamedTuples) {
  const Ran ran("from typing import NamedTuple\nfrom collections import namedtuple\nclass P(NamedTuple):\n"
                "    x: float\n    y: int\nQ = namedtuple('Q', 'a, b')\nclass R: pass\n");
  const auto fields = [&](std::string_view name) {
    std::string text;
    for (std::string_view each : ran.modules.field_names(*ran.modules.at_end(0, name)))
      text += std::string(each) + " ";
    return text;
  };
  EXPECT_EQ(fields("P"), "x y ");
  EXPECT_EQ(fields("Q"), "a b ");
  EXPECT_EQ(fields("R"), "");
}

TEST(Questions, SayWhetherALimitWasMet) {
  EXPECT_FALSE(Ran("N = 1\n").modules.is_limited());
  EXPECT_TRUE(
      Ran("for i in range(60000):\n    for j in range(60000):\n        N = j\n").modules.is_limited());
  EXPECT_TRUE(
      Ran("import numpy as np\nfor i in range(20):\n    A = np.zeros(100000)\n").modules.is_limited());
}

} // namespace
} // namespace kern::python
