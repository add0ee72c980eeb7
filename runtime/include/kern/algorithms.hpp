// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's host side: link kern::jit.
//
//     kern::Formula axpy = kern::elementwise("y = a * x + y");
//     axpy(2.0f, x, y);                       // arguments in the order of axpy.arguments(): a, x, y
//     axpy(2.0f, x, y, stream);
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kern/algorithms.h"
#include "kern/kern.hpp"

namespace kern::inline v1 {

// Where and how a call of the library runs: its last argument, which a stream converts to.
class Environment {
public:
  Environment(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE())
      : launch_(true, 0, 0, 0, file, line) {}
  Environment(const Stream& stream, const char* file = __builtin_FILE(),
              std::uint32_t line = __builtin_LINE())
      : launch_(Launch(true, 0, 0, 0, file, line).on(stream)) {}
  // Sets what becomes of faults; without, what the stream says.
  Environment on_fault(OnFault policy) const {
    Environment other = *this;
    other.launch_ = launch_.on_fault(policy);
    return other;
  }
  const kern_launch_options& get() const { return launch_.get(); }

private:
  Launch launch_; // of which the size is the library's to choose
};

using FormulaHandle = Handle<kern_formula, kern_formula_retain, kern_formula_release>;

// The arguments of a one-line kernel: scalars, buffers, views, host memory as in(x), out(x) or inout(x), and last of all,
// where it is given, the environment.
class FormulaArguments {
public:
  template <class... Given> explicit FormulaArguments(Given&&... given) {
    list_.reserve(sizeof...(Given));
    (put(std::forward<Given>(given)), ...);
  }
  const std::vector<kern_argument>& list() const { return list_; }
  const kern_launch_options& options() const { return environment_.get(); }

private:
  void put(const Environment& environment) { environment_ = environment; }
  void put(const Stream& stream) { environment_ = Environment(stream); }
  template <class T> void put(const T& scalar) { Param<T>::put(scalar, list_.emplace_back()); }
  template <class T, std::size_t Rank> void put(Buffer<T, Rank>& buffer) {
    Argument<T, Rank>(buffer).put(list_.emplace_back());
  }
  template <class T, std::size_t Rank> void put(const Buffer<T, Rank>& buffer) {
    Argument<const T, Rank>(buffer).put(list_.emplace_back());
  }
  template <class T, std::size_t Rank> void put(const View<T, Rank>& view) {
    Argument<T, Rank>(view).put(list_.emplace_back());
  }
  template <class T, std::size_t Rank, kern_argument_kind Kind>
  void put(const Staged<T, Rank, Kind>& staged) {
    Argument<T, Rank>(staged).put(list_.emplace_back());
  }

  std::vector<kern_argument> list_;
  Environment environment_;
};

// A one-line kernel, made by elementwise(), reduction() or scanning(); copies are the same one, and any thread may call it.
class Formula {
public:
  Formula() = default; // is empty
  explicit Formula(FormulaHandle handle) : handle_(std::move(handle)) {}
  // Returns the names that stand for the arguments of a call, in their order.
  std::vector<std::string> arguments() const {
    return ask(handle_, "formula", [&] {
      std::vector<std::string> names;
      for (std::uint64_t i = 0; i < kern_formula_argument_count(handle_.get()); ++i)
        names.emplace_back(kern_formula_argument_name(handle_.get(), i));
      return names;
    });
  }
  // Puts it on a stream; with arguments in host memory it returns when they are there. Compiles it, where it was not called
  // with such types and axes before: what is wrong with the text for these is a CompileError.
  template <class... Given> Event operator()(Given&&... given) const
    requires(!std::is_same_v<std::remove_cvref_t<Given>, Status> && ...)
  {
    Status status;
    Event event = (*this)(status, std::forward<Given>(given)...);
    status.raise();
    return event;
  }
  template <class... Given> Event operator()(Status& status, Given&&... given) const noexcept {
    EventHandle event;
    const bool is_enough = Status::with_memory([&] {
      const FormulaArguments arguments(std::forward<Given>(given)...);
      status.take(kern_formula_launch(handle_.get(), &arguments.options(), arguments.list().data(),
                                      arguments.list().size(), event.receive()));
    });
    if (!is_enough) status.refuse_memory();
    return Event(std::move(event));
  }

private:
  FormulaHandle handle_;
};

// Makes a one-line kernel of assignments, separated by `;`: elementwise("y = a * x + y"). Names that are read stand for the first
// arguments, in the order in which they appear; those that are only assigned come behind. Arrays broadcast as NumPy's do.
// `t: f32 = ...` declares a name of the formula's own, `i` is the number of the element in C order.
inline Formula elementwise(Status& status, std::string_view text) noexcept {
  FormulaHandle handle;
  status.take(kern_elementwise(text.data(), text.size(), handle.receive()));
  return Formula(std::move(handle));
}
inline Formula elementwise(std::string_view text) {
  Status status;
  Formula formula = elementwise(status, text);
  status.raise();
  return formula;
}

// Makes a reduction: reduction("x * y", "a + b", "0") is a dot product, reduction("abs(x)", "max(a, b)") the greatest size; its last
// argument is the result, an array of one element. The operation is associative and commutative; without a start there must be an
// element.
inline Formula reduction(Status& status, std::string_view value, std::string_view combine,
                         std::string_view start = {}) noexcept {
  FormulaHandle handle;
  status.take(kern_reduction(value.data(), value.size(), combine.data(), combine.size(),
                             start.empty() ? nullptr : start.data(), start.size(), handle.receive()));
  return Formula(std::move(handle));
}
inline Formula reduction(std::string_view value, std::string_view combine, std::string_view start = {}) {
  Status status;
  Formula formula = reduction(status, value, combine, start);
  status.raise();
  return formula;
}

// Makes a reduction along an axis, which counts from the first one, or negative from behind the last: reduction_along(0, "x", "a + b",
// "0") sums the columns of a matrix. Its result has the shape of the arrays together without that axis.
inline Formula reduction_along(Status& status, int axis, std::string_view value, std::string_view combine,
                               std::string_view start = {}) noexcept {
  FormulaHandle handle;
  status.take(kern_reduction_along(axis, value.data(), value.size(), combine.data(), combine.size(),
                                   start.empty() ? nullptr : start.data(), start.size(), handle.receive()));
  return Formula(std::move(handle));
}
inline Formula reduction_along(int axis, std::string_view value, std::string_view combine,
                               std::string_view start = {}) {
  Status status;
  Formula formula = reduction_along(status, axis, value, combine, start);
  status.raise();
  return formula;
}

// Makes a scan: scanning("x", "a + b") gives each element the sum up to it, scanning("x", "a + b", "0") that of the elements before
// it. Its last argument is the result, of as many elements, in C order. The operation is associative.
inline Formula scanning(Status& status, std::string_view value, std::string_view combine,
                        std::string_view start = {}) noexcept {
  FormulaHandle handle;
  status.take(kern_scanning(value.data(), value.size(), combine.data(), combine.size(),
                            start.empty() ? nullptr : start.data(), start.size(), handle.receive()));
  return Formula(std::move(handle));
}
inline Formula scanning(std::string_view value, std::string_view combine, std::string_view start = {}) {
  Status status;
  Formula formula = scanning(status, value, combine, start);
  status.raise();
  return formula;
}

} // namespace kern::inline v1
