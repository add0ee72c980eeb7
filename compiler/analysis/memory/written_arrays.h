// Which arrays a kernel may write. Arrays of a function that one may be a view of the other are one group;
// what a function writes through a parameter its callers write, and what a caller writes is written for its
// callees.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

class WrittenArrays {
public:
  explicit WrittenArrays(const ir::Module& module);

  // Says whether a kernel that comes to this function may write what the array is a view of.
  bool may_write(const ir::Function& function, const ir::Operand& array) const;
  // Says whether two arrays of a function may be views of the same one.
  bool may_be_same(const ir::Function& function, const ir::Operand& left, const ir::Operand& right) const;

private:
  using Node = std::uint32_t;
  struct Arrays {
    std::vector<Node> parent;          // by slot: a forest, whose trees are the groups
    std::vector<bool> writes, written; // by root: here or in callees; in callers, too
    std::vector<std::pair<Node, ir::SharedId>> shared;
    std::vector<const ir::Call*> calls;

    Node root(ir::SlotId slot) const;
    void join(ir::SlotId left, ir::SlotId right);
  };

  void group(const ir::Function& function, Arrays& arrays);
  static void find_own_writes(const ir::Function& function, Arrays& arrays);
  bool pass_up(Arrays& arrays);
  bool pass_down(Arrays& arrays);
  const Arrays& arrays_of(const ir::Function& function) const;

  const ir::Module& module_;
  std::vector<Arrays> functions_;
  std::vector<bool> shared_; // by shared array: whether it is written
};

} // namespace kern
