// A manifest comes back from its text as it was, and no text, however damaged, is taken for one.
#include "runtime/manifest/manifest.h"

#include <gtest/gtest.h>

#include <limits>

#include "kern/abi_hash.h"
#include "runtime/manifest/json.h"
#include "tests/unit/expression_builder.h"

namespace kern {
namespace {

// Every field differs from its default, and every kind of expression is there.
Manifest example() {
  Expression extent = node(ExpressionOp::Extent);
  extent.value = 1, extent.axis = 1, extent.rank = 2;
  Expression stride = extent;
  stride.op = ExpressionOp::Stride;
  Expression scalar = node(ExpressionOp::Scalar);
  scalar.type = ExpressionType::F32;
  Expression real = node(ExpressionOp::ConstantReal);
  real.real = std::numeric_limits<double>::infinity();
  Expression whole = node(ExpressionOp::Constant);
  whole.value = std::numeric_limits<std::int64_t>::min();
  Expression address = node(ExpressionOp::Address);
  address.value = 1;
  Expression block = node(ExpressionOp::BlockDim), grid = node(ExpressionOp::GridDim);
  block.axis = 2, grid.axis = 1;
  Expression tree =
      node(ExpressionOp::And, {node(ExpressionOp::Less, {scalar, real}),
                               node(ExpressionOp::Not, {node(ExpressionOp::Equal, {stride, whole})})});
  Expression wrap = node(ExpressionOp::Wrap, {extent});
  wrap.type = ExpressionType::U16;
  Expression below = node(ExpressionOp::Less, {extent, whole});
  below.type = ExpressionType::U64;
  Expression bits = node(ExpressionOp::BitAnd, {extent, node(ExpressionOp::BitXor, {whole, whole})});
  Expression choice = node(ExpressionOp::Select, {below, bits, whole});
  for (Expression leaf : {extent, address, block, grid, node(ExpressionOp::SharedBytes),
                          node(ExpressionOp::Add, {wrap, choice})})
    tree = node(ExpressionOp::Or, {tree, leaf});

  ManifestKernel kernel;
  kernel.name = "scale";
  kernel.symbol = "scale$f32$f32_2c";
  kernel.doc = "Scales \"x\".\n";
  kernel.place = {"a.kern", 3, 5};
  kernel.slots = 7;
  kernel.params = {{"a", "f32", 0, 0, false, false, false, false},
                   {"x", "f32", 2, 1, true, true, true, true}};
  kernel.block = {16, 8, 1};
  kernel.max_threads = 256;
  kernel.axes = {true, true, false};
  kernel.needs_block = "has barriers";
  kernel.prints = true;
  kernel.shared_bytes = 4096;
  kernel.dynamic_shared = {{4, {extent}, {}}, {8, {extent}, ManifestDeclaration{"tile", {"a.kern", 5, 9}}}};
  kernel.contracts = {{tree, "a < inf", {"a.kern", 4, 5}}};
  kernel.variants = {{"cpu", "scale", {tree}}, {"cpu", "scale$v1", {}}};
  kernel.work = ManifestWork{node(ExpressionOp::Multiply, {extent, real}), true};
  Manifest manifest;
  manifest.abi = "00000000000000ff";
  manifest.kernels = {kernel};
  manifest.sites = {{1, {"b.kern", 1, 2}, "tile", "x", {{"a.kern", 9, 1}}},
                    {0, {"a.kern", 1, 1}, "", "", {}}};
  manifest.prints = {{1, {"i = ", ""}, {"i64"}}};
  return manifest;
}

TEST(Manifest, ComesBackAsItWas) {
  std::string text = to_json(example()), error;
  std::optional<Manifest> back = parse_manifest(text, error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(to_json(*back), text);
  const ManifestKernel& kernel = back->kernels.at(0);
  EXPECT_EQ(kernel.params[1].slot, 1u);
  EXPECT_EQ(kernel.block, (std::array<std::uint32_t, 3>{16, 8, 1}));
  EXPECT_EQ(back->sites[0].calls[0], (ManifestPlace{"a.kern", 9, 1}));
  const Expression* tree = &kernel.contracts[0].condition;
  while (tree->op == ExpressionOp::Or) tree = &tree->operands[0];
  EXPECT_EQ(tree->operands[0].operands[1].real, std::numeric_limits<double>::infinity());
  EXPECT_EQ(tree->operands[1].operands[0].operands[1].value, std::numeric_limits<std::int64_t>::min());
}

TEST(Manifest, RefusesEveryPart) {
  std::string text = to_json(example()), error;
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_FALSE(parse_manifest(std::string_view(text).substr(0, length), error)) << length;
    EXPECT_NE(error, "");
  }
}

// Replaces the first `from` of the example's text and returns why that is refused.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text = to_json(example()), error;
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  EXPECT_FALSE(parse_manifest(text, error)) << from;
  return error;
}

TEST(Manifest, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("\"kern_manifest\": 1", "\"kern_manifest\": 2"),
            "the manifest is of version 2, and this runtime reads version 1");
  EXPECT_EQ(refusal("\"slots\": 7", "\"slots\": -7"),
            "the manifest is damaged at /kernels/slots: a number that is not negative is expected");
  EXPECT_EQ(refusal("\"slots\": 7", "\"slots\": 5"),
            "the manifest's parameter `x` lies outside of its parameter block");
  EXPECT_EQ(refusal("\"op\": \"not\"", "\"op\": \"nand\""),
            "the manifest is damaged at "
            "/kernels/contracts/condition/operands/operands/operands/operands/operands/operands/operands: "
            "a known word is expected");
  EXPECT_EQ(refusal("\"site\": 1", "\"site\": 2"), "the manifest prints at a site that it does not have");
  EXPECT_TRUE(refusal("\"type\": \"u16\"", "\"type\": \"f64\"").ends_with("an integer type is expected"));
  refusal("\"needs_block\"", "\"need_block\"");
  refusal("\"calls\": [", "\"calls\": [7,");
}

