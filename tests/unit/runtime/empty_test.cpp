// Handles that are empty (never made, failed, moved from), null pointers, and structs that say too little: errors,
// in every call.
#include <functional>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::Device;
using kern::View;

struct Empty : OnDevice {
  Buffer<float> x{device, 10};
  kern::Stream stream{device};

  // Makes an object empty.
  template <class T> static T moved(T& object) {
    T taken = std::move(object);
    return taken;
  }
};

void expect_refused(const char* what, const std::function<void()>& call, const char* text) {
  SCOPED_TRACE(what);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>(call), text));
}

TEST_F(Empty, DevicesAreErrors) {
  Device none;
  std::vector<float> host(4);
  EXPECT_FALSE(none.is_cpu() || none.is_cuda());
  EXPECT_FALSE(none == device);
  EXPECT_TRUE(none == Device());
  const char* text = "the device is empty";
  expect_refused("buffer", [&] { Buffer<float>(none, 10); }, text);
  expect_refused("zeros", [&] { kern::zeros<float>(none, 10); }, text);
  expect_refused("copy_of", [&] { kern::copy_of<float>(none, host); }, text);
  expect_refused("host buffer", [&] { kern::HostBuffer<float>(none, 10); }, text);
  expect_refused("adopt", [&] { Buffer<float>::adopt(none, host.data(), kern::extents(4)); }, text);
  expect_refused("stream", [&] { kern::Stream own(none); }, text);
  expect_refused("of_thread", [&] { kern::Stream::of_thread(none); }, text);
  expect_refused("from_native", [&] { kern::Stream::from_native(none, nullptr); }, text);
  expect_refused("load", [&] { kernels::load(none); }, text);
  expect_refused("chunks", [&] { kern::for_each_chunk(none, {}, [](auto&&...) {}, kern::in(host)); }, text);
  kern::Status status;
  Device failed = Device::cuda(status, 999);
  EXPECT_FALSE(status.ok());
  Buffer<float> buffer(status, failed, kern::extents(10));
  library.scale(status, kern::over(10), buffer, 1);
  EXPECT_NE(status.kind(), KERN_ARGUMENT_ERROR); // the first one is kept
}

TEST_F(Empty, BuffersAreErrors) {
  kern::Status status;
  std::vector<float> host(10);
  Buffer<float> failed(status, device, kern::extents(-1)), gone(device, 10), good(device, 10);
  moved(gone);
  EXPECT_EQ(gone.data(), nullptr);
  EXPECT_EQ(gone.size(), 0);
  EXPECT_EQ(failed.size(), 0);
  Buffer<float> never;
  auto prepared = library.prepare_scale(kern::over(10), good, 1);
  for (Buffer<float>* each : {&gone, &failed, &never}) {
    const char* none = "`x: f32[:]` is given an array that is empty: it was never made";
    expect_refused("launch", [&] { library.scale(kern::over(10), *each, 1); }, none);
    expect_refused("view", [&] { library.scale(kern::over(10), each->view(), 1); }, none);
    expect_refused("slice", [&] { library.scale(kern::over(10), each->view().slice(0, 0, 1), 1); }, none);
    expect_refused(
        "const view", [&] { library.copy(kern::over(10), std::as_const(*each).view(), good); },
        "is given an array that is empty");
    expect_refused(
        "read only", [&] { library.copy(kern::over(10), *each, good); }, "is given an array that is empty");
    expect_refused("prepare", [&] { library.prepare_scale(kern::over(10), *each, 1); }, none);
    expect_refused("set", [&] { prepared.set<0>(*each); }, none);
    expect_refused("part", [&] { each->view(0, kern::extents(0), kern::extents(1)); }, "the buffer is empty");
    expect_refused("reshape", [&] { each->reshape(kern::extents(0, 4)); }, "the buffer is empty");
    expect_refused("copy of a view", [&] { each->view().copy_to({}); }, "the view is empty");
  }
  View<float> view = good.view();
  moved(view);
  EXPECT_TRUE(view.is_empty());
  EXPECT_EQ(view.data(), nullptr);
  EXPECT_EQ(view.size(), 0);
  expect_refused("moved view", [&] { library.scale(kern::over(10), view, 1); }, "an array that is empty");
  library.scale(kern::over(10), View<float>(nullptr, kern::extents(0)), 1); // no elements are none
  library.scale(kern::over(10), kern::inout(std::vector<float>()), 1);
  const char* text = "the buffer is empty";
  expect_refused("copy_to", [&] { gone.copy_to(host); }, text);
  expect_refused("copy_from", [&] { gone.copy_from(host); }, text);
  expect_refused("fill", [&] { gone.fill(1); }, text);
  expect_refused("read", [&] { gone.read(0); }, text);
  expect_refused("to_async", [&] { gone.copy_to_async(host, stream); }, text);
  expect_refused("from_async", [&] { gone.copy_from_async(host, stream); }, text);
  expect_refused("other", [&] { good.copy_from_async(gone, stream); }, text);
  expect_refused("device", [&] { Buffer<float>(gone.device(), 3); }, "the device is empty");
}

