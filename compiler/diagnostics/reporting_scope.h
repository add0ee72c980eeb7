// Reporting, switched on or off for a while.
#pragma once

#include "compiler/diagnostics/diagnostics.h"

namespace kern {

// While it lives, what is reported is kept or is not; then again as before. What a trial finds is no error of the program.
class ReportingScope {
public:
  ReportingScope(Diagnostics& diagnostics, bool is_enabled)
      : diagnostics_(diagnostics), was_enabled_(diagnostics.enabled()) {
    diagnostics.set_enabled(is_enabled);
  }
  ReportingScope(const ReportingScope&) = delete;
  ReportingScope& operator=(const ReportingScope&) = delete;
  ~ReportingScope() { diagnostics_.set_enabled(was_enabled_); }

private:
  Diagnostics& diagnostics_;
  bool was_enabled_;
};

} // namespace kern
