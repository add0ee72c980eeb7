// The options of kernc in kern::compile, and imports from memory.
#include <map>
#include <set>

#include "jit_fixture.h"

namespace {

using kern::Module;
using kern::View;

struct Row {
  std::string_view kind, commands, flag, values;
};
constexpr Row rows[] = {
#define FLAG(Commands, Flag, Field, Help) {"flag", #Commands, Flag, ""},
#define OPTION(Commands, Flag, Values, Field, Default, Help) {"option", #Commands, Flag, Values},
#define LIST(Commands, Flag, Values, Field, Help) {"list", #Commands, Flag, Values},
#define ALIAS(Commands, Flag, Means, Help) {"alias", #Commands, Flag, ""},
#include "compiler/driver/session/options.def"
};

bool is_of_jit(const Row& row) { return row.commands.find('J') != row.commands.npos; }

// Values of those that take more than some words.
const std::map<std::string_view, std::string> samples = {
    {"--arch", "sm_90"},
    {"--sig", "g(f32[:])"},
    {"-D", "SCALE=2.0"},
    {"-I", "/nowhere"},
    {"--file-prefix-map", "/a=/b"},
    {"-W", "no-race"},
    {"--specialize", "scale.block=64"},
};

// The words that an option can be given by.
std::vector<std::string> words_of(const Row& row) {
  const std::string flag(row.flag);
  const std::string between = flag.size() > 2 && flag.starts_with("--") ? "=" : "";
  if (row.kind == "flag" || row.kind == "alias") return {flag};
  if (auto sample = samples.find(row.flag); sample != samples.end()) return {flag + between + sample->second};
  std::vector<std::string> words;
  std::string values(row.values);
  EXPECT_NE(values.find('|'), values.npos) << flag << " needs a sample";
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = std::min(values.find('|', begin), values.size());
    words.push_back(flag + between + values.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

constexpr const char* scaled = R"(
SCALE = 2.0

def g(x):
    x[0] = 1.0

@kernel
def scale(x: f32[:], y: f32[:]):
    i = grid(1)
    if i < y.size:
        y[i] = f32(SCALE) * x[i] + 1.0
)";

void expect_scaled(const Module& module, const std::string& word) {
  std::vector<float> x = counted(100), y(100);
  module.kernel<void(View<const float>, View<float>)>("scale")(kern::over(100), kern::in(x), kern::out(y));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 2 * x[i] + 1) << word;
}

// Every row of the table that is for programs, with every value that it takes.
TEST(Options, OfTheTableReachTheCompiler) {
  int tried = 0;
  for (const Row& row : rows) {
    if (!is_of_jit(row)) continue;
    for (const std::string& word : words_of(row)) {
      kern::CompileOptions options;
      options.options = {word};
      if (word.starts_with("--dialect=numba")) continue; // the source is Kern
      expect_scaled(kern::compile(test_device(), scaled, options), word);
      ++tried;
    }
    if (row.kind != "option") continue;
    kern::CompileOptions options;
    options.options = {std::string(row.flag) + (row.flag.size() > 2 ? "=" : "") + "nonsense"};
    EXPECT_TRUE(contains(refusal(scaled, options), "`" + std::string(row.flag) + "` takes no `nonsense`"));
  }
  EXPECT_GT(tried, 25);
}

TEST(Options, NameArchitecturesThatThereAre) {
  for (const char* name : {"sm_10", "sm_80,sm_1", "x86-64-v9", "native", "nonsense", "sm_"}) {
    kern::CompileOptions options;
    options.options = {std::string("--arch=") + name};
    EXPECT_TRUE(contains(refusal(scaled, options), "there is no architecture `")) << name;
  }
}

TEST(Options, OfOthersAreRefused) {
  std::set<std::string_view> known;
  for (const Row& row : rows)
    if (is_of_jit(row)) known.insert(row.flag);
  for (const Row& row : rows) {
    if (known.contains(row.flag) || row.flag.size() < 3) continue;
    kern::CompileOptions options;
    options.options = {std::string(row.flag) + "=1"};
    EXPECT_TRUE(contains(refusal(scaled, options), "`" + std::string(row.flag) + "` is no option here"));
  }
}

TEST(Options, ThatAreNoneAreRefused) {
  kern::CompileOptions options;
  options.options = {"--lane=32"};
  EXPECT_TRUE(contains(refusal(scaled, options), "did you mean `--lanes`?"));
  options.options = {"--lanes=7"};
  EXPECT_TRUE(contains(refusal(scaled, options), "give one of: 1, 16, 32"));
  options.options = {"other.kern"};
  EXPECT_TRUE(contains(refusal(scaled, options), "`other.kern` is no option"));
  options.options = {"-h"};
  EXPECT_TRUE(contains(refusal(scaled, options), "is no option here"));
  options.options = {"-DSCALE=@/etc/secret.npy"};
  EXPECT_TRUE(contains(refusal(scaled, options), "the JIT reads no files for values"));
  options.options = {"-DSCALE=/etc/secret.py:KEY"};
  EXPECT_TRUE(contains(refusal(scaled, options), "the JIT reads no files for values"));
  options.options = {"--sig"};
  EXPECT_NE(refusal(scaled, options), "");
  options.options = {""};
  EXPECT_TRUE(contains(refusal(scaled, options), "`` is no option"));
}

TEST(Options, MeanWhatTheyMeanToKernc) {
  const std::string race = "@kernel\ndef f(x: f32[:], y: f32[:]):\n    y[0] += x[grid(1)]\n";
  kern::CompileOptions options;
  options.options = {"-Werror"};
  EXPECT_TRUE(contains(refusal(race, options), "error["));
  options.options = {"-Werror", "-Wno-race"};
  EXPECT_EQ(refusal(race, options), "");
  options.options = {"-Wno-nothing"};
  EXPECT_TRUE(contains(refusal(race, options), "there is no warning `nothing`"));
  options.options = {"--on-fault=clamp"};
  Module module = kern::compile(test_device(), "@kernel\ndef f(y: f32[:]):\n    y[grid(1)] = 1.0\n", options);
  std::vector<float> y(3);
  module.kernel<void(View<float>)>("f")(kern::grid(1).block(8), kern::out(y));
  EXPECT_EQ(y, std::vector<float>(3, 1.0f));
  EXPECT_EQ(kern::Stream::of_thread(module.device()).take_reports().size(), 1u);
}

TEST(Options, OfLanesReachTheVariants) {
  if (test_device().is_cuda()) GTEST_SKIP() << "lanes are the CPU's";
  kern::CompileOptions options;
  auto modulus = [&](const std::string& word) {
    options.options = {word};
    return std::string(kern::compile(test_device(), scaled, options).manifest());
  };
  EXPECT_NE(modulus("--lanes=32"), modulus("--lanes=16"));
}

// ---- Imports from memory ----

std::string importing(const std::string& import) {
  return import + "\n\n@kernel\ndef f(y: i32[:]):\n    y[0] = VALUE\n";
}

std::int32_t value_of(const std::string& source, const kern::CompileOptions& options) {
  std::vector<std::int32_t> y(1);
  kern::compile(test_device(), source, options)
      .kernel<void(View<std::int32_t>)>("f")(kern::over(1), kern::inout(y));
  return y[0];
}

TEST(Imports, ComeFromMemory) {
  kern::CompileOptions options;
  options.imports = {{"shared.kern", "VALUE = 5\n"},
                     {"python.py", "VALUE = 6\n"},
                     {"chain.kern", "from .shared import VALUE\n"},
                     {"pkg/__init__.py", "VALUE = 7\n"},
                     {"pkg/inner.kern", "from ..shared import VALUE\n"},
                     {"pkg.beside", "from .deep import VALUE\n"},
                     {"pkg/deep.kern", "VALUE = 8\n"}};
  const std::pair<const char*, int> imports[] = {
      {"from shared import VALUE", 5},     {"from .shared import VALUE", 5},
      {"from chain import VALUE", 5},      {"from python import VALUE", 6},
      {"from pkg import VALUE", 7},        {"from pkg.inner import VALUE", 5},
      {"from pkg.beside import VALUE", 8},
  };
  for (const auto& [import, value] : imports)
    EXPECT_EQ(value_of(importing(import), options), value) << import;
  options.name = "pkg/root.kern";
  EXPECT_EQ(value_of(importing("from .deep import VALUE"), options), 8);
  EXPECT_EQ(value_of(importing("from shared import VALUE"), options), 5);
  EXPECT_NE(refusal(importing("from missing import VALUE"), options), "");
}

TEST(Imports, ComeBeforeFilesAndTheStandardLibrary) {
  kern::CompileOptions options;
  options.imports = {{"random", "VALUE = 9\n"}};
  EXPECT_EQ(value_of(importing("from random import VALUE"), options), 9);
}

TEST(Imports, TellErrorsAtTheirPlaces) {
  kern::CompileOptions options;
  options.imports = {{"./lib/../shared.kern", "VALUE = (\n"}};
  EXPECT_TRUE(contains(refusal(importing("from shared import VALUE"), options), "shared.kern:1:"));
  options.imports = {{"a.kern", "from b import VALUE\n"}, {"b.kern", "from a import VALUE\n"}};
  EXPECT_TRUE(contains(refusal(importing("from a import VALUE"), options), "imports"));
}

TEST(Imports, HaveNamesOfTheirOwn) {
  for (const auto& names : {std::vector<std::string>{""}, {"<stdlib>/random.kern"}, {"a.kern", "a"}}) {
    kern::CompileOptions options;
    for (const std::string& name : names) options.imports[name] = "VALUE = 1\n";
    kern::Status status;
    kern::compile(status, test_device(), saxpy, options);
    EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR) << names[0];
  }
}

