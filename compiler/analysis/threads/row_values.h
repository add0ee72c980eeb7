// Finds how values change along a row of a block, where threads differ in threadIdx.x alone. From that it
// follows which lanes of a vector may wait for each other, and whether rows of several blocks are like one.
#pragma once

#include <vector>

#include "compiler/ir/definitions.h"
#include "compiler/ir/ir.h"

namespace kern {

// How a value changes along a row.
enum class AlongRow : std::uint8_t {
  Fixed, // not at all
  Apart, // each thread of a warp has another one
  Other,
};

// The part of `blockIdx.x * blockDim.x + threadIdx.x` that a value is; or a place in a warp, which is no part
// of it.
enum class GridPart : std::uint8_t { Other, Thread, Block, Size, FirstOfBlock, InGrid, InWarp };

struct RowValue {
  AlongRow along = AlongRow::Other;
  GridPart part = GridPart::Other;
};

class RowValues {
public:
  explicit RowValues(const ir::Function& kernel);

  // Takes in an assignment. They come in the order of the program: nothing is known of a slot that is not
  // assigned yet, as at the start of a loop.
  void see(const ir::Assign& assign);

  // Return what is known of a value by now: nothing of a slot that several statements assign.
  RowValue of(const ir::Operand& operand) const;
  RowValue of(const ir::Expr& value) const;

  // Returns what it reads this from.
  const ir::Definitions& definitions() const { return definitions_; }

private:
  RowValue of(const ir::Binary& binary) const;
  bool is_block_size(const ir::Operand& constant) const;

  const ir::Function& kernel_;
  ir::Definitions definitions_;
  std::vector<RowValue> values_; // by slot
};

} // namespace kern
