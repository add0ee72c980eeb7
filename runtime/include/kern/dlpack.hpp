// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays from and for other libraries, by DLPack 1.0: the structs of its published ABI, which any dlpack.h
// agrees with, so that pointers to one's own DLManagedTensor and DLManagedTensorVersioned can be given as
// they are. Nothing is copied.
#pragma once

#include "kern/array.hpp"

namespace kern::inline v1::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : std::uint8_t { integer, unsigned_integer, real, opaque, bfloat, complex, boolean };
inline constexpr std::uint64_t read_only = 1; // in Versioned::flags

struct Device {
  std::int32_t type;
  std::int32_t id;
};
struct Type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  Type type;
  std::int64_t* shape;
  std::int64_t* strides; // in elements; null: side by side, the last axis fastest
  std::uint64_t byte_offset;
};
// DLManagedTensor. Whoever holds it calls `deleter` (which may be null) once.
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
// DLManagedTensorVersioned.
struct Versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;
};

template <class T> constexpr Type element_type() {
  constexpr auto bits = static_cast<std::uint8_t>(8 * sizeof(T));
  switch (type_of<T>) {
  case KERN_BOOL: return {boolean, bits, 1};
  case KERN_F16:
  case KERN_F32:
  case KERN_F64: return {real, bits, 1};
  case KERN_BF16: return {bfloat, bits, 1};
  case KERN_C64:
  case KERN_C128: return {complex, bits, 1};
  case KERN_I8:
  case KERN_I16:
  case KERN_I32:
  case KERN_I64: return {integer, bits, 1};
  case KERN_U8:
  case KERN_U16:
  case KERN_U32:
  case KERN_U64: break;
  }
  return {unsigned_integer, bits, 1};
}

inline std::string text_of(const Type& type) {
  static constexpr const char* names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  std::string text = type.code < 7 ? names[type.code] : "type " + std::to_string(type.code) + " of ";
  text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + " in " + std::to_string(type.lanes) + " lanes";
}

// Says why a tensor is not an array of that type and rank on the device; "" where it is.
template <class T, std::size_t Rank>
inline std::string mismatch(const Tensor& tensor, const kern::Device& device) {
  constexpr Type wanted = element_type<std::remove_const_t<T>>();
  if (!device.get()) return "the device is empty: it could not be made, or was moved from";
  if (tensor.type.code != wanted.code || tensor.type.bits != wanted.bits || tensor.type.lanes != 1)
    return "its elements are " + text_of(tensor.type) + ", and " + text_of(wanted) + " is wanted";
  if (tensor.rank != static_cast<std::int32_t>(Rank))
    return "it has " + std::to_string(tensor.rank) + " axes, and " + std::to_string(Rank) + " are wanted";
  if (!tensor.shape) return "it has no shape";
  bool is_there =
      device.is_cpu()
          ? tensor.device.type == cpu || tensor.device.type == cuda_host || tensor.device.type == cuda_managed
          : (tensor.device.type == cuda && tensor.device.id == static_cast<std::int32_t>(device.ordinal())) ||
                tensor.device.type == cuda_managed;
  if (!is_there)
    return "it lies on a device of DLPack's type " + std::to_string(tensor.device.type) +
           " with the number " + std::to_string(tensor.device.id) + ", and the device is " + device.name();
  if (Rank > 0 && !tensor.shape) return "its shape is a null pointer";
  for (std::size_t axis = 0; axis < Rank; ++axis)
    if (tensor.shape[axis] < 0)
      return "it has extent " + std::to_string(tensor.shape[axis]) + " along axis " + std::to_string(axis);
  std::uintptr_t start = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  if (start % sizeof(T) != 0)
    return "it begins " + std::to_string(tensor.byte_offset) +
           " bytes after its base, which is no multiple of " + "its element's " + std::to_string(sizeof(T)) +
           " bytes";
  return "";
}

// Returns the view of a tensor that was taken over; `release` gives it back.
template <class T, std::size_t Rank> inline View<T, Rank> adopt(Status& status, const kern::Device& device,
                                                                const Tensor& tensor, void (*release)(void*),
                                                                void* managed) {
  Extents<Rank> extents{}, strides{};
  for (std::size_t axis = 0; axis < Rank; ++axis) extents[axis] = tensor.shape[axis];
  strides = packed_strides(extents);
  for (std::size_t axis = 0; axis < Rank && tensor.strides; ++axis) strides[axis] = tensor.strides[axis];
  auto* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  BufferHandle handle;
  // The buffer is what the strides reach, which may lie before the first element.
  std::int64_t lowest = 0, highest = 0, bytes = 0;
  if (!reach_of(extents, strides, lowest, highest, sizeof(T)) ||
      __builtin_mul_overflow(highest - lowest + 1, static_cast<std::int64_t>(sizeof(T)), &bytes)) {
    status.refuse([&] {
      return std::string(
          "the DLPack tensor cannot be taken: its extents and strides reach beyond all memory");
    });
    return View<T, Rank>::none();
  }
  if (!status.take(kern_buffer_wrap(device.get(), data + lowest * static_cast<std::int64_t>(sizeof(T)),
                                    static_cast<std::uint64_t>(bytes), release, managed, handle.receive())))
    return View<T, Rank>::none();
  return {std::move(handle), reinterpret_cast<T*>(data), extents, strides};
}

