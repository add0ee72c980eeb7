// Nothing a user can type may crash the compiler: every example cut off at each of its tokens, and thousands
// of seeded mutations of them, go through the front end, the checker, the analyses and the passes in this one
// process. Each refusal must be a located diagnostic; each text has one second, and the process 512 MiB.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "compiler/diagnostics/render.h"
#include "compiler/driver/compilation.h"
#include "compiler/lex/lex.h"

namespace kern {
namespace {

struct Corpus {
  std::vector<std::string> texts;
  std::vector<std::string> fragments; // tokens of all files, to splice in
};

Corpus load_corpus() {
  Corpus corpus;
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"examples", "stdlib"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(KERN_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".kern") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    corpus.texts.push_back(text.str());
  }
  return corpus;
}

std::vector<Token> tokens_of(const std::string& text) {
  SourceManager sources;
  Diagnostics diagnostics;
  return lex(sources, sources.add("corpus.kern", text), diagnostics);
}

// Compiles up to the last pass before lower/; fails the test where a promise is broken.
void compile_hostile(const std::string& text) {
  auto start = std::chrono::steady_clock::now();
  CompileOptions options;
  options.guards = GuardMode::Shadow;
  Compilation compilation(std::move(options));
  compilation.set_source("hostile.kern", text);
  bool refused = compilation.segmented() == nullptr;
  const SourceManager& sources = compilation.sources();
  ASSERT_EQ(refused, compilation.diagnostics().has_errors()) << text;
  std::string said;
  for (const Diagnostic& diagnostic : compilation.diagnostics().all())
    said += render(diagnostic, sources, {});
  ASSERT_TRUE(!refused || compilation.exit_code() == ExitCode::WrongSource) << said << text;
  for (const Diagnostic& diagnostic : compilation.diagnostics().all()) {
    ASSERT_TRUE(diagnostic.span) << diagnostic.message << "\n" << text;
    ASSERT_LE(diagnostic.span->end, sources.file(diagnostic.span->file).text.size())
        << diagnostic.message << "\n"
        << text;
    ASSERT_LE(diagnostic.span->begin, diagnostic.span->end) << diagnostic.message << "\n" << text;
  }
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  ASSERT_LT(elapsed.count(), 1.0) << text;
}

std::string mutate(const Corpus& corpus, std::mt19937& random) {
  auto pick = [&](std::size_t size) { return size ? random() % size : 0; };
  std::string text = corpus.texts[pick(corpus.texts.size())];
  for (std::size_t count = 1 + pick(3); count > 0 && !text.empty(); --count) {
    std::vector<Token> tokens = tokens_of(text);
    const Token& token = tokens[pick(tokens.size())];
    std::size_t begin = token.span.begin, length = token.span.end - token.span.begin;
    switch (pick(7)) {
    case 0: text.erase(begin, length); break;                                                 // drop a token
    case 1: text.insert(begin, corpus.fragments[pick(corpus.fragments.size())] + " "); break; // splice one in
    case 2:
      text.replace(begin, length, corpus.fragments[pick(corpus.fragments.size())]);
      break;                                                                         // replace one
    case 3: text[pick(text.size())] = static_cast<char>(random()); break;            // any byte
    case 4: text.insert(begin, text.substr(begin, length) + " "); break;             // twice
    case 5: text.insert(begin, std::string(1 + pick(300), "([-{~"[pick(5)])); break; // deep nesting
    case 6: text.replace(begin, length, "9223372036854775807"); break;               // a large number
    }
  }
  return text;
}

TEST(Mutation, EveryExampleCutOffAtEachToken) {
  for (const std::string& text : load_corpus().texts)
    for (const Token& token : tokens_of(text)) {
      compile_hostile(text.substr(0, token.span.begin));
      if (HasFatalFailure()) return;
    }
}

TEST(Mutation, SeededMutations) {
  Corpus corpus = load_corpus();
  ASSERT_GE(corpus.texts.size(), 15u);
  for (const std::string& text : corpus.texts)
    for (const Token& token : tokens_of(text))
      corpus.fragments.push_back(text.substr(token.span.begin, token.span.end - token.span.begin));
  std::mt19937 random(20261120);
  for (int i = 0; i < 2000; ++i) {
    compile_hostile(mutate(corpus, random));
    if (HasFatalFailure()) return;
  }
}

TEST(Mutation, StaysWithinItsMemory) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 512 << 10) << "KiB";
}

} // namespace
} // namespace kern
