// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling convention: what a kernel and whoever launches it agree on, on every target. Plain C, fixed
// sizes; docs/abi.md explains it. A parameter block is 8-byte slots: a scalar one (c128 two), an array of n
// axes 1 + 2n (base, n extents, n strides in elements), tuples flattened, last the address of the launch
// record.
#ifndef KERN_ABI_H
#define KERN_ABI_H

#include <stdint.h>

// Counted up where a change below breaks objects that were compiled before.
#define KERN_ABI_VERSION 7

#ifdef __cplusplus
extern "C" {
#endif
#ifdef KERN_EXPORTS // where the shared library is built: these are its names
#pragma GCC visibility push(default)
#endif

// The states of a fault record. A note is of a thread that went on (`--on-fault=clamp`); a fault takes its
// place.
typedef enum kern_fault_state {
  KERN_FAULT_NONE = 0,
  KERN_FAULT_WRITING = 1,
  KERN_FAULT_THERE = 2,
  KERN_NOTE_WRITING = 3,
  KERN_NOTE_THERE = 4
} kern_fault_state;

// The first fault of a launch, or else the first note; 64 bytes, written by the device (state goes from 0 to 1 by
// compare-and-swap, then to 2 when the fields stand; of a note to 3 and 4). The host treats it as untrusted.
typedef struct kern_fault_record {
  uint32_t state; // a kern_fault_state
  uint32_t site;  // the index of the site in the manifest
  int32_t axis;   // of an index fault
  uint32_t kind;  // a row of faults.def
  int64_t index;
  int64_t extent;
  uint32_t thread[3];
  uint32_t block[3];
  uint64_t launch;
} kern_fault_record;

// The record of one launch; the last slot of a parameter block points to it.
typedef struct kern_launch_record {
  kern_fault_record fault;
  uint64_t zero; // always 0: what a deferred load reads when its index is out of range
  uint64_t
      launch; // the number of this launch; on a GPU, whose host knows it, the address of the stop word, or 0
  uint64_t print_ring;   // address of a kern_print_ring, or 0
  uint64_t shared_bytes; // dynamic shared memory of a block
  // 0 at the start; the device's own, and that of barriers of the grid. On a CPU the first may be the address of
  // a stop word: 64 bits that are 0 until the host sets them to end the launch.
  uint64_t reserved[3];
  uint64_t bad_threads; // that had a bad index and went on
} kern_launch_record;

// The ring that prints go to. A record is 8-byte words: site and count of arguments (two 32-bit halves), then
// the arguments.
typedef struct kern_print_ring {
  uint64_t capacity; // in words
  uint64_t used;     // in words; grows past capacity when records were lost
  uint64_t words[1];
} kern_print_ring;

// The place where a CPU entry runs: a block of the grid and those that follow it, x fastest. A kernel whose
// rows are independent runs of each block the threads whose y is in [first_row, end_row); others look at
// neither, and run all.
typedef struct kern_where {
  uint32_t block[3];
  uint32_t grid[3];      // blocks
  uint32_t block_dim[3]; // threads
  uint32_t blocks;       // how many blocks; 0 is 1
  uint32_t first_row;    // 0 where blocks run whole
  uint32_t end_row;      // likewise block_dim[1]
} kern_where;

// A CPU kernel: runs the blocks that `where` names. `scratch` is 64-byte aligned and as large as the
// kernel's manifest says; its contents need not survive between blocks.
typedef void (*kern_cpu_entry)(const void* params, const kern_where* where, void* scratch);

// CPU code of an object: one variant of a kernel for one level of CPU.
typedef struct kern_object_entry {
  const char* symbol; // of a variant in the manifest
  const char* cpu;    // "x86-64-v3", "x86-64-v4"
  kern_cpu_entry entry;
  uint64_t scratch_bytes;            // once a block
  uint64_t scratch_bytes_per_vector; // for each vector of lanes of the block
  uint32_t lanes;                    // of a vector
  uint32_t linear_thread_id;         // 1: vectors follow the linear thread id, 0: rows of threads
  uint32_t independent_rows;         // 1: a call may run some of a block's rows of threads
  uint32_t follows_rows;             // 1: rows of threads go along rows of memory, best to their ends
  uint64_t threads_in_call;          // of neighbouring blocks, that a call best runs; 0: it does not matter
} kern_object_entry;

// Machine code of all kernels for one kind of GPU.
typedef struct kern_object_cubin {
  const char* arch; // "sm_90": runs where the compute capability is 9.x, x at least 0; "sm_90a" on 9.0 alone
  const void* code; // aligned to 16 bytes
  uint64_t bytes;
} kern_object_cubin;

// A module compiled ahead of time, which an object file exports as `kern_object_<namespace>`. The texts need
// no end mark. It grows at its end: what lies beyond struct_size is not there.
typedef struct kern_object {
  uint32_t struct_size;
  uint32_t abi_version; // KERN_ABI_VERSION
  uint64_t abi_hash;    // kern/abi_hash.h
  const char* manifest; // docs/manifest.schema.json
  uint64_t manifest_bytes;
  const char* ptx;
  uint64_t ptx_bytes;
  const kern_object_entry* entries;
  uint64_t entry_count;
  const kern_object_cubin* cubins; // in no order; where none fits, the PTX is compiled
  uint64_t cubin_count;
  const char* other_ptx; // the variants that `ptx` has not: a device compiles them when one is wanted
  uint64_t other_ptx_bytes;
} kern_object;

// Called by CPU code when a thread faults; keeps the fault of the lowest block, and of that block the first.
void kern_cpu_fault(kern_launch_record* record, const kern_fault_record* fault);
// Called by CPU code where a vector may hold threads that fault: returns those of `lanes` (bit l is lane l)
// whose index is not in [0, extent), and reports the fault of the lowest. Lane l's index is first + l * step.
// `guard` is site | axis << 32 | kind << 40, and 1 << 48 where lanes follow the linear thread id, x being
// that of lane 0; else (x, y, z) is lane 0's thread, and lanes run along x, on into the blocks that follow.
uint32_t kern_cpu_fault_lanes(kern_launch_record* record, const kern_where* where, uint64_t guard,
                              uint32_t lanes, int64_t first, int64_t step, int64_t extent, uint32_t x,
                              uint32_t y, uint32_t z);
// A guard as above. With 1 << 49 in `guard`, `first` is the address of an int64_t for each lane, its index;
// with 1 << 50 `extent` is that of each lane's extent.
typedef struct kern_lane_guard {
  uint64_t guard;
  int64_t first, step, extent;
} kern_lane_guard;
// The same of several guards, one after the other: a lane that fails one is not asked of the later ones.
// `what` is how many they are | `lanes` << 32.
uint32_t kern_cpu_fault_guards(kern_launch_record* record, const kern_where* where,
                               const kern_lane_guard* guards, uint64_t what, uint32_t x, uint32_t y,
                               uint32_t z);
// The same for code without mask registers: `mask` has a word for each lane, negative where it is asked, and
// gets -1 where it goes on (not asked, or not failing), else 0. `what` is how many guards | how many lanes
// << 32. Returns whether a lane that was asked goes on.
uint32_t kern_cpu_fault_masked(kern_launch_record* record, const kern_where* where,
                               const kern_lane_guard* guards, uint64_t what, int32_t* mask, uint32_t x,
                               uint32_t y, uint32_t z);
// The same where each lane has an index, and an extent, of its own.
uint32_t kern_cpu_fault_each(kern_launch_record* record, const kern_where* where, uint64_t guard,
                             uint32_t lanes, const int64_t* indices, const int64_t* extents, uint32_t x,
                             uint32_t y, uint32_t z);
// Called by CPU code where threads go on at a bad index: notes the lowest of `lanes`, all of which have one, and
// counts those that are not in `noted`. The rest as above.
void kern_cpu_note(kern_launch_record* record, const kern_where* where, uint64_t guard, uint32_t lanes,
                   uint32_t noted, const int64_t* indices, const int64_t* extents, uint32_t x, uint32_t y,
                   uint32_t z);
// Called by CPU code to print; words are laid out as in a kern_print_ring.
void kern_cpu_print(kern_launch_record* record, const uint64_t* words, uint64_t count);
// Called by CPU code of a segment in which threads wait, for the turn of each thread, or vector of threads:
// keeps it, with a copy of the `bytes` of its arguments.
void kern_cpu_turn(kern_launch_record* record, void (*turn)(void* args), const void* args, uint64_t bytes);
// Called at the end of such a segment: runs those turns. Where one waits, others go on.
void kern_cpu_end_turns(kern_launch_record* record);
// Called now and then by CPU code that waits for memory that others write: lets them go on. `state` is 0
// before its first call, then what the last one returned, whose lowest 6 bits are 0; negative when nothing
// has moved for 10 s.
int64_t kern_cpu_wait(kern_launch_record* record, int64_t state);
// Called in such a turn of one thread, (x, y, z), at a barrier of the block that threads come to each by its
// own way. Waits until all turns that have not ended wait at the same barrier. `what` is its site | what is
// asked << 32: 0 nothing, 1 the sum, 2 the least, 3 the greatest, 4 the first thread's of the `*value` that
// each brings, which is stored there. Returns 0 where threads wait at different barriers, which is reported,
// and the turn is to end; else 1.
uint32_t kern_cpu_meet(kern_launch_record* record, const kern_where* where, uint64_t what, uint64_t* value,
                       uint32_t x, uint32_t y, uint32_t z);
// Called by CPU code where its block waits for the whole grid; returns the sum of all blocks' counts when
// they have come, or -1 where one of them has faulted and all leave. Only in launches of all blocks at once.
int64_t kern_cpu_grid_wait(kern_launch_record* record, uint32_t count);
// Called by CPU code with debug information at a `breakpoint()`: stops the thread where a debugger is attached.
void kern_cpu_breakpoint(void);

#ifdef KERN_EXPORTS
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