// A part of no memory is none either, whatever its offset.
TEST_F(Empty, PartsOfEmptyBuffersAreErrors) {
  kern::Status status;
  Buffer<float, 2> gone(device, kern::extents(4, 5)),
      failed(status, device, kern::extents(std::int64_t(1) << 40, 1 << 20));
  EXPECT_EQ(status.kind(), KERN_OUT_OF_MEMORY);
  moved(gone);
  for (Buffer<float, 2>* empty : {&gone, &failed}) {
    expect_refused(
        "view", [&] { empty->view(2, kern::extents(2), kern::extents(1)); }, "the buffer is empty");
  }
  const kern::View<float, 2> nowhere(static_cast<float*>(nullptr), kern::extents(4, 5));
  const kern::View<float> row = nowhere.select(0, 3);
  for (const kern::View<float>& part : {row, row.slice(0, 1, 3), nowhere.slice(0, 1, 4).select(1, 0)})
    expect_refused("part", [&] { library.scale(kern::over(1), part, 1); }, "an array without memory");
}

TEST_F(Empty, HostBuffersHaveNothing) {
  kern::Status status;
  kern::HostBuffer<float> gone(device, 10), failed(status, Device(), kern::extents(10)),
      negative(status, device, kern::extents(-1)), never;
  kern::HostBuffer<float> taken = std::move(gone), good(device, 10);
  EXPECT_EQ(taken.size(), 10u);
  for (kern::HostBuffer<float>* each : {&gone, &failed, &negative, &never}) {
    EXPECT_EQ(each->size(), 0u);
    EXPECT_EQ(each->data(), nullptr);
    EXPECT_EQ(each->extent(0), 0);
    EXPECT_TRUE(each->begin() == each->end());
    EXPECT_TRUE(each->span().empty());
    expect_refused("view", [&] { each->view(); }, "the host buffer is empty");
    expect_refused("copy", [&] { x.copy_from_async(*each, stream); }, "the buffer is empty");
  }
  taken = std::move(good);
  EXPECT_EQ(good.size(), 0u);
}

TEST_F(Empty, StreamsAndWorkAreErrors) {
  kern::Stream gone(device);
  kern::Event event = library.scale(kern::over(10).on(stream), x, 1);
  moved(gone);
  EXPECT_EQ(gone.device().get(), nullptr);
  std::vector<float> host(10);
  const char* text = "the stream is empty";
  expect_refused("wait", [&] { gone.wait(); }, text);
  expect_refused("check", [&] { gone.check(); }, text);
  expect_refused("on_fault", [&] { gone.on_fault(kern::OnFault::Report); }, text);
  expect_refused("on_print", [&] { gone.on_print(nullptr, nullptr); }, text);
  expect_refused("reports", [&] { gone.take_reports(); }, text);
  expect_refused("after", [&] { gone.after(event); }, text);
  expect_refused("launch", [&] { library.scale(kern::over(10).on(gone), x, 1); }, text);
  expect_refused("prepare", [&] { library.prepare_scale(kern::over(10).on(gone), x, 1); }, text);
  expect_refused("static", [&] { kernels::scale(kern::over(10).on(gone), x, 1); }, text);
  expect_refused("copy", [&] { x.copy_to_async(host, gone); }, text);
  expect_refused("capture", [&] { kern::capture(gone, [] {}); }, text);
  expect_refused("graph", [&] { kern::Graph().launch(stream); }, "the graph is empty");
  kern::Graph graph = kern::capture(stream, [] {});
  expect_refused("graph on", [&] { graph.launch(gone); }, text);
  kern::Event none;
  none.wait(); // nothing to wait for
  stream.after(none);
}