// Takes a DLManagedTensor over as a view: import<const float, 2>(device, tensor). Its deleter is called when
// neither a view nor work under way holds it. Where its type, rank or device is another one, or it may only
// be read and T is not const, that is an ArgumentError, and the tensor stays with the caller. What the
// producer still does on streams of its own must be waited for.
template <class T, std::size_t Rank = 1, class Capsule>
inline View<T, Rank> import(Status& status, const kern::Device& device, Capsule* capsule) noexcept {
  constexpr bool is_versioned = requires { capsule->flags; };
  using Own = std::conditional_t<is_versioned, Versioned, Managed>;
  static_assert(sizeof(Capsule) == sizeof(Own), "this is neither of DLPack 1.0's managed tensors");
  auto* managed = reinterpret_cast<Own*>(capsule);
  auto why_not = [&]() -> std::string {
    if (!managed) return "it is a null pointer";
    if constexpr (is_versioned) {
      if (managed->major > 1)
        return "it is of version " + std::to_string(managed->major) + ", and version 1 is known";
      if (!std::is_const_v<T> && (managed->flags & read_only)) return "it may only be read: import<const T>";
    }
    return mismatch<T, Rank>(managed->tensor, device);
  };
  const std::string reason = why_not();
  if (!reason.empty()) {
    status.refuse([&] { return std::string("the DLPack tensor cannot be taken: " + reason); });
    return View<T, Rank>::none();
  }
  auto release = [](void* context) {
    auto* owned = static_cast<Own*>(context);
    if (owned->deleter) owned->deleter(owned);
  };
  return adopt<T, Rank>(status, device, managed->tensor, release, managed);
}
template <class T, std::size_t Rank = 1, class Capsule>
inline View<T, Rank> import(const kern::Device& device, Capsule* capsule) {
  Status status;
  View<T, Rank> view = import <T, Rank>(status, device, capsule);
  status.raise();
  return view;
}

// The state that lives as long as an exported tensor.
template <class Capsule, std::size_t Rank> struct Export {
  Capsule capsule;
  BufferHandle buffer;
  std::int64_t shape[Rank > 0 ? Rank : 1], strides[Rank > 0 ? Rank : 1];
};

template <class Capsule, class T, std::size_t Rank>
inline Capsule* export_as(const kern::Device& device, const View<T, Rank>& view) {
  using Value = std::remove_const_t<T>;
  if (view.is_empty() || !device.get()) {
    Status status;
    status.refuse(std::string(view.is_empty()
                                  ? "the view is empty: it could not be made, or was moved from"
                                  : "the device is empty: it could not be made, or was moved from"));
    status.raise();
  }
  auto* made = new Export<Capsule, Rank>{};
  made->buffer = view.buffer();
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    made->shape[axis] = view.extents()[axis];
    made->strides[axis] = view.strides()[axis];
  }
  Device where{device.is_cpu() ? cpu : cuda, static_cast<std::int32_t>(device.ordinal())};
  made->capsule.tensor = {const_cast<Value*>(view.data()),
                          where,
                          static_cast<std::int32_t>(Rank),
                          element_type<Value>(),
                          made->shape,
                          made->strides,
                          0};
  made->capsule.context = made;
  made->capsule.deleter = [](Capsule* capsule) {
    delete static_cast<Export<Capsule, Rank>*>(capsule->context);
  };
  return &made->capsule;
}

// Gives a view to another library, which calls the deleter; until then the memory stays. What is under way on
// it must be waited for, or the other library's stream be made to wait. What may only be read needs the
// versioned form, which says so. An empty device is an ArgumentError.
template <class T, std::size_t Rank>
inline Managed* to_unversioned(const kern::Device& device, const View<T, Rank>& view) {
  static_assert(!std::is_const_v<T>, "the unversioned form cannot say that an array may only be read");
  return export_as<Managed>(device, view);
}
template <class T, std::size_t Rank>
inline Versioned* to_versioned(const kern::Device& device, const View<T, Rank>& view) {
  Versioned* capsule = export_as<Versioned>(device, view);
  capsule->major = 1;
  capsule->flags = std::is_const_v<T> ? read_only : 0;
  return capsule;
}

} // namespace kern::inline v1::dlpack
