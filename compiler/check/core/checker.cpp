// What a compilation, an instance and the checker of one begin with.
#include "compiler/check/core/checker.h"
#include "compiler/check/core/locals.h"

#include "compiler/check/core/host_found.h"

namespace kern::checker {

FileScope::FileScope() = default;
FileScope::~FileScope() = default;

Instance::Instance() = default;
Instance::~Instance() = default;

Context::Context(const Program& loaded, const CheckOptions& wanted, Diagnostics& sink, const Hooks& above)
    : program(loaded), options(wanted), diagnostics(sink), hooks(above) {}
Context::~Context() = default;

Checker::Checker(Context& shared, FileScope* file, Instance* of)
    : Emitter(shared, file, of), rules(file->rules) {}
Checker::~Checker() = default;

Local* find_local(Checker& checker, std::string_view name) {
  if (!checker.instance) return nullptr;
  if (auto version = checker.instance->versions.find(name.data());
      version != checker.instance->versions.end())
    return version->second;
  auto found = checker.instance->locals.find(name);
  return found == checker.instance->locals.end() ? nullptr : &found->second;
}

std::optional<python::Found> seen_by(const python::HostModules& modules, const FileScope& scope,
                                     std::string_view name) {
  return scope.reader ? modules.find(*scope.reader, name) : modules.at_end(scope.index, name);
}

std::optional<Span> bound_outside(const Checker& checker, std::string_view name) {
  if (checker.scope->is_numba()) {
    const std::optional<python::Found> found = seen_by(checker.context.host->modules, *checker.scope, name);
    return found ? std::optional(found->where) : std::nullopt;
  }
  const auto symbol = checker.scope->symbols.find(name);
  return symbol != checker.scope->symbols.end() ? std::optional(symbol->second.back().span) : std::nullopt;
}

void want_versions(const Checker& checker) {
  if (!checker.instance || !checker.rules.splits_names || checker.final) return;
  for (const auto& [name, local] : checker.instance->locals)
    if (local.sites > 1 && !local.is_result) checker.instance->mixed.insert(local.name);
}

} // namespace kern::checker