// Each question about what a handle stands for, to handles that were never made, could not be made, or were moved from.
TEST_F(Empty, QuestionsAreErrors) {
  kern::Status status;
  Device device_gone = Device::cpu();
  kern::Stream stream_gone(device), stream_failed(status, Device());
  kern::Module module_gone = library.module(), module_failed(status, Device(), kern_object_kernels);
  moved(device_gone);
  moved(stream_gone);
  moved(module_gone);
  for (const Device& none : {Device(), device_gone, Device::cuda(status, 999), stream_gone.device()}) {
    const char* text = "the device is empty: it was never made, could not be made, or was moved from";
    expect_refused("name", [&] { none.name(); }, text);
    expect_refused("reason", [&] { none.reason(); }, text);
    expect_refused("ordinal", [&] { none.ordinal(); }, text);
    expect_refused("info", [&] { none.info(); }, text);
  }
  for (const kern::Stream& none : {kern::Stream(), stream_gone, stream_failed}) {
    expect_refused("id", [&] { none.id(); }, "the stream is empty");
    expect_refused("native", [&] { none.native(); }, "the stream is empty");
    expect_refused("record", [&] { none.record(); }, "the stream is empty");
    expect_refused("call", [&] { none.call([] {}); }, "the stream is empty");
    expect_refused("cancel", [&] { none.cancel(); }, "the stream is empty");
  }
  for (const kern::Module& none : {kern::Module(), module_gone, module_failed}) {
    const char* text = "the module is empty";
    expect_refused("kernels", [&] { none.kernels(); }, text);
    expect_refused("manifest", [&] { none.manifest(); }, text);
    expect_refused("kernel_info", [&] { none.kernel_info(0); }, text);
    expect_refused("parameters", [&] { none.parameters(0); }, text);
    expect_refused("object", [&] { none.object(); }, text);
    expect_refused("ptx", [&] { none.ptx(); }, text);
  }
  expect_refused("occupancy", [&] { kern::Kernel<void(float)>().occupancy(32); }, "the kernel is empty");
  expect_refused("elapsed", [&] { kern::Event().elapsed(kern::Event()); }, "the event is empty");
}

TEST_F(Empty, KernelsAreErrors) {
  using Signature = void(kern::View<float>, float);
  expect_refused("kernel", [&] { kern::Kernel<Signature>()(kern::over(1), x, 1.0f); }, "the kernel is empty");
  expect_refused(
      "prepare", [&] { kern::Kernel<Signature>().prepare(kern::over(1), x, 1.0f); }, "the kernel is empty");
  expect_refused("prepared", [&] { kern::Prepared<Signature>()(); }, "the prepared launch is empty");
  expect_refused("set", [&] { kern::Prepared<Signature>().set<1>(1.0f); }, "the prepared launch is empty");
  kern::Module module = library.module();
  expect_refused(
      "name", [&] { module.kernel<Signature>(nullptr); }, "the name of the kernel is a null pointer");
  moved(module);
  expect_refused("module", [&] { module.kernel<Signature>("scale"); }, "the module is empty");
}

// The C interface.
struct EmptyC : Empty {
  kern_kernel* kernel = nullptr;
  kern_launch_options options{};
  kern_argument arguments[2] = {};
  kern_stream* on = stream.get();
  kern_buffer* buffer = x.handle().get();

