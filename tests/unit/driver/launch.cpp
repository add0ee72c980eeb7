// The launch that a kernel's own tests ask for, through every form in which kernels write them.
#include "compiler/driver/run/launch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/driver/run/execute.h"
#include "compiler/driver/session/compilation.h"
#include "compiler/driver/session/options.h"

using namespace kern;

namespace {

// Runs the choice for a kernel `f` with zeros of these extents for its arrays and these integers for its
// scalars; "GRID of BLOCK", or the name of the first diagnostic.
std::string launch(std::string source, std::vector<std::vector<std::int64_t>> extents, Options options = {}) {
  Compilation compilation({});
  compilation.set_source("f.kern", std::move(source));
  const ir::Module* module = compilation.transformed();
  if (!module) return "source: " + compilation.diagnostics().all().front().message;
  const ir::Function* kernel = nullptr;
  for (const ir::Function& function : module->functions)
    if (function.is_kernel) kernel = &function;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < kernel->param_count; ++i) {
    Type type = kernel->slots[i].type;
    Argument argument{"", "", Scalar{{Number::Kind::Signed, extents[i][0], 0, 0}, {}, ScalarKind::I64}};
    if (is_array(type)) argument.value = std::move(*make_array(type->scalar, extents[i]));
    arguments.push_back(std::move(argument));
  }
  Diagnostics diagnostics;
  const KernelFacts& facts = compilation.facts(ir::FunctionId(kernel - module->functions.data()));
  LaunchShape shape = choose_launch(*kernel, facts.indices, make_params(*kernel, arguments), options,
                                    /*suited=*/std::nullopt, diagnostics);
  if (diagnostics.has_errors()) return std::string(diagnostics.all().front().row->name);
  return fmt::format("{} of {}", fmt::join(shape.grid, "x"), fmt::join(shape.block, "x"));
}

std::string one(std::string body, std::vector<std::vector<std::int64_t>> extents = {{1000}, {600}}) {
  return launch("@kernel\ndef f(y: f32[:], n: i64):\n" + body, std::move(extents));
}

std::string two(std::string body) { return launch("@kernel\ndef f(y: f32[:, :]):\n" + body, {{100, 50}}); }

Options with(std::string grid, std::string over, std::string block) {
  Options options;
  options.grid = grid, options.over = over, options.block = block;
  return options;
}

constexpr const char* plain =
    "@kernel\ndef f(y: f32[:]):\n    i = grid(1)\n    if i < y.size:\n        y[i] = 1.0\n";

} // namespace

TEST(Launch, TestsOfTheIndexGiveTheExtent) {
  EXPECT_EQ(one("    i = grid(1)\n    if i < y.size:\n        y[i] = 1.0\n"), "4x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if y.size > i:\n        y[i] = 1.0\n"), "4x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if i < n:\n        y[i] = 1.0\n"), "3x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if i < len(y) and i < n:\n        y[i] = 1.0\n"), "4x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if i >= n:\n        return\n    y[i] = 1.0\n"), "3x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if i > 0 and i < y.shape[0] - 1:\n        y[i] = 1.0\n"),
            "4x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if 2 * i + 1 < y.size:\n        y[2 * i] = 1.0\n"), "2x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = blockIdx.x * blockDim.x + threadIdx.x\n    if i < y.size:\n        y[i] = 1.0\n"),
            "4x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    if i * 8 <= n:\n        y[i] = 1.0\n"), "1x1x1 of 256x1x1");
}

TEST(Launch, GridStrideLoopsGiveTheirEnd) {
  EXPECT_EQ(one("    for i in range(grid(1), y.size, gridsize(1)):\n        y[i] = 1.0\n"),
            "4x1x1 of 256x1x1");
  EXPECT_EQ(one("    i = grid(1)\n    while i < n:\n        y[i] = 1.0\n        i += gridsize(1)\n"),
            "3x1x1 of 256x1x1");
}

TEST(Launch, AxesAreXFirst) {
  EXPECT_EQ(two("    col, row = grid(2)\n    if row < y.shape[0] and col < y.shape[1]:\n        y[row, col] "
                "= 1.0\n"),
            "4x7x1 of 16x16x1");
  EXPECT_EQ(two("    row = blockIdx.x\n    if row < y.shape[0]:\n        y[row, 0] = 1.0\n"),
            "100x1x1 of 256x1x1");
}

