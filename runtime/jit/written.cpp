// Writes a compiled module as an object or PTX. Its code was made for one device, so the source is compiled
// again for what its options name, with the files that it imported then.
#include "runtime/jit/written.h"

#include <mutex>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/aot/object.h"
#include "compiler/driver/jit/object.h"
#include "compiler/driver/session/messages.h"
#include "compiler/driver/session/modules.h"
#include "compiler/emit/emit.h"
#include "runtime/api/error.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/jit/translate.h"

namespace kern::jit {

FindModule noting(FindModule find, std::shared_ptr<Found> found) {
  return [find = std::move(find), found = std::move(found)](const std::string& module,
                                                            const std::string& importer) {
    std::optional<FoundFile> file = find(module, importer);
    if (file && !file->is_library) found->insert_or_assign({module, importer}, *file);
    return file;
  };
}

FindModule finding(std::shared_ptr<const Found> found) {
  return [found = std::move(found)](const std::string& module, const std::string& importer) {
    auto known = found->find({module, importer});
    return known == found->end() ? find_in_stdlib(module, importer) : std::optional(known->second);
  };
}

namespace {

// The runtime knows no errors of the compiler.
std::optional<std::string> written_by(auto&& function) {
  try {
    return function();
  } catch (const LlvmNotReady& error) {
    runtime::fail(KERN_OUT_OF_MEMORY, error.what());
  }
}

class WrittenRequest final : public runtime::Written {
public:
  WrittenRequest(const Request& request, std::shared_ptr<const Found> found, std::string gpu)
      : request_(request), found_(std::move(found)), gpu_(std::move(gpu)) {}

  std::string_view object() override {
    std::lock_guard lock(mutex_);
    if (object_.empty())
      object_ = make([&](Compilation& compilation, const Options& options) {
        return make_whole_object(compilation, options, library_namespace(options, request_.name));
      });
    return object_;
  }

  std::string_view ptx() override {
    std::lock_guard lock(mutex_);
    if (ptx_.empty())
      ptx_ = make(
          [&](Compilation& compilation, const Options& options) { return make_ptx(compilation, options); });
    return ptx_;
  }

private:
  template <class Function> std::string make(Function&& function) const {
    cpu::FloatEnvironment environment;
    Diagnostics of_options;
    const Options options = kernc_options(request_, of_options);
    CompileOptions translated = compiler_options(request_, options, of_options);
    translated.find_module = finding(found_);
    Compilation compilation(std::move(translated));
    set_source(compilation, request_);
    std::optional<std::string> text = written_by([&] { return function(compilation, options); });
    if (text) return std::move(*text);
    std::string why = messages_text(compilation.diagnostics(), compilation.sources(), {});
    while (why.ends_with('\n')) why.pop_back();
    runtime::fail(KERN_DEVICE_ERROR, "the module cannot be written: " + why);
  }

  std::optional<std::string> make_ptx(Compilation& compilation, const Options& options) const {
    std::optional<Manifest> manifest = whole_manifest(compilation, options);
    TargetOptions target = target_options(options, Target::Cuda);
    if (target.arch.empty()) target.arch = gpu_;
    std::optional<std::string> ptx = manifest ? compilation.emit(target, OutputKind::Ptx) : std::nullopt;
    if (!ptx) return std::nullopt;
    return runtime::ptx_with_manifest(*ptx, to_json(*manifest));
  }

  Request request_;
  std::shared_ptr<const Found> found_;
  std::string gpu_; // the arch of the device; empty where that is none
  std::mutex mutex_;
  std::string object_, ptx_;
};

class WrittenObject final : public runtime::Written {
public:
  explicit WrittenObject(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view object() override { return bytes_; }
  std::string_view ptx() override {
    runtime::fail(KERN_ARGUMENT_ERROR, "the module was loaded from an object, which has its PTX inside: "
                                       "`object()` is what it was");
  }

private:
  std::string bytes_;
};

} // namespace

std::shared_ptr<runtime::Written> written_request(const Request& request, std::shared_ptr<const Found> found,
                                                  const kern_device* device) {
  const bool is_gpu = kern_device_get_kind(device) == KERN_DEVICE_CUDA;
  return std::make_shared<WrittenRequest>(request, std::move(found), is_gpu ? arch_of(device) : "");
}

std::shared_ptr<runtime::Written> written_object(std::string bytes) {
  return std::make_shared<WrittenObject>(std::move(bytes));
}

} // namespace kern::jit
