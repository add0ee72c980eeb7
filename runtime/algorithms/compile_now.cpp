// Compiles kernels of the library when a call wants them.
#include "kern/jit.h"
#include "runtime/algorithms/compiled.h"

namespace kern::algorithms {

const bool compiles_now = true;

static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const std::string& each : texts) list.push_back(each.c_str());
  return list;
}

ModuleOwner compile(kern_device* device, const CompileRequest& request) {
  const std::string source = "std:" + request.module;
  const std::vector<const char*> defines = pointers(request.defines),
                                 signatures = pointers(request.signatures),
                                 folders = pointers(request.folders);
  std::vector<kern_source> files;
  for (const SourceFile& each : request.files)
    files.push_back({each.path.c_str(), each.text.data(), each.text.size()});
  kern_compile_options options{};
  options.struct_size = sizeof options;
  options.name = source.c_str();
  options.defines = {defines.data(), defines.size()};
  options.signatures = {signatures.data(), signatures.size()};
  options.folders = {folders.data(), folders.size()};
  options.imports = files.data();
  options.import_count = files.size();
  kern_module* module = nullptr;
  raise(kern_compile(device, source.data(), source.size(), &options, &module));
  return ModuleOwner(module);
}

} // namespace kern::algorithms
