// What a compilation, an instance and the checker of one begin with.
#include "compiler/check/checker.h"

#include "compiler/check/host_names.h"

namespace kern::checker {

FileScope::FileScope() = default;
FileScope::~FileScope() = default;

Instance::Instance() = default;
Instance::~Instance() = default;

Context::Context(const Program& loaded, const CheckOptions& wanted, Diagnostics& sink)
    : program(loaded), options(wanted), diagnostics(sink) {}
Context::~Context() = default;

Checker::Checker(Context& shared, FileScope* file, Instance* of)
    : context(shared), scope(file), instance(of), rules(file->rules), body(&function.body) {}
Checker::~Checker() = default;

Local* Checker::find_local(std::string_view name) {
  if (!instance) return nullptr;
  if (auto version = instance->versions.find(name.data()); version != instance->versions.end())
    return version->second;
  auto found = instance->locals.find(name);
  return found == instance->locals.end() ? nullptr : &found->second;
}

} // namespace kern::checker
