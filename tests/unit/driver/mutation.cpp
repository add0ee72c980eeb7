// Nothing a user can type may crash the compiler: every example cut off at each of its tokens, and thousands
// of seeded mutations of them, in both dialects, go through the front end, the checker, the analyses and the
// passes in this one process. Each refusal must be a located diagnostic; each text has one second, and the
// process 512 MiB: where it hangs or asks for more, it ends, and says of which text.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "compiler/diagnostics/render.h"
#include "compiler/driver/session/compilation.h"
#include "compiler/lex/lex.h"

namespace kern {
namespace {

struct Program {
  const char* name; // its suffix says the dialect
  std::string text;
};

struct Corpus {
  std::vector<Program> programs;
  std::vector<std::string> fragments; // tokens of all files, to splice in
};

// Returns the programs of a folder whose names end in `suffix`.
std::vector<Program> load_folder(const char* folder, const char* suffix, const char* name) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(KERN_SOURCE_DIR) / folder))
    if (entry.path().extension() == suffix) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Program> programs;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    programs.push_back({name, text.str()});
  }
  return programs;
}

std::vector<Token> tokens_of(const std::string& text) {
  SourceManager sources;
  Diagnostics diagnostics;
  return lex(sources, sources.add("corpus.kern", text), diagnostics);
}

// The examples are in Kern's own dialect; what the tests check of Numba's is the corpus of that.
Corpus load_corpus() {
  Corpus corpus;
  for (const char* folder : {"examples", "stdlib"})
    for (Program& program : load_folder(folder, ".kern", "hostile.kern"))
      corpus.programs.push_back(std::move(program));
  for (const char* folder : {"tests/check", "tests/parse", "tests/messages"})
    for (Program& program : load_folder(folder, ".py", "hostile.py"))
      corpus.programs.push_back(std::move(program));
  for (const Program& program : corpus.programs)
    for (const Token& token : tokens_of(program.text))
      corpus.fragments.push_back(program.text.substr(token.span.begin, token.span.end - token.span.begin));
  return corpus;
}

constexpr unsigned hang = 60; // seconds; the promise is 1 of the CPU's
const Program* current = nullptr;

void end_with_text(int) {
  (void)!write(STDERR_FILENO, current->text.data(), current->text.size());
  std::_Exit(1);
}

// Compiles up to the last pass before lower/; fails the test where a promise is broken.
void compile_hostile(const Program& program) {
  const std::string& text = program.text;
  current = &program;
  alarm(hang);
  std::clock_t start = std::clock();
  CompileOptions options;
  options.guards = GuardMode::Shadow;
  Compilation compilation(std::move(options));
  compilation.set_source(program.name, text);
  bool refused = compilation.module_for(Target::Cpu) == nullptr;
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
  ASSERT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0) << text;
  alarm(0);
}

Program mutate(const Corpus& corpus, std::mt19937& random) {
  auto pick = [&](std::size_t size) { return size ? random() % size : 0; };
  Program program = corpus.programs[pick(corpus.programs.size())];
  std::string& text = program.text;
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
  return program;
}

// Limits the memory of the process; a request for more fails, and ends it.
class Mutation : public testing::Test {
protected:
  void SetUp() override {
    getrlimit(RLIMIT_DATA, &before_);
    rlimit limit = {512 << 20, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
    // A stack that has overflowed has no room for a handler.
    const stack_t stack{stack_.data(), 0, stack_.size()};
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_handler = end_with_text;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &previous_[i]);
    std::set_new_handler([] { end_with_text(0); });
  }
  void TearDown() override {
    alarm(0);
    std::set_new_handler(nullptr);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous_[i], nullptr);
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
    setrlimit(RLIMIT_DATA, &before_);
  }

private:
  rlimit before_{};
  static constexpr std::array signals = {SIGALRM, SIGSEGV, SIGABRT};
  std::array<struct sigaction, signals.size()> previous_{};
  std::array<char, 1 << 16> stack_{};
};

TEST_F(Mutation, EveryExampleCutOffAtEachToken) {
  for (const Program& program : load_corpus().programs)
    for (const Token& token : tokens_of(program.text)) {
      compile_hostile({program.name, program.text.substr(0, token.span.begin)});
      if (HasFatalFailure()) return;
    }
}

TEST_F(Mutation, SeededMutations) {
  Corpus corpus = load_corpus();
  for (const char* name : {"hostile.kern", "hostile.py"})
    ASSERT_GE(std::count_if(corpus.programs.begin(), corpus.programs.end(),
                            [&](const Program& program) { return program.name == std::string_view(name); }),
              15);
  std::mt19937 random(20261120);
  for (int i = 0; i < 2000; ++i) {
    compile_hostile(mutate(corpus, random));
    if (HasFatalFailure()) return;
  }
}

// The limits hold: what would take more memory, or never ends, ends.
TEST_F(Mutation, MemoryAndTimeHaveTheirLimits) {
  Program endless{"hostile.kern", "this text was last"};
  current = &endless;
  EXPECT_EXIT(std::vector<char>(std::size_t(600) << 20, '\1'), testing::ExitedWithCode(1), endless.text);
  EXPECT_EXIT(
      {
        alarm(1);
        for (;;) pause();
      },
      testing::ExitedWithCode(1), endless.text);
}

} // namespace
} // namespace kern
