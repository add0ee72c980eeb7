// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface of the runtime: opaque, counted handles, and structs that begin with their size, so that
// they can grow. C++ programs include <kern/kern.hpp>, which is made of this. A function that can fail
// returns null, or an error that its caller frees; nothing is thrown across it.
//
// A handle that is null is a KERN_ARGUMENT_ERROR where a function returns an error; the others do nothing, and return null, 0 or
// what stands at them. So it is with a handle of another kind. One that was released is found as long as nothing else has its
// memory, which is mostly so and never sure; the log says where such a handle is released again. Addresses of anything else
// are not known to be wrong.
#ifndef KERN_RUNTIME_H
#define KERN_RUNTIME_H

#include <stdint.h>

#include "kern/abi.h"
#include "kern/version.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef KERN_EXPORTS // where the shared library is built: these are its names
#pragma GCC visibility push(default)
#endif

typedef struct kern_error kern_error;
typedef struct kern_device kern_device;
typedef struct kern_stream kern_stream;
typedef struct kern_event kern_event;
typedef struct kern_buffer kern_buffer;
typedef struct kern_module kern_module;
typedef struct kern_kernel kern_kernel;
typedef struct kern_prepared kern_prepared;
typedef struct kern_graph kern_graph;

// ---- Errors ----

typedef enum kern_error_kind {
  KERN_NO_ERROR = 0,
  KERN_ARGUMENT_ERROR, // an argument or a launch is wrong; nothing ran
  KERN_CONTRACT_ERROR, // an assert at the head of a kernel does not hold; nothing ran
  KERN_KERNEL_FAULT,   // a thread left its kernel; everything else lives on
  KERN_OUT_OF_MEMORY,
  KERN_COMPILE_ERROR,
  KERN_DEVICE_ERROR, // a device, driver or object says no
  KERN_DEVICE_LOST,  // the device is gone for this process
  KERN_CANCELLED, // a launch was told to end by kern_stream_cancel; a fault says where, if a thread was stopped
  KERN_DEADLINE   // a launch took longer than its time_limit; likewise
} kern_error_kind;

typedef struct kern_place {
  const char* file;
  uint32_t line, column;
} kern_place;

// The facts about a fault: the fields are those of the lowest block that faulted, of its first thread.
typedef struct kern_fault_info {
  uint32_t struct_size;
  const char* kernel;
  const char* code; // "index", "assert", ...: faults.def
  kern_place place;
  const char* array; // as written in the source; the message of an assert
  int32_t axis;
  int64_t index, extent;
  uint32_t thread[3], block[3];
  uint64_t launch;         // its number on its stream, from 1
  const kern_place* calls; // that led there, innermost first
  uint64_t call_count;
  uint32_t kind;        // the row of faults.def
  uint32_t site;        // its index in the manifest
  uint32_t went_on;     // 1: the thread did not leave its kernel (`--on-fault=clamp`)
  uint64_t bad_threads; // of the launch, that had a bad index or value and went on
} kern_fault_info;

typedef struct kern_memory_info {
  uint32_t struct_size;
  uint64_t asked, available; // bytes; available 0: not known
  uint64_t held;             // bytes that the buffers of the device have
} kern_memory_info;

// An error or a warning of the compiler about a source.
typedef struct kern_diagnostic {
  uint32_t struct_size;
  uint32_t is_error;   // 0: a warning
  const char* code;    // "E0302"
  kern_place place;    // line 0: the whole
  const char* message; // one sentence
  const char* text;    // as kernc writes it: the place, the source's line, a caret, notes
} kern_diagnostic;

kern_error_kind kern_error_get_kind(const kern_error* error);
// One sentence, and notes on lines of their own; lives as long as the error.
const char* kern_error_message(const kern_error* error);
// Fill in what there is; 0 where the error is of another kind. Texts live as long as the error.
int kern_error_get_fault(const kern_error* error, kern_fault_info* info);
int kern_error_get_memory(const kern_error* error, kern_memory_info* info);
// Count and return the diagnostics of a KERN_COMPILE_ERROR, warnings too, in the compiler's order.
uint64_t kern_error_diagnostic_count(const kern_error* error);
int kern_error_get_diagnostic(const kern_error* error, uint64_t index, kern_diagnostic* diagnostic);
void kern_error_free(kern_error* error);

// ---- What the program says in place of the environment ----

// Sets what an environment variable sets, for what is read from now on; null: what the environment says. An unknown name or a
// value that the setting does not take is an error.
kern_error* kern_set(const char* name, const char* value);

