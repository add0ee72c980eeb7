// Tests what the compiler says about a module, and that it says so in the form of docs/manifest.schema.json.
#include "compiler/driver/aot/manifest.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "compiler/driver/session/compilation.h"

namespace kern {
namespace {

using Json = nlohmann::json;

Manifest manifest_of(const std::string& source) {
  Compilation compilation({});
  compilation.set_source("test.kern", source);
  std::optional<Manifest> manifest = make_manifest(compilation);
  EXPECT_TRUE(manifest);
  return manifest.value_or(Manifest());
}

// As much of JSON Schema as the schema uses: $ref const enum type required properties additionalProperties
// items minimum maximum pattern.
class Validator {
public:
  explicit Validator(Json schema) : root_(std::move(schema)) {}
  std::vector<std::string> problems;

  void check(const Json& value) { check(value, root_, ""); }

private:
  void check(const Json& value, const Json& schema, const std::string& where) {
    auto demand = [&](bool holds, const char* keyword) {
      if (!holds) problems.push_back(where + ": " + keyword);
    };
    for (const auto& [key, rule] : schema.items()) {
      if (key == "$ref") check(value, root_.at("$defs").at(rule.get<std::string>().substr(8)), where);
      if (key == "const") demand(value == rule, "const");
      if (key == "enum") demand(std::find(rule.begin(), rule.end(), value) != rule.end(), "enum");
      if (key == "type") demand(has_type(value, rule), "type");
      if (key == "minimum") demand(value >= rule, "minimum");
      if (key == "maximum") demand(value <= rule, "maximum");
      if (key == "pattern")
        demand(std::regex_match(value.get<std::string>(), std::regex(rule.get<std::string>())), "pattern");
      if (key == "required")
        for (const Json& name : rule) demand(value.contains(name.get<std::string>()), "required");
      if (key == "items" && value.is_array())
        for (const Json& item : value) check(item, rule, where + "[]");
    }
    if (!value.is_object() || !schema.contains("properties")) return;
    for (const auto& [name, member] : value.items()) {
      bool known = schema["properties"].contains(name);
      demand(known, ("has no property " + name).c_str());
      if (known) check(member, schema["properties"][name], where + "/" + name);
    }
  }

  static bool has_type(const Json& value, const Json& rule) {
    if (rule.is_array())
      return std::any_of(rule.begin(), rule.end(), [&](const Json& type) { return has_type(value, type); });
    std::string type = rule;
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
  }

