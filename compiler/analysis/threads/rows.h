// Says what CPU code may do with the rows of threads of a kernel's blocks.
#pragma once

#include "compiler/analysis/threads/shape.h"
#include "compiler/ir/ir.h"

namespace kern {

// Says whether threads of a block may run in any order and at once: nobody waits for another, shares memory
// of the block, is counted or says anything.
bool has_independent_rows(const ir::Module& module, const ir::Function& kernel);

// Says whether such threads of several blocks best take turns: where no loop walks over an array, which the
// threads of a block better do while what they share is in the cache.
bool shares_rows(const ir::Function& kernel);

// Says whether a kernel asks for nothing of threadIdx.x and blockIdx.x but where a thread is in the grid, as
// grid(1) says it, nor where it is in its warp: rows of blocks next to each other are then like one row.
bool sees_grid_only(const ir::Function& kernel);

// Says whether code under these facts runs rows of blocks next to each other as one row, in one segment.
bool joins_blocks(const ir::Module& module, const ir::Function& kernel, const LaneFacts& facts);

} // namespace kern
