// A compiled module as its host sees it (runtime/manifest/manifest.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/driver/aot/variants.h"
#include "compiler/driver/session/compilation.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"
#include "runtime/manifest/manifest.h"

namespace kern {

// Describes one piece of a kernel's code.
ManifestVariant manifest_variant(const Variant& variant);

// Describes kernels of a compilation, whose transformed module is there, with that code of them.
Manifest make_manifest(Compilation& compilation, std::span<const KernelCode> kernels);
// Describes all of them with all of their variants; nothing where an error was reported. `lanes` says how wide vectors
// of the CPU are.
std::optional<Manifest> make_manifest(Compilation& compilation, int lanes = default_lanes);

// Describes places that can fault. The passes of targets find more of them than that module has.
std::vector<ManifestSite> manifest_sites(std::span<const ir::Site> sites, const SourceManager& sources);

} // namespace kern
