// The kernels of kernels.kern as C++ functions. Made by kernc: changes here are lost.
// What kernc makes of a source belongs to whoever the source belongs to; Kern lays no terms on it. The
// words that come from Kern itself may be kept in any form under
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex>
#include <cstdint>

#include <kern/kern.hpp>

extern "C" const kern_object kern_object_kernels;

namespace kernels {

/// The kernels of kernels.kern on one device; copies share their code.
class Kernels {
public:
  explicit Kernels(const kern::Module& module)
      : module_(module),
        kernel_0_(module.kernel<void(float, kern::View<const float, 1>, kern::View<float, 1>)>("saxpy")),
        kernel_1_(
            module.kernel<void(kern::View<const std::int32_t, 1>, kern::View<std::int64_t, 1>)>("sums")),
        kernel_2_(
            module.kernel<void(kern::View<const std::uint8_t, 2>, kern::View<std::uint8_t, 2>)>("turned")),
        kernel_3_(module.kernel<void(kern::View<const float, 1>, kern::View<const std::int32_t, 1>,
                                     kern::View<float, 1>)>("gather")),
        kernel_4_(module.kernel<void(std::int32_t)>("said")) {}

  /// saxpy(a: f32, x: f32[:], y: f32[:])
  kern::Event saxpy(const kern::Launch& launch, float a, const kern::Argument<const float, 1>& x,
                    const kern::Argument<float, 1>& y) const {
    return kernel_0_(launch, a, x, y);
  }
  kern::Event saxpy(kern::Status& status, const kern::Launch& launch, float a,
                    const kern::Argument<const float, 1>& x,
                    const kern::Argument<float, 1>& y) const noexcept {
    return kernel_0_(status, launch, a, x, y);
  }

  /// The same, checked once to be launched often.
  kern::Prepared<void(float, kern::View<const float, 1>, kern::View<float, 1>)>
  prepare_saxpy(const kern::Launch& launch, float a, const kern::Argument<const float, 1>& x,
                const kern::Argument<float, 1>& y) const {
    return kernel_0_.prepare(launch, a, x, y);
  }
  kern::Prepared<void(float, kern::View<const float, 1>, kern::View<float, 1>)>
  prepare_saxpy(kern::Status& status, const kern::Launch& launch, float a,
                const kern::Argument<const float, 1>& x, const kern::Argument<float, 1>& y) const noexcept {
    return kernel_0_.prepare(status, launch, a, x, y);
  }

  /// sums(x: i32[::1], out: i64[:])
  kern::Event sums(const kern::Launch& launch, const kern::Argument<const std::int32_t, 1>& x,
                   const kern::Argument<std::int64_t, 1>& out) const {
    return kernel_1_(launch, x, out);
  }
  kern::Event sums(kern::Status& status, const kern::Launch& launch,
                   const kern::Argument<const std::int32_t, 1>& x,
                   const kern::Argument<std::int64_t, 1>& out) const noexcept {
    return kernel_1_(status, launch, x, out);
  }

  /// The same, checked once to be launched often.
  kern::Prepared<void(kern::View<const std::int32_t, 1>, kern::View<std::int64_t, 1>)>
  prepare_sums(const kern::Launch& launch, const kern::Argument<const std::int32_t, 1>& x,
               const kern::Argument<std::int64_t, 1>& out) const {
    return kernel_1_.prepare(launch, x, out);
  }
  kern::Prepared<void(kern::View<const std::int32_t, 1>, kern::View<std::int64_t, 1>)>
  prepare_sums(kern::Status& status, const kern::Launch& launch,
               const kern::Argument<const std::int32_t, 1>& x,
               const kern::Argument<std::int64_t, 1>& out) const noexcept {
    return kernel_1_.prepare(status, launch, x, out);
  }

  /// turned(image: u8[:, :], out: u8[:, :])
  kern::Event turned(const kern::Launch& launch, const kern::Argument<const std::uint8_t, 2>& image,
                     const kern::Argument<std::uint8_t, 2>& out) const {
    return kernel_2_(launch, image, out);
  }
  kern::Event turned(kern::Status& status, const kern::Launch& launch,
                     const kern::Argument<const std::uint8_t, 2>& image,
                     const kern::Argument<std::uint8_t, 2>& out) const noexcept {
    return kernel_2_(status, launch, image, out);
  }

  /// The same, checked once to be launched often.
  kern::Prepared<void(kern::View<const std::uint8_t, 2>, kern::View<std::uint8_t, 2>)>
  prepare_turned(const kern::Launch& launch, const kern::Argument<const std::uint8_t, 2>& image,
                 const kern::Argument<std::uint8_t, 2>& out) const {
    return kernel_2_.prepare(launch, image, out);
  }
  kern::Prepared<void(kern::View<const std::uint8_t, 2>, kern::View<std::uint8_t, 2>)>
  prepare_turned(kern::Status& status, const kern::Launch& launch,
                 const kern::Argument<const std::uint8_t, 2>& image,
                 const kern::Argument<std::uint8_t, 2>& out) const noexcept {
    return kernel_2_.prepare(status, launch, image, out);
  }

