// Chooses the device of a program that names none. Streams know nothing of the devices that there are.
#include <memory>
#include <string>

#include "runtime/api/device.h"
#include "runtime/api/error.h"
#include "runtime/common/settings.h"

namespace kern::runtime {

std::shared_ptr<Device> open_best(std::string& reason) {
  auto chosen = settings::device();
  if (!chosen.wrong.empty()) fail(KERN_ARGUMENT_ERROR, chosen.wrong);
  if (chosen.value) {
    reason = "KERN_DEVICE is " + chosen.value->name;
    return chosen.value->is_cuda ? open_cuda(chosen.value->ordinal) : open_cpu(0);
  }
  try {
    std::shared_ptr<Device> device = open_cuda(0);
    reason = "the first CUDA device";
    return device;
  } catch (const Error& error) {
    reason = error.message;
  }
  return open_cpu(0);
}

} // namespace kern::runtime
