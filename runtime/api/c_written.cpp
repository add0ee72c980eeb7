// The C interface: what modules are written down as, and PTX that comes back.
#include "runtime/api/written.h"

#include <array>
#include <cstdio>

#include "kern/abi_hash.h"
#include "runtime/api/handles.h"

namespace kern::runtime {

static constexpr std::string_view mark = "//! ";

void set_written(kern_module* module, std::shared_ptr<Written> written) {
  module->written = std::move(written);
}

std::string ptx_with_manifest(std::string_view ptx, std::string_view manifest) {
  std::string text(ptx);
  if (!text.ends_with('\n')) text += '\n';
  while (!manifest.empty()) {
    std::size_t end = std::min(manifest.find('\n'), manifest.size());
    text.append(mark).append(manifest.substr(0, end)) += '\n';
    manifest.remove_prefix(std::min(end + 1, manifest.size()));
  }
  return text;
}

PtxParts parts_of_ptx(std::string_view text) {
  PtxParts parts;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.starts_with(mark))
      parts.manifest.append(line.substr(mark.size())) += '\n';
    else
      parts.ptx.append(line) += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts.manifest.empty() ? PtxParts{} : parts;
}

namespace {

// A module of PTX that came as text.
struct PtxObject {
  PtxParts parts;
  kern_object object{};

  explicit PtxObject(std::string_view text) : parts(parts_of_ptx(text)) {
    object.struct_size = sizeof object;
    object.abi_version = KERN_ABI_VERSION;
    object.abi_hash = abi_hash; // that of the manifest was looked at
    object.manifest = parts.manifest.c_str();
    object.manifest_bytes = parts.manifest.size();
    object.ptx = parts.ptx.c_str();
    object.ptx_bytes = parts.ptx.size();
    object.other_ptx = "";
  }
};

// The text may be older than the runtime.
void check_parts(const PtxParts& parts) {
  if (parts.manifest.empty())
    fail(KERN_ARGUMENT_ERROR,
         "these are neither an object of kernc nor PTX of `module.ptx()`, which carries a manifest");
  std::string error;
  std::optional<Manifest> manifest = parse_manifest(parts.manifest, error);
  if (!manifest) fail(KERN_DEVICE_ERROR, "the PTX cannot be loaded: " + error);
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx", static_cast<unsigned long long>(abi_hash));
  if (manifest->abi != hash.data())
    fail(KERN_DEVICE_ERROR, "the PTX was made for the ABI " + manifest->abi + ", and this runtime loads " +
                                hash.data() + ": compile it again");
}

class PtxWritten final : public Written {
public:
  explicit PtxWritten(std::string text) : text_(std::move(text)) {}
  std::string_view object() override {
    fail(KERN_ARGUMENT_ERROR, "the module was loaded from PTX: it is no object");
  }
  std::string_view ptx() override { return text_; }

private:
  std::string text_;
};

Written& written_of(kern_module* module) {
  const auto& written = full(module, "module").written;
  if (!written)
    fail(KERN_ARGUMENT_ERROR, "the module was linked into the program: `kernc` writes its object and PTX");
  return *written;
}

kern_error* hand_out_text(kern_module* module, std::string_view (Written::*text)(), const char** place,
                          std::uint64_t* bytes) {
  return guarded([&] {
    const char*& result = place_of(place);
    std::uint64_t& size = place_of(bytes);
    std::string_view found = (written_of(module).*text)();
    result = found.data();
    size = found.size();
  });
}

} // namespace

} // namespace kern::runtime

using namespace kern::runtime;

kern_error* kern_module_object(kern_module* module, const char** object, std::uint64_t* bytes) {
  return hand_out_text(module, &Written::object, object, bytes);
}

kern_error* kern_module_ptx(kern_module* module, const char** text, std::uint64_t* bytes) {
  return hand_out_text(module, &Written::ptx, text, bytes);
}

kern_error* kern_module_load_ptx(kern_device* device, const char* text, std::uint64_t bytes,
                                 kern_module** module) {
  kern_error* error = nullptr;
  kern_error* refused = guarded([&] {
    full(device, "device");
    kern_module*& place = place_of(module);
    if (!text && bytes > 0) refuse_null("the text");
    std::string_view given(text, bytes);
    auto made = std::make_unique<PtxObject>(given);
    if (!made->parts.manifest.empty() && device->device->kind() != KERN_DEVICE_CUDA)
      fail(KERN_ARGUMENT_ERROR,
           "PTX is code for GPUs, and the device is " + device->device->name() + ": load an object");
    check_parts(made->parts);
    auto written = std::make_shared<PtxWritten>(std::string(given));
    const kern_object& object = made->object;
    kern_module* loaded = nullptr;
    error = kern_module_load_owned(
        device, &object, made.release(), [](void* owner) { delete static_cast<PtxObject*>(owner); }, &loaded);
    if (error) return;
    set_written(loaded, std::move(written));
    place = loaded;
  });
  return refused ? refused : error;
}
