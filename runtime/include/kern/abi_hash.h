// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One number for the calling convention of abi.h and the manifest's version: an object whose number is
// another one was made for another major version. It says nothing about which compiler made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "kern/abi.h"

namespace kern {

// FNV-1a over the numbers that both sides must agree on.
constexpr std::uint64_t hash_numbers(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t number : numbers)
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (number >> (8 * byte) & 0xff)) * 0x100000001b3;
  return hash;
}

inline constexpr std::uint64_t abi_hash = hash_numbers({
    KERN_ABI_VERSION,
    /* a slot's bytes */ 8,
    sizeof(kern_fault_record),
    offsetof(kern_fault_record, state),
    offsetof(kern_fault_record, site),
    offsetof(kern_fault_record, axis),
    offsetof(kern_fault_record, kind),
    offsetof(kern_fault_record, index),
    offsetof(kern_fault_record, extent),
    offsetof(kern_fault_record, thread),
    offsetof(kern_fault_record, block),
    offsetof(kern_fault_record, launch),
    sizeof(kern_launch_record),
    offsetof(kern_launch_record, zero),
    offsetof(kern_launch_record, launch),
    offsetof(kern_launch_record, print_ring),
    offsetof(kern_launch_record, shared_bytes),
    offsetof(kern_print_ring, capacity),
    offsetof(kern_print_ring, used),
    offsetof(kern_print_ring, words),
    sizeof(kern_where),
    offsetof(kern_where, block),
    offsetof(kern_where, grid),
    offsetof(kern_where, block_dim),
    offsetof(kern_where, first_row),
    offsetof(kern_where, end_row),
    sizeof(kern_object_entry),
    /* the manifest's version */ 1,
});

} // namespace kern
