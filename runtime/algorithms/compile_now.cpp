// Compiles kernels of the library when a call wants them.
#include "kern/jit.h"
#include "runtime/algorithms/compiled.h"

namespace kern::algorithms {

const bool compiles_now = true;

namespace {

// A request as the C interface takes it; it points into the request.
class Plain {
public:
  explicit Plain(const CompileRequest& request)
      : source_("std:" + request.module), defines_(pointers(request.defines)),
        folders_(pointers(request.folders)), signature_(request.signature.c_str()) {
    for (const SourceFile& each : request.files)
      files_.push_back({each.path.c_str(), each.text.data(), each.text.size()});
    options_.struct_size = sizeof options_;
    options_.name = source_.c_str();
    options_.defines = {defines_.data(), defines_.size()};
    options_.signatures = {&signature_, 1};
    options_.folders = {folders_.data(), folders_.size()};
    options_.imports = files_.data();
    options_.import_count = files_.size();
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  const std::string& source() const { return source_; }
  const kern_compile_options& options() const { return options_; }

private:
  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> list;
    for (const std::string& each : texts) list.push_back(each.c_str());
    return list;
  }

  std::string source_;
  std::vector<const char*> defines_, folders_;
  const char* signature_;
  std::vector<kern_source> files_;
  kern_compile_options options_{};
};

} // namespace

std::shared_ptr<void> begin_compile(kern_device* device, const CompileRequest& request) {
  const Plain plain(request);
  kern_compilation* begun = nullptr;
  raise(kern_compile_async(device, plain.source().data(), plain.source().size(), &plain.options(), &begun));
  return {begun, kern_compilation_release};
}

ModuleOwner end_compile(void* begun) {
  kern_module* module = nullptr;
  raise(kern_compilation_module(static_cast<kern_compilation*>(begun), &module));
  return ModuleOwner(module);
}

} // namespace kern::algorithms