typedef enum kern_log_level {
  KERN_LOG_WARNING = 1, // works, but slowly or not as meant
  KERN_LOG_ERROR        // faults that nobody collected
} kern_log_level;
// Says where the runtime's own lines go, instead of stderr; null: there. Called by any thread, one at a time; `text` ends in
// no newline, may have some, and lives as long as the call. A line that comes meanwhile is handed over behind it, by the thread
// that is there already. Setting another function waits for a call that is under way, but inside of one.
typedef void (*kern_log_function)(void* context, kern_log_level level, const char* text, uint64_t bytes);
void kern_set_log(kern_log_function log, void* context);

// ---- Devices ----

typedef enum kern_device_kind { KERN_DEVICE_BEST, KERN_DEVICE_CPU, KERN_DEVICE_CUDA } kern_device_kind;

typedef struct kern_device_options {
  uint32_t struct_size;
  uint32_t kind;    // BEST: what KERN_DEVICE names, else the first CUDA device, else the CPU
  uint32_t ordinal; // CUDA: among CUDA_VISIBLE_DEVICES
  uint32_t threads; // CPU: a pool of its own with so many; 0: the pool that the process shares
  uint64_t
      memory_limit; // bytes of buffers that it may have; 0: what there is. With one the device is its own
} kern_device_options;

kern_error* kern_device_open(const kern_device_options* options, kern_device** device);
// How many devices of a kind there are, BEST: of all kinds. There is one CPU; of CUDA 0 where there is no driver.
uint32_t kern_device_count(kern_device_kind kind);
kern_device* kern_device_retain(kern_device* device);
void kern_device_release(kern_device* device);
kern_device_kind kern_device_get_kind(const kern_device* device);
const char* kern_device_name(const kern_device* device);
// Its number among CUDA_VISIBLE_DEVICES; 0 for the CPU.
uint32_t kern_device_ordinal(const kern_device* device);
// Why BEST chose this device.
const char* kern_device_reason(const kern_device* device);

typedef struct kern_device_info {
  uint32_t struct_size;
  uint32_t threads;                      // CPU: that run kernels
  uint32_t compute_major, compute_minor; // CUDA: the compute capability
  uint32_t driver_version;               // CUDA: of the interface that the driver has, 12040 is 12.4
  uint64_t memory_bytes;                 // of the GPU, or of the machine
  uint64_t available_bytes;              // of these, for buffers now
} kern_device_info;
void kern_device_get_info(const kern_device* device, kern_device_info* info);
int kern_device_same(const kern_device* left, const kern_device* right);

// ---- Streams and events: what is ordered, and when it is done ----

kern_error* kern_stream_create(kern_device* device, kern_stream** stream);
// The calling thread's own stream of the device.
kern_error* kern_stream_of_thread(kern_device* device, kern_stream** stream);
// Likewise, of a buffer's device.
kern_error* kern_stream_of_buffer(const kern_buffer* buffer, kern_stream** stream);
kern_stream* kern_stream_retain(kern_stream* stream);
void kern_stream_release(kern_stream* stream);
kern_device* kern_stream_device(kern_stream* stream); // retained; null where there is no memory for a handle
// A stream around a CUstream of the device, which must stay until the work on it is done; null is the default
// stream. Faults of what is launched through it are collected as on any other.
kern_error* kern_stream_wrap(kern_device* device, void* native, kern_stream** stream);
// Its number in the process, from 1: what errors call it by.
uint64_t kern_stream_id(const kern_stream* stream);
// Its CUstream; null on the CPU.
void* kern_stream_native(const kern_stream* stream);
// Waits for all that was put on the stream; the first fault that nobody collected is the error.
// A wait without limit that would never end is refused, here and in kern_event_wait, and what the thread put
// on the stream with host memory up to there is taken back: the memory may go.
kern_error* kern_stream_wait(kern_stream* stream);
// The same without waiting.
kern_error* kern_stream_check(kern_stream* stream);
// The ways in which a fault of a launch is told.
typedef enum kern_fault_policy {
  KERN_FAULTS_OF_STREAM, // what kern_stream_on_fault says
  KERN_FAULTS_THROW, // the first call that waits for the launch or a later one returns it; so from the start
  KERN_FAULTS_REPORT // kept for kern_stream_take_report; no other call fails
} kern_fault_policy;
// Sets the policy of launches on the stream from now on, those of its captures too, that name none.
void kern_stream_on_fault(kern_stream* stream, kern_fault_policy policy);
// Hands over the oldest reported fault of work that is done, as an error that its caller frees; null where there is
// none. Does not wait. Bad indices of kernels compiled with `--on-fault=clamp` are always reported, once a launch.
kern_error* kern_stream_take_report(kern_stream* stream, kern_error** fault);
// Says where the lines go that kernels of this stream print, instead of the standard output; null: there.
// Called by the thread that finds the launch done, for one launch of a stream at a time, in their order. It may use the
// runtime, put work on the stream too; waits for that stream are errors. Setting another function waits for a call that is
// under way, but inside of such functions.
typedef void (*kern_print_function)(void* context, const char* text, uint64_t bytes);
void kern_stream_on_print(kern_stream* stream, kern_print_function print, void* context);
// Puts all that the stream is given from now on behind the event.
kern_error* kern_stream_after(kern_stream* stream, kern_event* event);

