// Runs kernels built by hand on the CPU of this process, block after block.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/emit/emit.h"
#include "compiler/transform/transform.h"
#include "runtime/cpu/scratch.h"
#include "tests/unit/ir_builder.h"

namespace kern::test {

// A parameter block under construction.
struct Arguments {
  std::vector<std::uint64_t> slots;

  template <class T> Arguments& scalar(T value) {
    slots.push_back(0);
    std::memcpy(&slots.back(), &value, sizeof value);
    return *this;
  }
  template <class T>
  Arguments& array(T* data, std::vector<std::uint64_t> extents, std::vector<std::uint64_t> strides) {
    slots.push_back(reinterpret_cast<std::uint64_t>(data));
    slots.insert(slots.end(), extents.begin(), extents.end());
    slots.insert(slots.end(), strides.begin(), strides.end());
    return *this;
  }
  // A dense array in C order.
  template <class T> Arguments& array(std::vector<T>& data, std::vector<std::uint64_t> extents) {
    std::vector<std::uint64_t> strides(extents.size(), 1);
    for (std::size_t axis = extents.size() - 1; axis-- > 0;)
      strides[axis] = strides[axis + 1] * extents[axis + 1];
    return array(data.data(), std::move(extents), std::move(strides));
  }
  template <class T> Arguments& array(std::vector<T>& data) { return array(data, {data.size()}); }
};

struct Size {
  std::uint32_t x = 1, y = 1, z = 1;
};

inline std::unique_ptr<CpuModule> compile(const ir::Module& module, TargetOptions options = {}) {
  SourceManager sources;
  Diagnostics diagnostics;
  options.target = Target::Cpu;
  std::unique_ptr<CpuModule> compiled = compile_for_cpu(module, sources, options, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) ADD_FAILURE() << diagnostic.message;
  return compiled;
}

// Runs a kernel over a grid and returns the launch record; the scratch area starts as garbage.
inline kern_launch_record run(const CpuModule& module, const std::string& kernel, Arguments arguments,
                              Size grid, Size block, std::uint64_t shared_bytes = 0) {
  kern_launch_record record{};
  record.launch = 7;
  record.shared_bytes = shared_bytes;
  arguments.slots.push_back(reinterpret_cast<std::uint64_t>(&record));
  const std::uint32_t dims[3] = {block.x, block.y, block.z};
  const kern_object_entry* entry = module.entry(kernel);
  EXPECT_NE(entry, nullptr);
  if (!entry) return record;
  std::uint64_t bytes = cpu::scratch_bytes(*entry, dims) + shared_bytes;
  std::unique_ptr<unsigned char, void (*)(void*)> scratch(
      static_cast<unsigned char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)), std::free);
  for (std::uint32_t z = 0; z < grid.z; ++z)
    for (std::uint32_t y = 0; y < grid.y; ++y)
      for (std::uint32_t x = 0; x < grid.x; ++x) {
        std::memset(scratch.get(), 0xA5, bytes);
        kern_where where{{x, y, z}, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, 0, 0, block.y};
        entry->entry(arguments.slots.data(), &where, scratch.get());
      }
  return record;
}

// The statements of i = blockIdx.x * blockDim.x + threadIdx.x, as i64.
inline ir::Body global_index(FunctionBuilder& f, const ir::Operand& index) {
  ir::Operand block = f.temp(types::i32), dim = f.temp(types::i32), thread = f.temp(types::i32);
  ir::Operand block64 = f.temp(types::i64), dim64 = f.temp(types::i64), thread64 = f.temp(types::i64),
              base = f.temp(types::i64);
  return body(pure(block, Builtin::BlockIndexX), pure(dim, Builtin::BlockDimX),
              pure(thread, Builtin::ThreadIndexX), assign(block64, ir::Convert{block}),
              assign(dim64, ir::Convert{dim}), assign(thread64, ir::Convert{thread}),
              binary(base, ir::BinaryOp::Multiply, block64, dim64),
              binary(index, ir::BinaryOp::Add, base, thread64));
}

// A new place where an index may leave its array.
inline ir::SiteId index_site(ir::Module& module) {
  module.sites.push_back({ir::FaultKind::IndexOutOfRange, {}, "a", "a", {}, {}});
  return static_cast<ir::SiteId>(module.sites.size() - 1);
}

inline ir::Stmt guard(ir::Module& module, const ir::Operand& array, int axis, const ir::Operand& index) {
  return stmt(ir::Guard{array, axis, index, index_site(module), ir::GuardState::Kept, ""});
}

// Puts bodies one after the other.
inline ir::Body join(std::vector<ir::Body> bodies) {
  ir::Body result;
  for (ir::Body& part : bodies)
    for (ir::Stmt& each : part) result.push_back(std::move(each));
  return result;
}

inline ir::Operand f32_array(FunctionBuilder& f, const char* name, int rank = 1) {
  return f.param(name, f.module.types.array(ScalarKind::F32, rank));
}

} // namespace kern::test