  void SetUp() override {
    const kern_parameter parameters[] = {{KERN_F32, 1, 1}, {KERN_F32, 0, 0}};
    ASSERT_EQ(load(parameters), nullptr);
    options.struct_size = sizeof options;
    options.over = 1;
    options.size[0] = 10, options.size[1] = options.size[2] = 1;
    arguments[0] = {KERN_ARRAY, KERN_F32, 1, 1, {}, x.data(), buffer, {10}, {1}};
    arguments[1].kind = KERN_SCALAR;
    arguments[1].type = KERN_F32;
  }
  void TearDown() override {
    stream.wait();
    kern_kernel_release(kernel);
  }
  kern_error* load(const kern_parameter* parameters) {
    kern_module* module = nullptr;
    kern_error* error = kern_module_load(device.get(), &kern_object_kernels, &module);
    if (!error) error = kern_module_kernel(module, "scale", parameters, 2, &kernel);
    kern_module_release(module);
    return error;
  }
  kern_error* launch() { return kern_launch(kernel, &options, arguments, 2, nullptr); }
};

void expect_error(kern_error* error, const char* text) {
  SCOPED_TRACE(text);
  EXPECT_EQ(kern_error_get_kind(error), KERN_ARGUMENT_ERROR);
  EXPECT_TRUE(contains(kern_error_message(error), text));
  kern_error_free(error);
}

TEST_F(EmptyC, HandlesAreErrors) {
  int done = 0;
  kern_buffer* made = nullptr;
  kern_device* opened = nullptr;
  kern_stream* streamed = nullptr;
  kern_module* module = nullptr;
  kern_prepared* prepared = nullptr;
  kern_graph* graph = nullptr;
  kern_error* fault = nullptr;
  float number = 0;
  expect_error(kern_device_open(nullptr, &opened), "kern_device_options is a null pointer");
  expect_error(kern_stream_create(nullptr, &streamed), "the device is empty");
  expect_error(kern_stream_create(device.get(), nullptr), "a place for the result is a null pointer");
  expect_error(kern_stream_of_thread(nullptr, &streamed), "the device is empty");
  expect_error(kern_stream_wrap(nullptr, nullptr, &streamed), "the device is empty");
  expect_error(kern_stream_wait(nullptr), "the stream is empty");
  expect_error(kern_stream_check(nullptr), "the stream is empty");
  expect_error(kern_stream_take_report(nullptr, &fault), "the stream is empty");
  expect_error(kern_stream_take_report(on, nullptr), "a place for the result");
  expect_error(kern_stream_after_uses(on, nullptr), "the buffer is empty");
  expect_error(kern_stream_after_uses(nullptr, buffer), "the stream is empty");
  expect_error(kern_stream_after_uses(nullptr, nullptr), "the buffer is empty");
  expect_error(kern_stream_after(on, nullptr), "the event is empty");
  expect_error(kern_event_wait(nullptr, -1, &done), "the event is empty");
  expect_error(kern_capture_begin(nullptr), "the stream is empty");
  expect_error(kern_capture_end(nullptr, &graph), "the stream is empty");
  expect_error(kern_graph_launch(nullptr, on, nullptr), "the graph is empty");
  expect_error(kern_buffer_create(nullptr, 1, &made), "the device is empty");
  expect_error(kern_buffer_create(device.get(), 1, nullptr), "a place for the result");
  expect_error(kern_host_buffer_create(nullptr, 1, 0, &made), "the device is empty");
  expect_error(kern_buffer_wrap(nullptr, &number, 4, nullptr, nullptr, &made), "the device is empty");
  expect_error(kern_buffer_write(nullptr, 0, &number, 4, on, nullptr), "the buffer is empty");
  expect_error(kern_buffer_write(buffer, 0, &number, 4, nullptr, nullptr), "the stream is empty");
  expect_error(kern_buffer_read(nullptr, 0, &number, 4, on, nullptr), "the buffer is empty");
  expect_error(kern_buffer_copy(nullptr, 0, buffer, 0, 4, on, nullptr), "the buffer is empty");
  expect_error(kern_buffer_copy(buffer, 0, nullptr, 0, 4, on, nullptr), "the buffer is empty");
  expect_error(kern_buffer_fill(nullptr, 0, 1, &number, 4, on, nullptr), "the buffer is empty");
  expect_error(kern_module_load(nullptr, &kern_object_kernels, &module), "the device is empty");
  expect_error(kern_module_load(device.get(), nullptr, &module), "kern_object is a null pointer");
  expect_error(kern_module_kernel(nullptr, "scale", nullptr, 0, &kernel), "the module is empty");
  expect_error(kern_launch(nullptr, &options, arguments, 2, nullptr), "the kernel is empty");
  expect_error(kern_launch(kernel, nullptr, arguments, 2, nullptr), "kern_launch_options is a null pointer");
  expect_error(kern_launch(kernel, &options, nullptr, 2, nullptr), "the list of arguments is a null pointer");
  expect_error(kern_prepare(nullptr, &options, arguments, 2, &prepared), "the kernel is empty");
  expect_error(kern_prepare(kernel, &options, arguments, 2, nullptr), "a place for the result");
  expect_error(kern_prepared_set(nullptr, 0, arguments), "the prepared launch is empty");
  expect_error(kern_prepared_launch(nullptr, nullptr), "the prepared launch is empty");
  EXPECT_EQ(kern_stream_device(nullptr), nullptr);
  EXPECT_EQ(kern_buffer_device(nullptr), nullptr);
  EXPECT_EQ(kern_buffer_host_data(nullptr), nullptr);
  EXPECT_EQ(kern_buffer_bytes(nullptr), 0u);
  EXPECT_EQ(kern_module_kernel_count(nullptr), 0u);
  EXPECT_EQ(kern_module_kernel_symbol(nullptr, 0), nullptr);
}

