// Where CUDA devices come from.
#include "runtime/api/device.h"

namespace kern::runtime {

std::shared_ptr<Device> open_cuda(unsigned) { fail(KERN_DEVICE_ERROR, "this runtime has no CUDA device yet: kernc run --device cuda has one"); }

} // namespace kern::runtime
