// One module for each target: what a target's passes do shows in its own module alone, whichever is asked for
// first, and a site's number means the same place in all of them. Over every example and the stdlib, and
// kernels whose threads disagree on barriers, at which the passes for the CPU find sites.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/driver/session/compilation.h"
#include "compiler/ir/print.h"

namespace kern {
namespace {

constexpr Target all_targets[] = {Target::Cuda, Target::Cpu};

constexpr std::string_view divergent = R"python(from numba import cuda

@cuda.jit("void(int32[:], int32)")
def k(x, n):
    for i in range(x[cuda.threadIdx.x]):
        cuda.syncthreads()
        x[i + cuda.threadIdx.x] = n
    if x[n] > 0:
        cuda.syncthreads()
)python";

std::vector<std::pair<std::string, std::string>> programs() {
  std::vector<std::pair<std::string, std::string>> found{{"divergent.py", std::string(divergent)}};
  auto files = [](const char* folder) {
    return std::filesystem::directory_iterator(std::filesystem::path(KERN_SOURCE_DIR) / folder);
  };
  for (const auto& entry : files("examples")) {
    if (entry.path().extension() != ".kern") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    found.emplace_back(entry.path().filename().string(), text.str());
  }
  for (const auto& entry : files("stdlib"))
    if (entry.path().extension() == ".kern")
      found.emplace_back("uses_" + entry.path().filename().string(),
                         "import " + entry.path().stem().string() + "\n");
  return found;
}

std::unique_ptr<Compilation> open(const std::string& name, const std::string& text) {
  auto compilation = std::make_unique<Compilation>(CompileOptions{});
  compilation->set_source(name, text);
  return compilation;
}

std::string printed(const ir::Module* module) { return module ? ir::print(*module) : "none"; }

bool is_same(const ir::Site& left, const ir::Site& right) {
  return left.kind == right.kind && left.span == right.span && left.array == right.array &&
         left.param == right.param && left.calls == right.calls && left.function == right.function;
}

TEST(Targets, WhatWasMadeStaysAsItIs) {
  for (const auto& [name, text] : programs()) {
    auto compilation = open(name, text);
    const std::string checked = printed(compilation->module());
    const std::string common = printed(compilation->transformed());
    const std::string cuda = printed(compilation->module_for(Target::Cuda));
    const std::string cpu = printed(compilation->module_for(Target::Cpu));
    EXPECT_NE(checked, "none") << name;
    EXPECT_EQ(printed(compilation->module()), checked) << name;
    EXPECT_EQ(printed(compilation->transformed()), common) << name;
    EXPECT_EQ(printed(compilation->module_for(Target::Cuda)), cuda) << name;
    EXPECT_EQ(printed(compilation->module_for(Target::Cpu)), cpu) << name;
    EXPECT_EQ(compilation->ir(), checked) << name;
    EXPECT_EQ(compilation->ir(Target::Cpu), cpu) << name;
  }
}

TEST(Targets, TheOrderOfAskingDoesNotShow) {
  for (const auto& [name, text] : programs()) {
    auto first = open(name, text), second = open(name, text);
    for (Target target : all_targets) first->module_for(target);
    for (Target target : {Target::Cpu, Target::Cuda}) second->module_for(target);
    for (Target target : all_targets) {
      EXPECT_EQ(printed(first->module_for(target)), printed(second->module_for(target))) << name;
      auto alone = open(name, text);
      EXPECT_EQ(printed(alone->module_for(target)), printed(first->module_for(target))) << name;
    }
    // An error is reported once, by whichever target asks first.
    auto checked = open(name, text);
    checked->transformed();
    EXPECT_EQ(first->diagnostics().all().size(), checked->diagnostics().all().size()) << name;
    EXPECT_EQ(second->diagnostics().all().size(), checked->diagnostics().all().size()) << name;
  }
}

TEST(Targets, ANumberMeansOnePlace) {
  std::size_t own_sites = 0;
  for (const auto& [name, text] : programs())
    for (bool is_cpu_first : {false, true}) {
      auto compilation = open(name, text);
      if (is_cpu_first) compilation->module_for(Target::Cpu);
      for (Target target : all_targets) ASSERT_TRUE(compilation->module_for(target)) << name;
      const std::span<const ir::Site> table = compilation->sites();
      own_sites += table.size() - compilation->transformed()->sites.size();
      for (const ir::Module* module : {compilation->transformed(), compilation->module_for(Target::Cuda),
                                       compilation->module_for(Target::Cpu)}) {
        ASSERT_LE(module->sites.size(), table.size()) << name;
        for (std::size_t site = 0; site < module->sites.size(); ++site)
          EXPECT_TRUE(is_same(module->sites[site], table[site])) << name << " " << site;
      }
    }
  EXPECT_GT(own_sites, 0u);
}

TEST(Targets, PassesAreAskedForByName) {
  auto compilation = open("divergent.py", std::string(divergent));
  const Pass segments[] = {Pass::Inline, Pass::Segments, Pass::Segments};
  const std::string cut = *compilation->ir(segments);
  EXPECT_NE(cut.find("segment"), cut.npos);
  EXPECT_EQ(compilation->ir()->find("segment"), std::string::npos);
}

// The types of a copy are the original's, and stay when that has ended.
TEST(Targets, AModuleCanBeCopied) {
  auto original = std::make_unique<ir::Module>();
  const Type array = original->types.array(ScalarKind::F32, 2);
  ir::Function function;
  function.name = function.symbol = "k";
  function.slots.push_back({"x", array, ir::Slot::Kind::Variable, {}});
  original->functions.push_back(std::move(function));
  original->params.emplace_back();
  ir::Module copy = *original;
  EXPECT_EQ(copy.types.array(ScalarKind::F32, 2), array);
  const Type tuple = copy.types.tuple(std::vector{array, types::i64});
  EXPECT_EQ(original->types.tuple(std::vector{array, types::i64}), tuple);
  original.reset();
  EXPECT_EQ(to_string(copy.functions[0].slots[0].type), "f32[:, :]");
  EXPECT_EQ(copy.types.tuple(std::vector{copy.types.array(ScalarKind::F32, 2), types::i64}), tuple);
}

} // namespace
} // namespace kern
