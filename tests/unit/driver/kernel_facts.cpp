// What is known of a kernel before any launch, of the module that every target begins with.
#include "compiler/analysis/launch/kernel_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/driver/session/compilation.h"

namespace kern {
namespace {

// Returns the facts of the only kernel of a text.
KernelFacts facts_of(const std::string& text) {
  Compilation compilation({});
  compilation.set_source("test.kern", text);
  const ir::Module* module = compilation.transformed();
  EXPECT_TRUE(module) << (module ? "" : compilation.diagnostics().all().front().message);
  if (!module) return {};
  const auto kernel = std::ranges::find(module->functions, true, &ir::Function::is_kernel);
  return compilation.facts(ir::FunctionId(kernel - module->functions.begin()));
}

KernelFacts facts_of_body(const std::string& body) {
  return facts_of("@kernel\ndef f(x: f32[:], n: i32):\n" + body);
}

TEST(KernelFacts, OfAPlainKernel) {
  const KernelFacts facts = facts_of_body("    i = grid(1)\n    if i < n:\n        x[i] = 1\n");
  ASSERT_EQ(facts.access.size(), 2u);
  EXPECT_TRUE(facts.access[0].written);
  EXPECT_FALSE(facts.access[0].read);
  EXPECT_TRUE(facts.shared.empty());
  EXPECT_TRUE(facts.indices.thread[0]);
  EXPECT_FALSE(facts.indices.thread[1]);
  EXPECT_FALSE(facts.indices.cooperates);
  EXPECT_TRUE(facts.work);
  EXPECT_FALSE(facts.prints || facts.has_grid_barriers || facts.waits);
  EXPECT_EQ(facts.words, 0u);
}

TEST(KernelFacts, OfWhatAKernelCalls) {
  const KernelFacts facts = facts_of("@device\n"
                                     "def told(n: i32):\n"
                                     "    a = shared.array(32, f32)\n"
                                     "    a[threadIdx.x % 32] = f32(n)\n"
                                     "    syncthreads()\n"
                                     "    print(a[0])\n"
                                     "@kernel\n"
                                     "def f(n: i32):\n"
                                     "    told(n)\n");
  EXPECT_TRUE(facts.prints);
  EXPECT_EQ(facts.shared.size(), 1u);
  EXPECT_TRUE(facts.indices.cooperates);
}

TEST(KernelFacts, WordsOfSharedMemory) {
  EXPECT_EQ(facts_of_body("    syncgrid()\n    x[0] = 1\n").words, 0u);
  // Threads that leave before a barrier of the grid are counted by two of them.
  const KernelFacts leaves = facts_of_body("    if grid(1) >= n:\n"
                                           "        return\n"
                                           "    syncgrid()\n"
                                           "    x[0] = 1\n");
  EXPECT_TRUE(leaves.has_grid_barriers);
  EXPECT_EQ(leaves.words, 2u);
}

TEST(KernelFacts, AreFoundOnce) {
  Compilation compilation({});
  compilation.set_source("test.kern", "@kernel\ndef f(x: f32[:]):\n    x[0] = 1\n");
  ASSERT_TRUE(compilation.transformed());
  EXPECT_EQ(&compilation.facts(ir::FunctionId(0)), &compilation.facts(ir::FunctionId(0)));
}

} // namespace
} // namespace kern
