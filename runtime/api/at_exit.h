// Waits a little for work that is still under way when the process ends, so that faults which nobody
// collected are told.
#pragma once

#include <memory>

namespace kern::runtime {

class Stream;

// Has the stream looked after when the process ends.
void report_at_exit(const std::shared_ptr<Stream>& stream);

} // namespace kern::runtime