// An array of records consists of whole words of records that are there.
TEST(Manifest, HasTheRecordsOfItsArrays) {
  auto refusal_of = [](std::uint32_t param, const std::string& name, std::uint64_t size) {
    Manifest manifest = example();
    manifest.records = {{"P", size, 4, {}}};
    manifest.kernels[0].record_params = {{param, name}};
    std::string error;
    const std::optional<Manifest> back = parse_manifest(to_json(manifest), error);
    if (back) {
      EXPECT_EQ(record_of(*back, back->kernels[0], 1) != nullptr, param == 1);
    }
    return error;
  };
  EXPECT_EQ(refusal_of(1, "P", 12), "");
  EXPECT_EQ(refusal_of(0, "P", 10), ""); // a record by value
  for (std::uint64_t size : {0, 10})
    EXPECT_EQ(refusal_of(1, "P", size), "the manifest's parameter `x` has no record `P` of such words");
  EXPECT_EQ(refusal_of(1, "Q", 12), "the manifest's parameter `x` has no record `Q` of such words");
  EXPECT_EQ(refusal_of(2, "P", 12),
            "the manifest has records at a parameter that kernel `scale` does not have");
}

TEST(Manifest, IgnoresWhatLaterVersionsAdd) {
  std::string text = to_json(example()), error;
  text.insert(1, "\"later\": {\"a\": [1]},");
  EXPECT_TRUE(parse_manifest(text, error)) << error;
}

TEST(Manifest, ReadsWhatEarlierCompilersWrote) {
  std::string text = to_json(example()), error;
  for (std::size_t at; (at = text.find("\"declared\"")) != std::string::npos;)
    text.replace(at, 10, "\"unheard\"");
  std::optional<Manifest> manifest = parse_manifest(text, error);
  ASSERT_TRUE(manifest) << error;
  EXPECT_FALSE(manifest->kernels.at(0).dynamic_shared.at(1).declared);
}

TEST(Manifest, HasADepthLimit) {
  std::string open, close, text = to_json(example()), error;
  for (int i = 0; i < 100'000; ++i) open += R"({"op":"negate","operands":[)", close += "]}";
  std::string leaf = R"({"op":"constant","value":1})";
  std::size_t at = text.find("\"condition\": ");
  text = text.substr(0, at) + "\"condition\": " + open + leaf + close + ", \"text\": \"\"";
  EXPECT_FALSE(parse_manifest(text, error));
  text = to_json(example());
  text.insert(text.find("\"facts\": [") + 10, open + leaf + close + ",");
  EXPECT_FALSE(parse_manifest(text, error));
  EXPECT_NE(error, "");
}

// Objects that were compiled before carry this number: another one needs another KERN_ABI_VERSION.
TEST(Abi, HashStays) { EXPECT_EQ(abi_hash, 0x4d5344776670d14fu); }

} // namespace
} // namespace kern
