// Objects of kernc that come as bytes. PTX is the runtime's own affair.
#include <cstring>

#include "compiler/driver/jit/object.h"
#include "compiler/emit/emit.h"
#include "kern/jit.h"
#include "runtime/api/error.h"
#include "runtime/jit/written.h"

namespace kern::jit {

namespace {

class FileObject final : public JitObject {
public:
  explicit FileObject(std::unique_ptr<LoadedObject> loaded) : loaded_(std::move(loaded)) {}
  const kern_object& get() const override { return loaded_->get(); }

private:
  std::unique_ptr<LoadedObject> loaded_;
};

} // namespace

static kern_error* load(kern_device* device, std::string_view bytes, kern_module** module) {
  if (!device)
    runtime::fail(KERN_ARGUMENT_ERROR,
                  "the device is empty: it was never made, could not be made, or was moved from");
  if (!module) runtime::fail(KERN_ARGUMENT_ERROR, "the place for the module is a null pointer");
  if (!bytes.starts_with("\177ELF")) return kern_module_load_ptx(device, bytes.data(), bytes.size(), module);
  std::string why;
  auto written = written_object(std::string(bytes));
  std::unique_ptr<LoadedObject> loaded = load_object(bytes, why);
  if (!loaded && why.empty()) throw std::bad_alloc();
  if (!loaded) runtime::fail(KERN_DEVICE_ERROR, why);
  kern_module* made = nullptr;
  if (kern_error* error = load_jit_object(device, std::make_unique<FileObject>(std::move(loaded)), &made))
    return error;
  runtime::set_written(made, std::move(written));
  *module = made;
  return nullptr;
}

} // namespace kern::jit

kern_error* kern_load(kern_device* device, const void* data, std::uint64_t bytes, kern_module** module) {
  try {
    if (!data && bytes > 0) kern::runtime::fail(KERN_ARGUMENT_ERROR, "the bytes are a null pointer");
    return kern::jit::load(device, {static_cast<const char*>(data), bytes}, module);
  } catch (const kern::LlvmNotReady& error) {
    return kern::runtime::make_error({KERN_OUT_OF_MEMORY, error.what(), {}, 0, 0});
  } catch (...) {
    return kern::runtime::caught_error();
  }
}
