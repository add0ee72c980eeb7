// FileCheck for the bundle: LLVM's library behind the options that the tests use. FileCheck [OPTION]...
// CHECKS compares the standard input with the lines of CHECKS.
#include <llvm/ADT/StringExtras.h>
#include <llvm/FileCheck/FileCheck.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

static bool take_prefixes(llvm::StringRef word, llvm::FileCheckRequest& request,
                          llvm::SmallVectorImpl<llvm::StringRef>& prefixes) {
  if (!word.consume_front("check-prefix=") && !word.consume_front("check-prefixes=")) return false;
  word.split(prefixes, ',');
  request.CheckPrefixes.assign(prefixes.begin(), prefixes.end());
  return true;
}

static bool take_option(llvm::StringRef word, llvm::FileCheckRequest& request) {
  bool known = true;
  if (word == "allow-empty")
    request.AllowEmptyInput = true;
  else if (word == "match-full-lines")
    request.MatchFullLines = true;
  else if (word == "strict-whitespace")
    request.NoCanonicalizeWhiteSpace = true;
  else if (word.consume_front("implicit-check-not="))
    request.ImplicitCheckNot.push_back(word);
  else if (word.consume_front("D"))
    request.GlobalDefines.push_back(word);
  else
    known = false;
  return known;
}

// Reads a file (`-` is the standard input) in the form that FileCheck compares, and hands it to `sources`.
static llvm::StringRef open(const std::string& path, llvm::FileCheck& check, llvm::SourceMgr& sources,
                            llvm::SmallString<4096>& text) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!file) {
    llvm::errs() << "FileCheck: cannot read " << path << ": " << file.getError().message() << "\n";
    std::exit(2);
  }
  llvm::StringRef canonical = check.CanonicalizeFile(**file, text);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(canonical, (*file)->getBufferIdentifier()),
                             llvm::SMLoc());
  return canonical;
}

int main(int argc, char** argv) {
  llvm::FileCheckRequest request;
  llvm::SmallVector<llvm::StringRef> prefixes;
  std::string checks;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    if (!word.consume_front("--") && !word.consume_front("-")) {
      checks = word.str();
    } else if (!take_prefixes(word, request, prefixes) && !take_option(word, request)) {
      llvm::errs() << "FileCheck: this one has no option " << argv[i] << "\n";
      return 2;
    }
  }
  llvm::FileCheck check(request);
  if (!check.ValidateCheckPrefixes()) return 2;
  llvm::SourceMgr sources;
  llvm::SmallString<4096> check_text, input_text;
  llvm::StringRef wanted = open(checks, check, sources, check_text);
  if (check.readCheckFile(sources, wanted)) return 2;
  llvm::StringRef input = open("-", check, sources, input_text);
  if (input.empty() && !request.AllowEmptyInput) {
    llvm::errs() << "FileCheck: the input is empty\n";
    return 2;
  }
  return check.checkInput(sources, input) ? 0 : 1;
}
