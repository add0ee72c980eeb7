// ptxas is a program: PTX goes in through a file and the cubin comes out through one, both private and
// short-lived.
#include "compiler/emit/ptxas.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <optional>
#include <vector>

namespace kern {

std::optional<std::string> find_ptxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas")) return *path;
  std::vector<std::string> folders = {"/usr/local/cuda/bin"};
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* value = std::getenv(name)) folders.insert(folders.begin(), std::string(value) + "/bin");
  for (const std::string& folder : folders)
    if (auto path = llvm::sys::findProgramByName("ptxas", {folder})) return *path;
  return std::nullopt;
}

// A file that goes when it is out of scope.
struct TemporaryFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
  std::error_code error;
  explicit TemporaryFile(const char* suffix) {
    error = llvm::sys::fs::createTemporaryFile("kern", suffix, path);
    if (!error) remover.setFile(path);
  }
};

// A stream of LLVM's ends the process where nobody has asked for its error.
static std::error_code write_file(llvm::StringRef path, const std::string& text) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error) return error;
  out << text;
  out.close();
  error = out.error();
  out.clear_error();
  return error;
}

static std::string read_file(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

Assembled assemble(const std::string& ptx, const std::string& arch, bool for_debugger, bool verbose) {
  std::optional<std::string> program = find_ptxas();
  if (!program) return {};
  TemporaryFile input("ptx"), output("cubin"), messages("txt");
  for (const TemporaryFile* file : {&input, &output, &messages})
    if (file->error) return {true, "", "no temporary file can be made: " + file->error.message()};
  if (std::error_code error = write_file(input.path, ptx))
    return {true, "", fmt::format("`{}` cannot be written: {}", input.path.str().str(), error.message())};
  std::string arch_option = "-arch=" + arch;
  std::vector<llvm::StringRef> args = {*program, arch_option, input.path, "-o", output.path};
  if (for_debugger) args.push_back("-g");
  if (verbose) args.push_back("-v");
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, messages.path.str(), messages.path.str()};
  bool done = llvm::sys::ExecuteAndWait(*program, args, std::nullopt, redirects) == 0;
  return {true, done ? read_file(output.path) : "", read_file(messages.path)};
}

} // namespace kern