TEST(Launch, TestsInDeviceFunctionsCount) {
  EXPECT_EQ(launch("@device\ndef inside(i: i64, n: i64) -> bool:\n    return i < n\n\n@kernel\ndef f(y: "
                   "f32[:]):\n    i = grid(1)\n"
                   "    if inside(i, y.size):\n        y[i] = 1.0\n",
                   {{1000}}),
            "4x1x1 of 256x1x1");
}

TEST(Launch, ABlockOfTheKernelIsTaken) {
  EXPECT_EQ(launch("@kernel(block=(16, 8))\ndef f(y: f32[:, :]):\n    col, row = grid(2)\n    if row < "
                   "y.shape[0] and col < y.shape[1]:\n"
                   "        y[row, col] = 1.0\n",
                   {{100, 50}}),
            "4x13x1 of 16x8x1");
  EXPECT_EQ(launch("N = 32\n@kernel(block=32)\ndef f(y: f32[:]):\n    i = blockIdx.x * N + threadIdx.x\n    "
                   "if i < y.size:\n"
                   "        y[i] = f32(threadIdx.x)\n",
                   {{100}}),
            "4x1x1 of 32x1x1");
}

TEST(Launch, WhatCannotBeKnownIsRefused) {
  EXPECT_EQ(one("    i = grid(1)\n    y[i] = 1.0\n"), "unknown_launch");
  EXPECT_EQ(one("    i = grid(1)\n    if i > 0:\n        y[i] = 1.0\n"), "unknown_launch");
  EXPECT_EQ(one("    y[0] = 1.0\n"), "unknown_launch");
  EXPECT_EQ(two("    col, row = grid(2)\n    if row < y.shape[0]:\n        y[row, col] = 1.0\n"),
            "unknown_launch");
  EXPECT_EQ(one("    i = grid(1)\n    if i < n:\n        y[i] = f32(threadIdx.x)\n"), "needs_block");
  EXPECT_EQ(one("    i = grid(1)\n    syncthreads()\n    if i < n:\n        y[i] = 1.0\n"), "needs_block");
  EXPECT_EQ(one("    t = shared.array(8, f32)\n    t[0] = 1.0\n    i = grid(1)\n    if i < n:\n        y[i] "
                "= t[0]\n"),
            "needs_block");
}

TEST(Launch, OptionsDecide) {
  EXPECT_EQ(launch(plain, {{1000}}, with("7", "", "")), "7x1x1 of 256x1x1");
  EXPECT_EQ(launch(plain, {{1000}}, with("", "7", "")), "1x1x1 of 256x1x1");
  EXPECT_EQ(launch(plain, {{1000}}, with("", "65,1,1", "32,2")), "3x1x1 of 32x2x1");
  EXPECT_EQ(launch(plain, {{1000}}, with("", "", "33")), "31x1x1 of 33x1x1");
  EXPECT_EQ(launch(plain, {{0}}), "0x1x1 of 256x1x1");
  EXPECT_EQ(launch(plain, {{1000}}, with("", "0", "")), "0x1x1 of 256x1x1");
}

TEST(Launch, WrongOptionsAreRefused) {
  for (const char* text :
       {"-1", "a", "1,2,3,4", "1,", "1.5", "99999999999999999999", "2147483648", "1,65536"})
    EXPECT_EQ(launch(plain, {{1000}}, with(text, "", "")), "bad_extents") << text;
  for (const char* text : {"0", "1025", "33,32", "1,1,65", "x"})
    EXPECT_EQ(launch(plain, {{1000}}, with("", "", text)), "bad_extents") << text;
  EXPECT_EQ(launch(plain, {{1000}}, with("", "9223372036854775807", "")), "bad_extents");
  EXPECT_EQ(launch(plain, {{1000}}, with("1", "1", "")), "bad_command_line");
  EXPECT_EQ(
      launch("@kernel(block=32)\ndef f(y: f32[:]):\n    y[grid(1)] = 1.0\n", {{1000}}, with("1", "", "64")),
      "wrong_block");
}