  /// gather(x: f32[:], index: i32[:], out: f32[:])
  kern::Event gather(const kern::Launch& launch, const kern::Argument<const float, 1>& x,
                     const kern::Argument<const std::int32_t, 1>& index,
                     const kern::Argument<float, 1>& out) const {
    return kernel_3_(launch, x, index, out);
  }
  kern::Event gather(kern::Status& status, const kern::Launch& launch,
                     const kern::Argument<const float, 1>& x,
                     const kern::Argument<const std::int32_t, 1>& index,
                     const kern::Argument<float, 1>& out) const noexcept {
    return kernel_3_(status, launch, x, index, out);
  }

  /// The same, checked once to be launched often.
  kern::Prepared<void(kern::View<const float, 1>, kern::View<const std::int32_t, 1>, kern::View<float, 1>)>
  prepare_gather(const kern::Launch& launch, const kern::Argument<const float, 1>& x,
                 const kern::Argument<const std::int32_t, 1>& index,
                 const kern::Argument<float, 1>& out) const {
    return kernel_3_.prepare(launch, x, index, out);
  }
  kern::Prepared<void(kern::View<const float, 1>, kern::View<const std::int32_t, 1>, kern::View<float, 1>)>
  prepare_gather(kern::Status& status, const kern::Launch& launch, const kern::Argument<const float, 1>& x,
                 const kern::Argument<const std::int32_t, 1>& index,
                 const kern::Argument<float, 1>& out) const noexcept {
    return kernel_3_.prepare(status, launch, x, index, out);
  }

  /// said(n: i32)
  kern::Event said(const kern::Launch& launch, std::int32_t n) const { return kernel_4_(launch, n); }
  kern::Event said(kern::Status& status, const kern::Launch& launch, std::int32_t n) const noexcept {
    return kernel_4_(status, launch, n);
  }

  /// The same, checked once to be launched often.
  kern::Prepared<void(std::int32_t)> prepare_said(const kern::Launch& launch, std::int32_t n) const {
    return kernel_4_.prepare(launch, n);
  }
  kern::Prepared<void(std::int32_t)> prepare_said(kern::Status& status, const kern::Launch& launch,
                                                  std::int32_t n) const noexcept {
    return kernel_4_.prepare(status, launch, n);
  }

  /// What the object holds, on this device.
  const kern::Module& module() const { return module_; }

private:
  kern::Module module_;
  kern::Kernel<void(float, kern::View<const float, 1>, kern::View<float, 1>)> kernel_0_;
  kern::Kernel<void(kern::View<const std::int32_t, 1>, kern::View<std::int64_t, 1>)> kernel_1_;
  kern::Kernel<void(kern::View<const std::uint8_t, 2>, kern::View<std::uint8_t, 2>)> kernel_2_;
  kern::Kernel<void(kern::View<const float, 1>, kern::View<const std::int32_t, 1>, kern::View<float, 1>)>
      kernel_3_;
  kern::Kernel<void(std::int32_t)> kernel_4_;
};

/// Loads the kernels for a device. The code of a device is loaded once in a process.
inline Kernels load(const kern::Device& device) { return Kernels(kern::Module(device, kern_object_kernels)); }

/// saxpy(a: f32, x: f32[:], y: f32[:])
inline kern::Event saxpy(const kern::Launch& launch, float a, const kern::Argument<const float, 1>& x,
                         const kern::Argument<float, 1>& y) {
  return load(kern::device_of(launch, a, x, y)).saxpy(launch, a, x, y);
}

/// sums(x: i32[::1], out: i64[:])
inline kern::Event sums(const kern::Launch& launch, const kern::Argument<const std::int32_t, 1>& x,
                        const kern::Argument<std::int64_t, 1>& out) {
  return load(kern::device_of(launch, x, out)).sums(launch, x, out);
}

/// turned(image: u8[:, :], out: u8[:, :])
inline kern::Event turned(const kern::Launch& launch, const kern::Argument<const std::uint8_t, 2>& image,
                          const kern::Argument<std::uint8_t, 2>& out) {
  return load(kern::device_of(launch, image, out)).turned(launch, image, out);
}

/// gather(x: f32[:], index: i32[:], out: f32[:])
inline kern::Event gather(const kern::Launch& launch, const kern::Argument<const float, 1>& x,
                          const kern::Argument<const std::int32_t, 1>& index,
                          const kern::Argument<float, 1>& out) {
  return load(kern::device_of(launch, x, index, out)).gather(launch, x, index, out);
}

/// said(n: i32)
inline kern::Event said(const kern::Launch& launch, std::int32_t n) {
  return load(kern::device_of(launch, n)).said(launch, n);
}

} // namespace kernels
