// The example of every diagnostic is compiled, or its command line run, and must give exactly its code.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/lex.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/types.h"
#include "compiler/driver/session/compilation.h"
#include "compiler/driver/session/modules.h"
#include "compiler/driver/session/streams.h"
#include "compiler/support/limits.h"

using namespace kern;

namespace {

// The text of the first fenced block whose opening line is "```" + `kind`; nothing where there is none.
std::optional<std::string> block(std::string_view text, std::string_view kind) {
  std::string opening = "\n```" + std::string(kind) + "\n";
  std::size_t begin = text.find(opening);
  if (begin == std::string_view::npos) return std::nullopt;
  begin += opening.size();
  return std::string(text.substr(begin, text.find("\n```", begin) + 1 - begin));
}

// Reads the "# name: value" lines at the head of an example.
CompileOptions options_of(const std::string& source, std::string& name) {
  CompileOptions options;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    if (line == "# dialect: numba") name = "example.py";
    if (line.starts_with("# define: ")) {
      std::string text = line.substr(10);
      options.check.defines.push_back({text.substr(0, text.find('=')), text.substr(text.find('=') + 1)});
    }
  }
  return options;
}

// A kernel of one hundred locals, each of which takes its type from the next in the loop.
std::string unsettled_example() {
  std::string source = "@kernel\ndef f(x: f32[:], n: i64):\n    a100 = 0\n";
  for (int i = 0; i < 100; ++i) source += fmt::format("    a{} = 0\n", i);
  source += "    for i in range(n):\n";
  for (int i = 0; i < 100; ++i) source += fmt::format("        a{} = a{}\n", i, i + 1);
  return source + "        a100 = x[0]\n    x[0] = a0\n";
}

// The examples that Markdown cannot hold, or that would fill pages of it.
// Kernels of two loops over a tuple, written out.
std::string long_module() {
  std::string elements = "1";
  for (int i = 1; i < 160; ++i) elements += ", 1";
  std::string text = "T = (" + elements + ")\n";
  for (int i = 0; i < 9; ++i)
    text += "@kernel\ndef k" + std::to_string(i) +
            "(x: i64[:]):\n    for a in T:\n        for b in T:\n            x[threadIdx.x] = b\n";
  return text;
}

// A long tuple that is looked at in each of many rounds.
std::string long_work() {
  return "T = (0,) * 1000\nS = (0,) * 200\n@kernel\ndef k(x: i64[:]):\n    for a in S:\n        for b in S:\n"
         "            x[0] = T[b]\n";
}

std::optional<std::string> unwritable_example(const DiagnosticRow& row) {
  if (row.code == diag::malformed_utf8.code) return "N = \xff\n";
  if (row.code == diag::types_do_not_settle.code) return unsettled_example();
  if (row.code == diag::source_too_large.code) return std::string(limits::source_bytes + 1, '\n');
  if (row.code == diag::module_too_large.code) return long_module();
  if (row.code == diag::too_much_work.code) return long_work();
  return std::nullopt;
}

std::set<std::string> codes_of(const std::string& source) {
  std::string name = "example.kern";
  CompileOptions options = options_of(source, name);
  // An example may import itself, under the name of its file.
  options.find_module = [&](const std::string& module, const std::string& importer) {
    return module == "example" ? FoundFile{name, source} : find_in_stdlib(module, importer);
  };
  Compilation compilation(options);
  compilation.set_source(name, source);
  compilation.transformed();
  std::set<std::string> codes;
  for (const Diagnostic& diagnostic : compilation.diagnostics().all()) codes.emplace(diagnostic.row->code);
  return codes;
}

// Splits a command line as a shell would, for the quotes that examples use.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  for (char c : line + " ") {
    if (c == '\n') c = ' ';
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else if (c != ' ' || quote)
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, ""));
  }
  return words;
}

// A new folder that is the current one while this lives.
struct Folder {
  Folder() {
    char name[] = "/tmp/kern-explain-XXXXXX";
    path = mkdtemp(name);
    previous = getcwd(nullptr, 0);
    EXPECT_EQ(chdir(path.c_str()), 0);
  }
  ~Folder() {
    unlink("f.kern");
    EXPECT_EQ(chdir(previous), 0);
    rmdir(path.c_str());
    free(previous);
  }
  std::string path;
  char* previous;
};

std::string run_line(const std::string& line, ExitCode& code) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  std::vector<std::string> words = words_of(line);
  EXPECT_EQ(words.front(), "kernc");
  code = run_kernc(std::span(words).subspan(1), streams);
  return err.str();
}

class Explanation : public testing::TestWithParam<const DiagnosticRow*> {};

} // namespace

TEST_P(Explanation, ExampleGivesItsCode) {
  const DiagnosticRow& row = *GetParam();
  // A bug has no example, nor has a machine that lacks something or is set up in a wrong way.
  bool has_example = row.explanation.find(" fail\n") != std::string_view::npos;
  bool is_about_machine = row.code.substr(1).starts_with("09") || row.code == diag::unusable_cache.code;
  if (row.code == diag::internal_error.code || (is_about_machine && !has_example)) return;
  if (std::optional<std::string> line = block(row.explanation, "console fail")) {
    Folder folder;
    setenv("KERN_LIBCUDA", "/no/such/driver", 1); // the machine of the test may have one
    std::optional<std::string> source = block(row.explanation, "kern");
    std::ofstream("f.kern") << source.value_or("N = 1\n");
    ExitCode code{};
    std::string said = run_line(*line, code);
    EXPECT_NE(said.find("[" + std::string(row.code) + "]"), std::string::npos) << said;
    EXPECT_EQ(said.find("error["), said.rfind("error[")) << said;
    EXPECT_NE(code, ExitCode::Done);
    return;
  }
  std::optional<std::string> source = unwritable_example(row);
  if (!source) source = block(row.explanation, row.severity == Severity::Error ? "kern fail" : "kern warn");
  ASSERT_TRUE(source) << row.code << " has no example";
  EXPECT_EQ(codes_of(*source), std::set<std::string>{std::string(row.code)}) << *source;
}

INSTANTIATE_TEST_SUITE_P(All, Explanation,
                         testing::ValuesIn(all_diagnostics().begin(), all_diagnostics().end()),
                         [](const auto& info) {
                           return std::string(info.param->code) + "_" + std::string(info.param->name);
                         });
