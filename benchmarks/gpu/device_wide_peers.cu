// What CUB, cuRAND and the driver offer for the cases of device_wide_cases.py, one function each for ctypes. Each takes
// its arrays in the order in which the case names them, and how many elements the first one has. Without temporary
// storage it only says how many bytes of that it needs.
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <curand.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Arrays {
  void* const* addresses;
  template <class T> T* at(int i) const { return static_cast<T*>(addresses[i]); }
};

struct IsEven {
  __device__ bool operator()(std::uint32_t x) const { return x % 2 == 0; }
};

curandGenerator_t philox() {
  static curandGenerator_t generator = [] {
    curandGenerator_t made = nullptr;
    curandCreateGenerator(&made, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    return made;
  }();
  return generator;
}

} // namespace

#define PEER(NAME, ...)                                                                                      \
  extern "C" int NAME(void* temp, std::size_t* bytes, void* const* addresses, int n) {                       \
    [[maybe_unused]] Arrays a{addresses};                                                                    \
    return int(__VA_ARGS__);                                                                                 \
  }
// What needs no temporary storage does nothing when it is asked how much.
#define PLAIN_PEER(NAME, ...) PEER(NAME, temp == nullptr ? (*bytes = 1, 0) : int(__VA_ARGS__))

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

PEER(reduce, cub::DeviceReduce::Sum(temp, *bytes, a.at<float>(0), a.at<float>(1), n))
PEER(argmin, cub::DeviceReduce::ArgMin(temp, *bytes, a.at<float>(0), a.at<float>(1), a.at<i64>(2), i64(n)))
PEER(scan, cub::DeviceScan::InclusiveSum(temp, *bytes, a.at<float>(0), a.at<float>(1), n))
PEER(select_even, cub::DeviceSelect::If(temp, *bytes, a.at<u32>(0), a.at<u32>(1), a.at<i64>(2), n, IsEven{}))
PEER(unique, cub::DeviceSelect::Unique(temp, *bytes, a.at<u32>(0), a.at<u32>(1), a.at<i64>(2), n))
PEER(histogram, cub::DeviceHistogram::HistogramEven(temp, *bytes, a.at<u8>(0), a.at<u32>(1), 257, 0, 256, n))
PEER(segmented, cub::DeviceSegmentedReduce::Sum(temp, *bytes, a.at<float>(0), a.at<float>(2), n / 1000,
                                                a.at<int>(1), a.at<int>(1) + 1))
PEER(by_key, cub::DeviceReduce::ReduceByKey(temp, *bytes, a.at<u32>(0), a.at<u32>(2), a.at<float>(1),
                                            a.at<float>(3), a.at<i64>(4), cuda::std::plus<>{}, n))
PEER(sort_u32, cub::DeviceRadixSort::SortKeys(temp, *bytes, a.at<u32>(0), a.at<u32>(1), n))
PEER(sort_f32, cub::DeviceRadixSort::SortKeys(temp, *bytes, a.at<float>(0), a.at<float>(1), n))
PEER(sort_u64, cub::DeviceRadixSort::SortKeys(temp, *bytes, a.at<u64>(0), a.at<u64>(1), n))
PEER(sort_pairs,
     cub::DeviceRadixSort::SortPairs(temp, *bytes, a.at<u32>(0), a.at<u32>(2), a.at<u32>(1), a.at<u32>(3), n))
PEER(merge_sort, cub::DeviceMergeSort::StableSortKeysCopy(temp, *bytes, a.at<float>(0), a.at<float>(1), n,
                                                          cuda::std::less<>{}))
PEER(sort_descending, cub::DeviceRadixSort::SortPairsDescending(temp, *bytes, a.at<float>(0), a.at<float>(2),
                                                                a.at<u32>(1), a.at<u32>(3), n))
PLAIN_PEER(copy,
           cudaMemcpyAsync(a.at<float>(1), a.at<float>(0), std::size_t(n) * 4, cudaMemcpyDeviceToDevice))
PLAIN_PEER(random_bits, curandGenerate(philox(), a.at<u32>(0), n))
PLAIN_PEER(random_uniform, curandGenerateUniform(philox(), a.at<float>(0), n))
PLAIN_PEER(random_normal, curandGenerateNormal(philox(), a.at<float>(0), n, 0, 1))

extern "C" int cub_version() { return CUB_VERSION; }