// Ends the launches that the stream was given so far, under way or not, of kernels that were compiled for it
// (`kernc --cancellable`); whoever waits gets KERN_CANCELLED for each that did not come to its end. Other work is done
// as ever: copies, and what is put on the stream from now on. Any thread may call it, at any time. It does not wait. Where the
// stream has launches of other kernels that are not known to be done, these run to their end, and it is an error that says so.
kern_error* kern_stream_cancel(kern_stream* stream);

// Calls a function of the program's on some thread, when the stream's work before it is done; what comes next waits for it. It
// uses no device, and does not wait. It cannot be captured. On the CPU, what it throws is the error of whoever waits.
kern_error* kern_stream_call(kern_stream* stream, void (*function)(void* context), void* context,
                             kern_event** event);

// An event of all work so far that notes when it is done, for kern_event_elapsed; other events have no time.
kern_error* kern_stream_record(kern_stream* stream, kern_event** event);

// Puts all that the stream is given from now on behind all that other streams were given to do with the
// buffer so far.
kern_error* kern_stream_after_uses(kern_stream* stream, const kern_buffer* buffer);

// Between the two, what is put on the stream is kept instead of run; nothing of the stream can be waited for. A stream
// that is put behind an event of such work joins, and the first stream is put behind an event of its last work before the
// end. The graph holds the buffers of its work. Kernels that print, arrays in host memory, other graphs, and events of
// work that runs cannot be captured; the thread that began puts no work on streams that are not captured.
kern_error* kern_capture_begin(kern_stream* stream);
kern_error* kern_capture_end(kern_stream* stream, kern_graph** graph);
// Puts all of it on a stream of the same device.
kern_error* kern_graph_launch(kern_graph* graph, kern_stream* stream, kern_event** event);
kern_graph* kern_graph_retain(kern_graph* graph);
void kern_graph_release(kern_graph* graph);

kern_event* kern_event_retain(kern_event* event);
void kern_event_release(kern_event* event);
// Waits at most so long (negative: as long as it takes); `done` says whether the event came.
kern_error* kern_event_wait(kern_event* event, double seconds, int* done);
// The milliseconds between two events of one device that kern_stream_record made, negative where `end` was first. Waits for
// both; faults stay for whoever else waits.
kern_error* kern_event_elapsed(kern_event* begin, kern_event* end, double* milliseconds);

// ---- Memory ----

kern_error* kern_buffer_create(kern_device* device, uint64_t bytes, kern_buffer** buffer);
kern_buffer* kern_buffer_retain(kern_buffer* buffer);
void kern_buffer_release(kern_buffer* buffer);
void* kern_buffer_data(const kern_buffer* buffer); // an address of the device
uint64_t kern_buffer_bytes(const kern_buffer* buffer);
kern_device* kern_buffer_device(const kern_buffer* buffer); // retained

// Memory of the host that a device copies from and to at full speed, and at once. On the CPU it is plain
// memory, aligned to 256 bytes.
typedef enum kern_host_flags {
  KERN_HOST_PORTABLE = 1,      // so for every CUDA device, not only this one
  KERN_HOST_MAPPED = 2,        // kernels can use it where it is: kern_buffer_data is the device's address
  KERN_HOST_WRITE_COMBINED = 4 // faster to copy from; slow for the host to read
} kern_host_flags;
kern_error* kern_host_buffer_create(kern_device* device, uint64_t bytes, uint32_t flags,
                                    kern_buffer** buffer);
// Says whether host memory is pinned, by whomever; on the CPU all of it counts so.
int kern_host_is_pinned(kern_device* device, const void* data);
// The host's address of it; null for memory that only the device sees.
void* kern_buffer_host_data(const kern_buffer* buffer);

// Copies host memory with several threads where it is much, which may not overlap; with fewer where there are none.
void kern_host_copy(void* to, const void* from, uint64_t bytes);

