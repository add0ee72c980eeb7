#include <stdio.h>
#include <string.h>

#include "scale.kern.h"
#ifdef WITH_JIT
#include <kern/jit.h>
#endif

static int wrong;

static void expect(kern_error* error, const char* what, int must_fail) {
  if (must_fail && kern_error_get_kind(error) != KERN_ARGUMENT_ERROR) {
    printf("%s: %s\n", what, error ? kern_error_message(error) : "no error");
    ++wrong;
  }
  kern_error_free(error);
}

static void must(kern_error* error) {
  if (error) printf("%s\n", kern_error_message(error)), ++wrong;
  kern_error_free(error);
}

static void call(void* context) { (void)context; }
static void release(void* context) { (void)context; }
static void print(void* context, const char* text, uint64_t bytes) { (void)context, (void)text, (void)bytes; }
static void write_log(void* context, kern_log_level level, const char* text, uint64_t bytes) {
  (void)context, (void)level, (void)text, (void)bytes;
}

int main(void) {
  static char memory[4096];
  void* place = 0;
  const char* text = 0;
  kern_device_options device_options;
  kern_launch_options launch_options = kern_over(4, 1, 1);
  kern_device* device = 0;
  kern_stream* stream = 0;
  kern_event* event = 0;
  kern_buffer* buffer = 0;
  kern_graph* graph = 0;
  kern_prepared* prepared = 0;
  kern_error* failed = 0;
  scale_kernels kernels;
  kern_argument arguments[2];
  const kern_parameter parameters[2] = {{KERN_F32, 1, 1}, {KERN_F32, 0, 0}};
  const kern_object* object = &kern_object_scale;
  const float by = 2;
  memset(&device_options, 0, sizeof device_options);
  device_options.struct_size = sizeof device_options;
  device_options.kind = KERN_DEVICE_CPU;
  must(kern_device_open(&device_options, &device));
  must(scale_load(device, &kernels));
  must(kern_stream_create(device, &stream));
  must(kern_buffer_create(device, 64, &buffer));
  must(kern_capture_begin(stream));
  must(kern_capture_end(stream, &graph));
  must(kern_stream_record(stream, &event));
  arguments[0] = kern_f32_buffer(buffer, kern_extents_1(16)).argument;
  arguments[1] = kern_scalar_argument(KERN_F32, &by, sizeof by);
  must(scale_prepare_scale(&kernels, &launch_options, kern_f32_buffer(buffer, kern_extents_1(16)), 2, &prepared));
  failed = kern_stream_wait(0);
  kern_module* module = kernels.module;
  kern_kernel* kernel = kernels.kernels[0];

  // The calls: null.

  kern_set_log(write_log, 0);
  // The calls: another kind.
  kern_set_log(write_log, 0);
  // In a list of arguments, and in options.
  arguments[0].buffer = (void*)stream;
  expect(kern_launch(kernel, &launch_options, arguments, 2, 0), "a stream as buffer", 1);
  expect(kern_prepared_set(prepared, 0, arguments), "set: a stream as buffer", 1);
  arguments[0].buffer = buffer;
  arguments[1].buffer = (void*)memory; // of a scalar nobody looks at it
  must(kern_launch(kernel, &launch_options, arguments, 2, 0));
  must(kern_prepared_set(prepared, 1, &arguments[1]));
  launch_options.stream = (void*)buffer;
  expect(kern_launch(kernel, &launch_options, arguments, 2, 0), "a buffer as stream", 1);
  expect(kern_prepare(kernel, &launch_options, arguments, 2, (void*)&place), "prepare: a buffer as stream", 1);
  launch_options.stream = 0;

  // Those of a generated header.
  expect(scale_load(device, 0), "load: kernels", 1);
  expect(scale_load(0, &kernels), "load: device", 1);
  expect(scale_load(0, 0), "load: both", 1);
  scale_unload(0);
  expect(scale_scale(0, &launch_options, kern_f32_buffer(buffer, kern_extents_1(16)), 2, 0), "scale: kernels", 1);
  expect(scale_scale(&kernels, &launch_options, kern_f32_buffer(buffer, kern_extents_1(16)), 2, 0), "scale: unloaded", 1);
  expect(scale_prepare_scale(0, 0, kern_f32_buffer(0, kern_extents_1(16)), 2, 0), "prepare: all", 1);
  must(scale_load(device, &kernels));
  expect(scale_scale(&kernels, 0, kern_f32_buffer(buffer, kern_extents_1(16)), 2, 0), "scale: launch", 1);
  expect(scale_scale(&kernels, &launch_options, kern_f32_buffer(0, kern_extents_1(16)), 2, 0), "scale: buffer", 1);
  expect(scale_scale(&kernels, &launch_options, kern_f32_in(0, kern_extents_1(16)), 2, 0), "scale: in", 1);
  expect(scale_scale(&kernels, &launch_options, kern_f32_inout(0, kern_extents_1(16)), 2, 0), "scale: inout", 1);
  // Objects that are not whole.
  kern_object part = *object;
  part.manifest = 0;
  expect(kern_module_load(device, &part, &module), "manifest", 1);
  part = *object;
  part.entries = 0;
  expect(kern_module_load(device, &part, &module), "entries", 1);
  part = *object;
  part.ptx = 0;
  expect(kern_module_load(device, &part, &module), "ptx", 1);
  part = *object;
  part.struct_size = 0;
  failed = kern_module_load(device, &part, &module);
  printf("%s\n", kern_error_message(failed));
  kern_error_free(failed);
  // Handles that were released, each twice: memory that is free, which sanitizers do not let anybody look at.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  module = kernels.module;
  kernel = kernels.kernels[0];
  kern_prepared_release(prepared);
  scale_unload(&kernels);
  kern_graph_release(graph);
  kern_event_release(event);
  kern_buffer_release(buffer);
  kern_stream_release(stream);
  kern_device_release(device);
  // The calls: released.
#endif
  printf("%d calls, %d wrong\n", CALLS, wrong);
  return wrong != 0;
}