TEST_F(EmptyC, HostPointersAreErrors) {
  expect_error(kern_buffer_write(buffer, 0, nullptr, 4, on, nullptr),
               "the host memory to copy from is a null");
  expect_error(kern_buffer_read(buffer, 0, nullptr, 4, on, nullptr), "the host memory to copy to is a null");
  expect_error(kern_buffer_fill(buffer, 0, 1, nullptr, 4, on, nullptr), "the pattern is a null pointer");
  const char pattern[3] = {};
  expect_error(kern_buffer_fill(buffer, 0, 1, pattern, 0, on, nullptr), "and this one has 0");
  expect_error(kern_buffer_fill(buffer, 0, UINT64_MAX, pattern, 2, on, nullptr),
               "are more than any buffer has");
  EXPECT_EQ(kern_buffer_write(buffer, 0, nullptr, 0, on, nullptr), nullptr);
  EXPECT_EQ(kern_buffer_read(buffer, 0, nullptr, 0, on, nullptr), nullptr);
}

TEST_F(EmptyC, StructsThatSayTooLittleAreErrors) {
  EXPECT_EQ(launch(), nullptr);
  for (std::uint32_t bytes :
       {std::uint32_t(0), std::uint32_t(4), std::uint32_t(offsetof(kern_launch_options, block)) - 1}) {
    options.struct_size = bytes;
    kern_prepared* prepared = nullptr;
    const std::string text = "struct_size of kern_launch_options is " + std::to_string(bytes) +
                             ": set it to sizeof(kern_launch_options), which is ";
    expect_error(launch(), text.c_str());
    expect_error(kern_prepare(kernel, &options, arguments, 2, &prepared), text.c_str());
  }
  options.struct_size = offsetof(kern_launch_options, block);
  EXPECT_EQ(launch(), nullptr);
  kern_device_options device_options{};
  kern_device* opened = nullptr;
  expect_error(kern_device_open(&device_options, &opened), "struct_size of kern_device_options is 0");
}

TEST_F(EmptyC, ArgumentsOfNoKindAreErrors) {
  for (std::uint32_t kind : {6u, 77u, UINT32_MAX}) {
    arguments[0].kind = kind;
    expect_error(launch(), "as an argument of the kind ");
    arguments[0].kind = KERN_ARRAY;
    arguments[1].kind = kind;
    expect_error(launch(), "as an argument of the kind ");
    arguments[1].kind = KERN_SCALAR;
  }
  std::vector<float> host(10);
  for (std::uint32_t kind : {KERN_ARRAY, KERN_HOST_OUT, KERN_HOST_INOUT}) {
    arguments[0].kind = kind;
    arguments[0].writable = 0;
    if (kind != KERN_ARRAY) arguments[0].data = host.data(), arguments[0].buffer = nullptr;
    expect_error(launch(), "what is given may only be read");
  }
}

} // namespace
