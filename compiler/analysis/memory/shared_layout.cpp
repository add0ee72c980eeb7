// Arrays of one kernel lie side by side; those of different kernels may lie on each other.
#include "compiler/analysis/memory/shared_layout.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/reachable.h"
#include "runtime/common/shape.h"

namespace kern {

// The static shared memory that PTX allows, less a word for each kind of vote that a kernel may keep there
// itself.
static constexpr std::uint64_t most_static = (48 << 10) - 64;

std::vector<ir::SharedId> used_shared(const ir::Module& module, const ir::Function& function) {
  std::vector<bool> used(module.shared.size());
  ir::walk_reachable(module, function.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* shared = assign ? std::get_if<ir::SharedArray>(&assign->value) : nullptr;
    if (shared) used[static_cast<std::size_t>(shared->id)] = true;
  });
  std::vector<ir::SharedId> ids;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) ids.push_back(ir::SharedId(i));
  return ids;
}

static const ir::SharedDecl& decl(const ir::Module& module, ir::SharedId id) {
  return module.shared[static_cast<std::size_t>(id)];
}

static bool is_static(const ir::SharedDecl& shared) { return !shared.extents.empty(); }

std::uint64_t static_bytes(const ir::SharedDecl& shared) {
  if (!is_static(shared)) return 0;
  auto bytes = static_cast<std::uint64_t>(bit_width(shared.element) / 8);
  for (std::int64_t extent : shared.extents) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

static std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

static std::uint64_t align_for(const ir::SharedDecl& shared, std::uint64_t offset) {
  return align(offset,
               static_cast<std::uint64_t>(std::max<std::int64_t>(shared.alignment, shared_alignment)));
}

std::uint64_t end_behind(std::uint64_t bytes, const ir::SharedDecl& shared) {
  return align_for(shared, bytes) + static_bytes(shared);
}

// Returns the arrays with constant extents of each kernel.
static std::vector<std::vector<ir::SharedId>> static_arrays(const ir::Module& module) {
  std::vector<std::vector<ir::SharedId>> kernels;
  for (const ir::Function& function : module.functions) {
    // Another variant of a kernel has the same arrays; counted again it would weigh more than others.
    if (!function.is_kernel || !function.variant_of.empty()) continue;
    kernels.push_back(used_shared(module, function));
    std::erase_if(kernels.back(), [&](ir::SharedId id) { return !is_static(decl(module, id)); });
  }
  return kernels;
}

static bool fits_static(const ir::Module& module, const std::vector<ir::SharedId>& arrays) {
  std::uint64_t bytes = 0;
  for (ir::SharedId id : arrays) bytes = end_behind(bytes, decl(module, id));
  return bytes <= most_static;
}

// Returns the static arrays of all kernels that have too many, those of most kernels first: what lies at the
// start costs the other kernels nothing.
static std::vector<ir::SharedId> arrays_to_move(const ir::Module& module,
                                                const std::vector<std::vector<ir::SharedId>>& kernels) {
  std::map<ir::SharedId, std::size_t> users;
  std::set<ir::SharedId> moved;
  for (const auto& arrays : kernels) {
    for (ir::SharedId id : arrays) ++users[id];
    if (!fits_static(module, arrays)) moved.insert(arrays.begin(), arrays.end());
  }
  std::vector<ir::SharedId> order(moved.begin(), moved.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](ir::SharedId left, ir::SharedId right) { return users[left] > users[right]; });
  return order;
}

SharedLayout::SharedLayout(const ir::Module& module) : offsets_(module.shared.size()) {
  std::vector<std::vector<ir::SharedId>> kernels = static_arrays(module);
  for (ir::SharedId id : arrays_to_move(module, kernels)) {
    std::uint64_t offset = 0; // behind all that some kernel has beside it
    for (const auto& arrays : kernels)
      if (std::find(arrays.begin(), arrays.end(), id) != arrays.end())
        offset = std::max(offset, end_of(module, arrays));
    offset = align_for(decl(module, id), offset);
    offsets_[static_cast<std::size_t>(id)] = offset;
    dynamic_begin_ = std::max(dynamic_begin_, round_up_shared(offset + static_bytes(decl(module, id))));
  }
}

// Returns where those of the arrays end that have a place.
std::uint64_t SharedLayout::end_of(const ir::Module& module, const std::vector<ir::SharedId>& arrays) const {
  std::uint64_t end = 0;
  for (ir::SharedId id : arrays)
    if (offset(id)) end = std::max(end, *offset(id) + static_bytes(decl(module, id)));
  return round_up_shared(end);
}

std::uint64_t SharedLayout::bytes_before(const ir::Module& module,
                                         const std::vector<ir::SharedId>& used) const {
  bool is_dynamic =
      std::any_of(used.begin(), used.end(), [&](ir::SharedId id) { return !is_static(decl(module, id)); });
  return is_dynamic ? dynamic_begin_ : end_of(module, used);
}

} // namespace kern