// Memory of the device that somebody else made. `release` (which may be null) is called once with `context`,
// on any thread, when neither a handle nor work under way holds it.
kern_error* kern_buffer_wrap(kern_device* device, void* data, uint64_t bytes, void (*release)(void* context),
                             void* context, kern_buffer** buffer);

// Ordered on the stream; host memory must stay until the event. `event` may be null. What fills a buffer comes before
// whatever uses it next, on any stream.
kern_error* kern_buffer_write(kern_buffer* to, uint64_t offset, const void* from, uint64_t bytes,
                              kern_stream* stream, kern_event** event);
kern_error* kern_buffer_read(const kern_buffer* from, uint64_t offset, void* to, uint64_t bytes,
                             kern_stream* stream, kern_event** event);
// Copies between buffers of one device, in host memory or on the device. The two places share nothing.
kern_error* kern_buffer_copy(kern_buffer* to, uint64_t to_offset, const kern_buffer* from,
                             uint64_t from_offset, uint64_t bytes, kern_stream* stream, kern_event** event);
// Repeats a pattern. One of 1, 2, 4, 8 or 16 bytes is filled in by the device, any other, as of a record, copied from the host.
kern_error* kern_buffer_fill(kern_buffer* to, uint64_t offset, uint64_t count, const void* pattern,
                             uint32_t pattern_bytes, kern_stream* stream, kern_event** event);

// ---- Random states ----

// Fills 2 * count words of the host with the states of `count` streams of xoroshiro128+, as Numba's
// create_xoroshiro128p_states(count, seed, subsequence_start) makes them. Kernels take them as u64[:, :].
void kern_random_states(uint64_t* words, uint64_t count, uint64_t seed, uint64_t subsequence);

// ---- Modules and kernels ----

// Types as manifests name them, in the order of docs/language.md.
typedef enum kern_type {
  KERN_BOOL,
  KERN_I8,
  KERN_I16,
  KERN_I32,
  KERN_I64,
  KERN_U8,
  KERN_U16,
  KERN_U32,
  KERN_U64,
  KERN_F16,
  KERN_BF16,
  KERN_F32,
  KERN_F64,
  KERN_C64,
  KERN_C128
} kern_type;

// A parameter as a caller sees it: rank 0 is a scalar.
typedef struct kern_parameter {
  uint32_t type, rank;
  uint32_t writable; // of an array: the kernel may write it
} kern_parameter;

// Loads an object; the code of a device is loaded once.
kern_error* kern_module_load(kern_device* device, const kern_object* object, kern_module** module);
// The same for an object that does not stay: `release` is called with `owner` once nothing can use the object
// or its code any more, also where it cannot be loaded; null: nobody wants to know.
kern_error* kern_module_load_owned(kern_device* device, const kern_object* object, void* owner,
                                   void (*release)(void* owner), kern_module** module);
// Loads PTX of kern_module_ptx on a GPU; nothing of the text is kept.
kern_error* kern_module_load_ptx(kern_device* device, const char* text, uint64_t bytes, kern_module** module);
// A module of kern_compile as an object, as kernc writes it, and as PTX with its manifest; one of kern_load as what it
// was. They are compiled when they are asked for first, with the options and imports of the module, and live as long as it.
kern_error* kern_module_object(kern_module* module, const char** object, uint64_t* bytes);
kern_error* kern_module_ptx(kern_module* module, const char** text, uint64_t* bytes);
kern_module* kern_module_retain(kern_module* module);
void kern_module_release(kern_module* module);
uint64_t kern_module_kernel_count(const kern_module* module);
const char* kern_module_kernel_symbol(const kern_module* module, uint64_t index);
// The text of its manifest (docs/manifest.schema.json), which lives as long as the module; not ended by a 0.
const char* kern_module_manifest(const kern_module* module, uint64_t* bytes);

// The facts about a kernel of a module, found by its index in the module's order; texts live as long as the
// module.
typedef struct kern_kernel_info {
  uint32_t struct_size;
  uint32_t parameters;             // how many it has
  const char *name, *symbol;       // as written, and as compiled
  const char* doc;                 // its docstring
  kern_place place;                // in its source
  uint32_t block[3];               // the only block that it takes; 0, 0, 0: any
  uint32_t max_threads;            // of a block; 0: what the device takes
  uint32_t prints, cooperative;    // 1: it does
  uint64_t shared_bytes;           // static, of a block
  uint64_t registers, local_bytes; // of a thread; on the CPU 0
  uint32_t cancellable;            // 1: its launches can be cancelled and have a time limit
} kern_kernel_info;
typedef struct kern_parameter_info {
  uint32_t struct_size;
  uint32_t type, rank; // rank 0: a scalar. A tuple has a parameter for each element
  uint32_t read, written, contiguous;
  const char* name;
  uint64_t
      record_words;   // of an array of records, whose last axis goes over the words of one: how many; else 0
  const char* record; // their name; else null
} kern_parameter_info;
kern_error* kern_module_kernel_info(const kern_module* module, uint64_t index, kern_kernel_info* info);
kern_error* kern_module_parameter_info(const kern_module* module, uint64_t index, uint64_t parameter,
                                       kern_parameter_info* info);
