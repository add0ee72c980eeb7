// A compiled module as its host sees it (runtime/manifest/manifest.h).
#pragma once

#include "compiler/driver/aot/variants.h"
#include "compiler/ir/ir.h"
#include "compiler/support/source.h"
#include "runtime/manifest/manifest.h"

namespace kern {

// Describes one piece of a kernel's code.
ManifestVariant manifest_variant(const Variant& variant);

// Describes the kernels of a module that has gone through the passes before lowering, which number its sites.
Manifest make_manifest(const ir::Module& module, const SourceManager& sources);

// Returns its sites alone: those at which threads disagree on a barrier are there once segments are cut.
std::vector<ManifestSite> manifest_sites(const ir::Module& module, const SourceManager& sources);

} // namespace kern
