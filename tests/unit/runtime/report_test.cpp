// Faults that are reported to whoever asks, instead of thrown.
#include <cstddef>

#include "fixture.h"

namespace {

using kern::Buffer;
using kern::FaultReport;
using kern::OnFault;
using Reports = OnDevice;

TEST_F(Reports, AreNotThrown) {
  kern::Stream stream(device);
  Buffer<float> y = kern::zeros<float>(device, 1000);
  kern::Stream::of_thread(device).wait(); // the zeros are there
  library.careless(kern::over(1024).on(stream).on_fault(OnFault::Report), y, 2);
  library.careless(kern::over(1000).block(250).on(stream), y, 3);
  stream.wait();
  std::vector<FaultReport> reports = stream.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kernel, "careless");
  EXPECT_EQ(reports[0].code, "index");
  EXPECT_EQ(reports[0].place.line, 6u);
  EXPECT_EQ(reports[0].array, "y");
  EXPECT_GE(reports[0].index, 1000);
  EXPECT_EQ(reports[0].extent, 1000);
  EXPECT_EQ(reports[0].block[0], 3u);
  EXPECT_FALSE(reports[0].went_on);
  EXPECT_NE(reports[0].message.find("fault[index]"), std::string::npos);
  EXPECT_TRUE(stream.take_reports().empty());
  EXPECT_EQ(y.read(999), 3);
}

TEST_F(Reports, FollowTheStreamUnlessTheLaunchSaysOtherwise) {
  kern::Stream stream(device);
  Buffer<float> y = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  stream.on_fault(OnFault::Report);
  library.careless(kern::grid(1).block(4).on(stream), y, 1);
  auto prepared = library.prepare_careless(kern::grid(1).block(5).on(stream), y, 1);
  prepared();
  library.careless(kern::grid(1).block(6).on(stream).on_fault(OnFault::Throw), y, 1);
  EXPECT_THROW(stream.wait(), kern::KernelFault);
  stream.wait();
  EXPECT_EQ(stream.take_reports().size(), 2u);
  stream.on_fault(OnFault::Throw);
  prepared();
  EXPECT_THROW(stream.wait(), kern::KernelFault);
}

TEST_F(Reports, OfGraphs) {
  kern::Stream stream(device);
  Buffer<float> y = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  kern::Graph graph = kern::capture(
      stream, [&] { library.careless(kern::grid(1).block(4).on(stream).on_fault(OnFault::Report), y, 1); });
  graph.launch(stream);
  stream.wait();
  graph.launch(stream);
  stream.wait();
  EXPECT_EQ(stream.take_reports().size(), 2u);
}

TEST_F(Reports, KeepTheLast) {
  kern::Stream stream(device);
  Buffer<float> y = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  for (int i = 0; i < 70; ++i)
    library.careless(kern::grid(1).block(4).on(stream).on_fault(OnFault::Report), y, 1);
  stream.wait();
  std::vector<FaultReport> reports = stream.take_reports();
  ASSERT_EQ(reports.size(), 64u);
  EXPECT_EQ(reports[0].launch, 7u);
  EXPECT_NE(reports[0].message.find("6 earlier faults were not collected"), std::string::npos);
}

// An element that no thread has written stays what it was.
TEST_F(Reports, OfArraysInHostMemory) {
  std::vector<float> y(1000, 7);
  library.careless(kern::over(1024).on_fault(OnFault::Report), kern::inout(y), 2);
  EXPECT_EQ(y[999], 2);
  EXPECT_EQ(kern::Stream::of_thread(device).take_reports().size(), 1u);
}

TEST_F(Reports, ByTheInterfaceOfC) {
  kern::Stream stream(device);
  Buffer<float> y = kern::zeros<float>(device, 3);
  kern::Stream::of_thread(device).wait();
  kern_stream_on_fault(stream.get(), KERN_FAULTS_REPORT);
  library.careless(kern::grid(1).block(4).on(stream), y, 1);
  ASSERT_EQ(kern_stream_wait(stream.get()), nullptr);
  kern_error* fault = nullptr;
  ASSERT_EQ(kern_stream_take_report(stream.get(), &fault), nullptr);
  ASSERT_NE(fault, nullptr);
  // A program that was compiled before there were the last fields.
  kern_fault_info info{};
  info.struct_size = offsetof(kern_fault_info, went_on);
  info.bad_threads = 77;
  EXPECT_TRUE(kern_error_get_fault(fault, &info));
  EXPECT_EQ(info.index, 3);
  EXPECT_EQ(info.bad_threads, 77u);
  kern_error_free(fault);
  ASSERT_EQ(kern_stream_take_report(stream.get(), &fault), nullptr);
  EXPECT_EQ(fault, nullptr);
}

TEST_F(Reports, RefuseOtherPolicies) {
  Buffer<float> y = kern::zeros<float>(device, 3);
  EXPECT_THROW(library.careless(kern::over(3).on_fault(static_cast<OnFault>(9)), y, 1), kern::ArgumentError);
}

} // namespace