// The three extents, x first, of the block of a launch that names none: the kernel's own (`block=`), else 256
// threads on a CPU, and on a GPU as many as have most threads run at once. A kernel that must be told its block is
// a KERN_ARGUMENT_ERROR.
kern_error* kern_kernel_block(const kern_kernel* kernel, uint64_t* block);
// How many blocks of so many threads, with so much dynamic shared memory, run at once on the whole device.
kern_error* kern_kernel_occupancy(const kern_kernel* kernel, uint64_t threads, uint64_t shared_bytes,
                                  uint64_t* blocks);

// Finds the kernel of that name (or symbol) with these parameters; says why there is none.
kern_error* kern_module_kernel(kern_module* module, const char* name, const kern_parameter* parameters,
                               uint64_t count, kern_kernel** kernel);
kern_kernel* kern_kernel_retain(kern_kernel* kernel);
void kern_kernel_release(kern_kernel* kernel);

typedef enum kern_argument_kind {
  KERN_SCALAR,
  KERN_ARRAY,      // on the device
  KERN_HOST_IN,    // in host memory: copied to the device before the launch,
  KERN_HOST_OUT,   // from it after the launch,
  KERN_HOST_INOUT, // or both
  KERN_EMPTY       // of a handle that is empty, which is always an error
} kern_argument_kind;

typedef struct kern_argument {
  uint32_t kind;
  uint32_t type, rank;
  uint32_t writable;
  uint64_t scalar[2];             // its bytes
  void* data;                     // the first element
  kern_buffer* buffer;            // that holds it; null for memory that somebody else keeps
  int64_t extents[8], strides[8]; // strides in elements
} kern_argument;

// A launch's report about itself, besides its faults; must stay until the launch is done.
typedef struct kern_launch_report {
  uint32_t struct_size;
  double milliseconds;  // that the kernel took, once the launch was waited for
  uint64_t blocks_done; // counted up while it runs, to be read atomically; a GPU does not tell
  // 0; the host may set it atomically to end a launch on the CPU. Blocks that have not begun then never do,
  // and the launch fails with KERN_DEVICE_ERROR; a loop of code that was compiled to look
  // (`--cancellable`) ends with the fault `stopped`.
  uint64_t stop;
} kern_launch_report;

typedef struct kern_launch_options {
  uint32_t struct_size;
  uint32_t over;              // 1: `size` counts threads, 0: blocks
  uint64_t size[3];           // x first
  uint64_t block[3];          // 0, 0, 0: the kernel's own
  uint64_t shared_bytes;      // at least so much dynamic shared memory
  kern_stream* stream;        // null: the calling thread's own
  kern_launch_report* report; // may be null
  uint32_t cooperative;       // 1: all blocks must run at once; it is an error where they cannot
  uint32_t on_fault;          // a kern_fault_policy
  uint32_t needs_stream;      // 1: it is an error where `stream` is null
  kern_place place;           // of the launch in the program, for messages; file null: not known
  double time_limit; // seconds from the call by which the launch is over, or is told to end; 0: none. The
                     // kernel must have been compiled for it (`kernc --cancellable`)
} kern_launch_options;

// Checks everything, then puts the launch on the stream. With arguments in host memory it waits for them.
kern_error* kern_launch(kern_kernel* kernel, const kern_launch_options* options,
                        const kern_argument* arguments, uint64_t count, kern_event** event);

// A launch that is checked once and launched often. It takes no arguments in host memory, and holds the
// buffers of its arrays. One thread at a time uses it; without a stream in its options it goes to that
// thread's own.
kern_error* kern_prepare(kern_kernel* kernel, const kern_launch_options* options,
                         const kern_argument* arguments, uint64_t count, kern_prepared** prepared);
// Replaces an argument; everything is checked again. After an error the old one stands.
kern_error* kern_prepared_set(kern_prepared* prepared, uint64_t index, const kern_argument* argument);
kern_error* kern_prepared_launch(kern_prepared* prepared, kern_event** event);
kern_prepared* kern_prepared_retain(kern_prepared* prepared);
void kern_prepared_release(kern_prepared* prepared);

#ifdef KERN_EXPORTS
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