// Null pointers and short structs are possible in C, so they are refused.
TEST(Options, OfTheCInterfaceAreChecked) {
  kern::Device device = test_device();
  kern_module* module = nullptr;
  auto kind = [&](kern_compile_options options) {
    kern_error* error =
        kern_compile(device.get(), saxpy, std::char_traits<char>::length(saxpy), &options, &module);
    kern_error_kind kind = kern_error_get_kind(error);
    kern_error_free(error);
    return kind;
  };
  kern_compile_options options{};
  EXPECT_EQ(kind(options), KERN_ARGUMENT_ERROR);
  options.struct_size = sizeof options;
  for (kern_texts kern_compile_options::* texts :
       {&kern_compile_options::defines, &kern_compile_options::signatures, &kern_compile_options::folders,
        &kern_compile_options::options}) {
    kern_compile_options wrong = options;
    (wrong.*texts).count = 1;
    EXPECT_EQ(kind(wrong), KERN_ARGUMENT_ERROR);
    const char* const none[] = {nullptr};
    (wrong.*texts).data = none;
    EXPECT_EQ(kind(wrong), KERN_ARGUMENT_ERROR);
  }
  kern_compile_options wrong = options;
  wrong.import_count = 1;
  EXPECT_EQ(kind(wrong), KERN_ARGUMENT_ERROR);
  const kern_source nameless{nullptr, "", 0}, textless{"a", nullptr, 3};
  wrong.imports = &nameless;
  EXPECT_EQ(kind(wrong), KERN_ARGUMENT_ERROR);
  wrong.imports = &textless;
  EXPECT_EQ(kind(wrong), KERN_ARGUMENT_ERROR);
  wrong = options;
  wrong.dialect = 7;
  EXPECT_EQ(kind(wrong), KERN_ARGUMENT_ERROR);
  EXPECT_EQ(kind(options), KERN_NO_ERROR);
  kern_module_release(module);
}

} // namespace
