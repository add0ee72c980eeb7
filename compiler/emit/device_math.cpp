// Device math comes as LLVM bitcode: libdevice of a CUDA toolkit, or else libclc. Functions are called by
// libdevice's names; for libclc each gets a body that calls its OpenCL name. Only what is called is read and
// linked.
#include "compiler/emit/device_math.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <vector>

#include "compiler/diagnostics/emit.h"

namespace kern {

namespace {

namespace fs = std::filesystem;

// Returns the folders that a toolkit may be in: what the user says, the usual places newest first, and beside
// nvcc.
std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(name); value && *value) folders.emplace_back(value);
  folders.emplace_back("/usr/local/cuda");
  std::set<fs::path, std::greater<>> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/local", error))
    if (entry.path().filename().string().starts_with("cuda-")) versions.insert(entry.path());
  folders.insert(folders.end(), versions.begin(), versions.end());
  std::string_view path = std::getenv("PATH") ? std::getenv("PATH") : "";
  while (!path.empty()) {
    std::size_t colon = path.find(':');
    fs::path folder(path.substr(0, colon));
    if (fs::exists(folder / "nvcc", error))
      folders.push_back(fs::canonical(folder / "nvcc", error).parent_path().parent_path());
    path = colon == path.npos ? "" : path.substr(colon + 1);
  }
  return folders;
}

} // namespace

DeviceMathLibrary find_device_math() {
  std::error_code error;
  for (const fs::path& folder : toolkit_folders()) {
    fs::path file = folder / "nvvm/libdevice/libdevice.10.bc";
    if (fs::exists(file, error)) return {"libdevice", file.string()};
  }
  // A bundle has it beside the program.
  fs::path own =
      fs::read_symlink("/proc/self/exe", error).parent_path() / "../share/kern/libclc/nvptx64--nvidiacl.bc";
  if (fs::exists(own, error)) return {"libclc", fs::canonical(own, error).string()};
  for (const char* file : {"/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc"})
    if (fs::exists(file, error)) return {"libclc", file};
  return {};
}

namespace emitting {

namespace {

std::vector<llvm::Function*> called_functions(llvm::Module& module) {
  std::vector<llvm::Function*> called;
  for (llvm::Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_")) called.push_back(&function);
  return called;
}

// The OpenCL name of a libdevice function, mangled: __nv_powf is _Z3powff.
std::string opencl_name(const llvm::Function& function) {
  llvm::StringRef name = function.getName().drop_front(5);
  bool is_float = function.getReturnType()->isFloatTy();
  if (is_float) name = name.drop_back(1);
  name.consume_front("fast_");
  std::string mangled = "_Z" + std::to_string(name.size()) + name.str();
  for (llvm::Type* param : function.getFunctionType()->params())
    mangled += param->isFloatTy() ? 'f' : param->isDoubleTy() ? 'd' : 'i';
  return mangled;
}

void forward_to_opencl(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  llvm::FunctionCallee target = module.getOrInsertFunction(opencl_name(function), function.getFunctionType());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", &function));
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : function.args()) args.push_back(&arg);
  builder.CreateRet(builder.CreateCall(target, args));
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
}

// libdevice asks __nvvm_reflect whether denormals count as zero: they do not.
void add_reflection(llvm::Module& module) {
  if (module.getModuleFlag("nvvm-reflect-ftz")) return;
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", std::uint32_t{0});
}

// Reads the library lazily: only functions that are linked are ever parsed.
std::unique_ptr<llvm::Module> open_library(const DeviceMathLibrary& library, llvm::Module& module,
                                           std::string& error) {
  auto buffer = llvm::MemoryBuffer::getFile(library.path);
  if (!buffer) {
    error = buffer.getError().message();
    return nullptr;
  }
  auto parsed = llvm::getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    return nullptr;
  }
  (*parsed)->setTargetTriple(module.getTargetTriple());
  (*parsed)->setDataLayout(module.getDataLayout());
  return std::move(*parsed);
}

bool link_library(const DeviceMathLibrary& library, llvm::Module& module, Diagnostics& diagnostics) {
  std::string error;
  std::unique_ptr<llvm::Module> source = open_library(library, module, error);
  if (!source) {
    diagnostics.report(std::nullopt, diag::bad_device_math, library.path, error);
    return false;
  }
  std::set<std::string> own;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) own.insert(function.getName().str());
  auto internalize = [&](llvm::Module& linked, const llvm::StringSet<>& names) {
    for (const auto& name : names)
      if (llvm::GlobalValue* value = linked.getNamedValue(name.first()); value && !value->isDeclaration())
        value->setLinkage(llvm::GlobalValue::InternalLinkage);
  };
  if (llvm::Linker::linkModules(module, std::move(source), llvm::Linker::LinkOnlyNeeded, internalize)) {
    diagnostics.report(std::nullopt, diag::bad_device_math, library.path,
                       std::string_view("it does not link"));
    return false;
  }
  return true;
}

} // namespace

std::string link_device_math(llvm::Module& module, Diagnostics& diagnostics) {
  std::vector<llvm::Function*> called = called_functions(module);
  if (called.empty()) return "none";
  DeviceMathLibrary library = find_device_math();
  if (library.name.empty()) {
    diagnostics.report(std::nullopt, diag::no_device_math, called.front()->getName().drop_front(5).str());
    return "";
  }
  // The attributes of a declaration hold for calls; a body may have others.
  for (llvm::Function* function : called) {
    function->setAttributes({});
    if (library.name == "libclc") forward_to_opencl(*function);
  }
  add_reflection(module);
  if (!link_library(library, module, diagnostics)) return "";
  for (llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        (function.getName().starts_with("__nv_") || function.getName().starts_with("_Z"))) {
      diagnostics.report(std::nullopt, diag::no_device_function, function.getName().str(), library.path);
      return "";
    }
  return library.name;
}

} // namespace emitting

} // namespace kern
