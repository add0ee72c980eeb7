// The C interface: settings, and where the runtime's lines go.
#include "runtime/api/check.h"
#include "runtime/api/handles.h"
#include "runtime/common/log.h"
#include "runtime/common/settings.h"

using namespace kern::runtime;

kern_error* kern_set(const char* name, const char* value) {
  return guarded([&] {
    if (!name) refuse_null("the name of the setting");
    std::string why = kern::set_setting(name, value);
    if (!why.empty()) fail(KERN_ARGUMENT_ERROR, why);
    choose_checks();
  });
}

void kern_set_log(kern_log_function log, void* context) { kern::set_log(log, context); }