  Json root_;
};

constexpr const char* source = R"(
@device
def put(y: f32[:], i: i64):
    y[i] = 2.0

@kernel
def many(t: (i64, f32), x: f32[:, ::1], y: f32[:]):
    """Puts."""
    assert x.shape[0] == y.size
    assert t[1] > 0.5
    i = grid(1)
    print("i =", i, t[1])
    put(y, i + t[0])

@kernel(block=(16, 16))
def tile(z: c128, out: f64[:]):
    s = shared.array((16, 16), f64)
    s[threadIdx.y, threadIdx.x] = 1.0
    syncthreads()
    out[threadIdx.x] = s[threadIdx.x, threadIdx.y]

@kernel
def dynamic(n: i32, x: u8[:]):
    s = shared.array(n + 1, u8)
    s[threadIdx.x] = x[threadIdx.x]
    syncthreads()
    x[threadIdx.x] = s[0]
)";

TEST(Manifest, FollowsItsSchema) {
  std::ifstream file(KERN_SOURCE_DIR "/docs/manifest.schema.json");
  Validator validator(Json::parse(file));
  Json manifest = Json::parse(to_json(manifest_of(source)));
  validator.check(manifest);
  EXPECT_EQ(validator.problems, std::vector<std::string>());
  // The validator itself finds what is wrong.
  manifest["kernels"][0].erase("symbol");
  manifest["kernels"][0]["params"][0]["type"] = "f31";
  manifest["sites"][0]["place"]["line"] = 0;
  manifest["other"] = 1;
  validator.check(manifest);
  EXPECT_EQ(validator.problems.size(), 4u);
}

TEST(Manifest, DescribesParameters) {
  Manifest manifest = manifest_of(source);
  const ManifestKernel& kernel = manifest.kernels.at(0);
  EXPECT_EQ(kernel.name, "many");
  EXPECT_EQ(kernel.doc, "Puts.");
  EXPECT_EQ(kernel.place, (ManifestPlace{"test.kern", 7, 5}));
  ASSERT_EQ(kernel.params.size(), 4u);
  EXPECT_EQ(kernel.params[1].name, "t.1");
  EXPECT_EQ(kernel.params[1].type, "f32");
  EXPECT_EQ(kernel.params[2].rank, 2u);
  EXPECT_TRUE(kernel.params[2].contiguous);
  EXPECT_FALSE(kernel.params[2].written);
  EXPECT_EQ(kernel.params[3].slot, 7u);
  EXPECT_TRUE(kernel.params[3].written);
  EXPECT_EQ(kernel.slots, 11u);
  EXPECT_EQ(manifest.kernels.at(1).params.at(1).slot, 2u); // behind a c128
}

TEST(Manifest, DescribesLaunches) {
  Manifest manifest = manifest_of(source);
  const ManifestKernel &many = manifest.kernels.at(0), &tile = manifest.kernels.at(1);
  EXPECT_FALSE(many.block);
  EXPECT_EQ(many.axes, (std::array<bool, 3>{true, false, false}));
  EXPECT_EQ(many.needs_block, "");
  ASSERT_EQ(many.contracts.size(), 2u);
  EXPECT_EQ(many.contracts[0].text, "x.shape[0] == y.size");
  EXPECT_EQ(many.contracts[1].place.line, 10u);
  EXPECT_EQ(tile.block, (std::array<std::uint32_t, 3>{16, 16, 1}));
  EXPECT_NE(tile.needs_block, "");
  EXPECT_TRUE(many.prints);
  EXPECT_FALSE(tile.prints);
  EXPECT_EQ(tile.shared_bytes, 2048u);
  ASSERT_EQ(manifest.kernels.at(2).dynamic_shared.size(), 1u);
  EXPECT_EQ(manifest.kernels.at(2).dynamic_shared[0].element_bytes, 1u);
}

TEST(Manifest, HasVariantsWithFacts) {
  Manifest manifest = manifest_of(source);
  const std::vector<ManifestVariant>& variants = manifest.kernels.at(0).variants;
  ASSERT_EQ(variants.size(), 4u);
  for (std::size_t i : {0, 1}) EXPECT_EQ(variants[i].target, "cuda");
  for (std::size_t i : {2, 3}) EXPECT_EQ(variants[i].target, "cpu");
  EXPECT_FALSE(variants[0].facts.empty());
  EXPECT_EQ(variants[2].facts.size(), 6u); // two arrays, whole vectors, three axes of a small grid
  for (std::size_t first : {0, 2}) {
    EXPECT_EQ(variants[first].symbol, "many");
    EXPECT_EQ(variants[first + 1].symbol, "many$v1");
    EXPECT_TRUE(variants[first + 1].facts.empty());
  }
  // The block is written: its multiple of 16 needs no test.
  EXPECT_EQ(manifest.kernels.at(1).variants.at(2).facts.size(), 4u);
}

TEST(Manifest, DescribesSites) {
  Manifest manifest = manifest_of(source);
  bool found = false;
  for (const ManifestSite& site : manifest.sites)
    if (site.kind == 1 && site.param == "y" && !site.calls.empty()) {
      found = true;
      EXPECT_EQ(site.place, (ManifestPlace{"test.kern", 4, 7}));
      EXPECT_EQ(site.calls, std::vector<ManifestPlace>({{"test.kern", 13, 5}}));
    }
  EXPECT_TRUE(found);
  ASSERT_EQ(manifest.prints.size(), 1u);
  EXPECT_EQ(manifest.prints[0].types, std::vector<std::string>({"i64", "f32"}));
}

} // namespace
} // namespace kern
