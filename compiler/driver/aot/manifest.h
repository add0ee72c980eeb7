// A compiled module as its host sees it (runtime/manifest/manifest.h).
#pragma once

#include <span>
#include <vector>

#include "compiler/driver/aot/variants.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"
#include "runtime/manifest/manifest.h"

namespace kern {

// Describes one piece of a kernel's code.
ManifestVariant manifest_variant(const Variant& variant);

// Describes the kernels of a module that has gone through the passes that every target begins with; `cuda`
// is what was made of it for GPUs, which has other variants of them, and `lanes` how wide vectors of the CPU are.
Manifest make_manifest(const ir::Module& module, const SourceManager& sources, const ir::Module& cuda,
                       int lanes = default_lanes);

// Describes places that can fault. The passes of targets find more of them than that module has.
std::vector<ManifestSite> manifest_sites(std::span<const ir::Site> sites, const SourceManager& sources);

} // namespace kern
