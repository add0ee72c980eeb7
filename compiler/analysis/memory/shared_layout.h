// Lays out the shared arrays of a block on a GPU. PTX has room for 48 KiB of static ones; those of a kernel
// that needs more lie in dynamic shared memory, before the arrays whose extents only the launch knows.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// Returns the shared arrays that a function or what it calls uses, ascending.
std::vector<ir::SharedId> used_shared(const ir::Module& module, const ir::Function& function);

// Returns the bytes of a shared array with constant extents; 0 for others.
std::uint64_t static_bytes(const ir::SharedDecl& shared);

// Returns where a shared array ends that lies behind so many bytes of others.
std::uint64_t end_behind(std::uint64_t bytes, const ir::SharedDecl& shared);

class SharedLayout {
public:
  explicit SharedLayout(const ir::Module& module);
  // Returns where in dynamic shared memory an array with constant extents begins; nothing for a static one of
  // PTX. It is the same in every kernel: a device function that was not inlined has one address for it.
  std::optional<std::uint64_t> offset(ir::SharedId id) const {
    return offsets_[static_cast<std::size_t>(id)];
  }
  // Returns where the arrays begin whose extents only the launch knows.
  std::uint64_t dynamic_begin() const { return dynamic_begin_; }
  // Returns the bytes of dynamic shared memory that come before them in a block of a kernel that uses these arrays.
  std::uint64_t bytes_before(const ir::Module& module, const std::vector<ir::SharedId>& used) const;

private:
  std::uint64_t end_of(const ir::Module& module, const std::vector<ir::SharedId>& arrays) const;
  std::vector<std::optional<std::uint64_t>> offsets_; // by SharedId
  std::uint64_t dynamic_begin_ = 0;
};

} // namespace kern
