// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's host side: link kern::jit.
//
//     kern::sort(keys);                                       // algorithms, by the names of std and Thrust
//     kern::exclusive_scan(x, y, kern::operation("max(a, b)"), kern::start(0), stream);
//
//     kern::Formula axpy = kern::elementwise("y = a * x + y");
//     axpy(2.0f, x, y);                                       // arguments in the order of axpy.arguments(): a, x, y
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
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

// What a call of an algorithm sets in its module, made by operation(), start() and others.
struct Setting {
  std::string text;                                            // "OPERATION=max(a, b)"
  std::vector<std::pair<std::string, std::string>> files = {}; // that it names, with their texts
  std::string folder = {};                                     // where these look for what they import
};

using FormulaHandle = Handle<kern_formula, kern_formula_retain, kern_formula_release>;

// The arguments of an algorithm or a one-line kernel: scalars, buffers, views, host memory as in(x), out(x) or inout(x), and last of all,
// where it is given, the environment.
class CallArguments {
public:
  template <class... Given> explicit CallArguments(Given&&... given) {
    list_.reserve(sizeof...(Given));
    (put(std::forward<Given>(given)), ...);
  }
  const std::vector<kern_argument>& list() const { return list_; }
  const kern_launch_options& options() const { return environment_.get(); }
  const std::vector<Setting>& settings() const { return settings_; }

private:
  void put(const Setting& setting) { settings_.push_back(setting); }
  void put(const std::vector<Setting>& settings) {
    settings_.insert(settings_.end(), settings.begin(), settings.end());
  }
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
  std::vector<Setting> settings_;
  Environment environment_;
};

// What puts work on a stream when it is called; with arguments in host memory it returns when they are there. Compiles it, where it was
// not called with such types and axes before: what is wrong with a text for these is a CompileError.
template <class Derived> class Callable {
public:
  template <class... Given> Event operator()(Given&&... given) const
    requires(!std::is_same_v<std::remove_cvref_t<Given>, Status> && ...)
  {
    Status status;
    Event event = (*this)(status, std::forward<Given>(given)...);
    status.raise();
    return event;
  }
  template <class... Given> Event operator()(Status& status, Given&&... given) const noexcept {
    static_assert(Derived::takes_settings || (!std::is_same_v<std::remove_cvref_t<Given>, Setting> && ...),
                  "a formula has no settings");
    EventHandle event;
    const bool is_enough = Status::with_memory([&] {
      const CallArguments arguments(std::forward<Given>(given)...);
      status.take(static_cast<const Derived*>(this)->launch(arguments, event));
    });
    if (!is_enough) status.refuse_memory();
    return Event(std::move(event));
  }
};

// A one-line kernel, made by elementwise(), reduction() or scanning(); copies are the same one, and any thread may call it.
class Formula : public Callable<Formula> {
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

private:
  friend Callable<Formula>;
  static constexpr bool takes_settings = false;
  kern_error* launch(const CallArguments& arguments, EventHandle& event) const {
    return kern_formula_launch(handle_.get(), &arguments.options(), arguments.list().data(),
                               arguments.list().size(), event.receive());
  }
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

// ---- Algorithms ----

// A function of a file as an operation or condition: operation(function_of("ops.kern", "longest")). The file is read when this is
// called; what it imports is looked for beside it.
struct FunctionOf {
  std::string file, text, name;
};
inline FunctionOf function_of(Status& status, const std::string& path, std::string name) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) status.refuse("cannot read `" + path + "`");
  return {path, std::string(std::istreambuf_iterator<char>(stream), {}), std::move(name)};
}
inline FunctionOf function_of(const std::string& path, std::string name) {
  Status status;
  FunctionOf function = function_of(status, path, std::move(name));
  status.raise();
  return function;
}
// The same of a text, which messages call by `file`, "ops.kern".
inline FunctionOf function_in(std::string file, std::string text, std::string name) {
  return {std::move(file), std::move(text), std::move(name)};
}

// Sets any constant of an algorithm's module, by the name that its page has.
inline Setting setting(const std::string& name, const std::string& value) { return {name + "=" + value}; }
inline Setting setting(const std::string& name, const FunctionOf& function) {
  const std::size_t slash = function.file.rfind('/');
  const std::string file = slash == std::string::npos ? function.file : function.file.substr(slash + 1);
  return {name + "=" + file + ":" + function.name,
          {{file, function.text}},
          slash == std::string::npos ? "." : function.file.substr(0, slash)};
}
// What joins values, an associative expression of `a` and `b`; in a reduction it commutes, unless setting("COMMUTES", "False").
inline Setting operation(const auto& text) { return setting("OPERATION", text); }
// What each element becomes before it is joined, an expression of `x`.
inline Setting input(const auto& text) { return setting("INPUT", text); }
// Which elements are selected, an expression of `x`.
inline Setting keep(const auto& text) { return setting("KEEP", text); }
// Which of `a` and `b` comes first, a strict weak ordering; a sort by it is a merge sort.
inline Setting less(const auto& text) { return setting("LESS", text); }
// Whether keys `a` and `b` belong together.
inline Setting equal(const auto& text) { return setting("EQUAL", text); }
// What a transform makes of `x`, or of `x` and `y`.
inline Setting unary(const auto& text) { return setting("UNARY", text); }
inline Setting binary(const auto& text) { return setting("BINARY", text); }
// The greatest first, of a radix sort.
inline Setting descending() { return setting("DESCENDING", "True"); }
// Along an axis, which counts from the first one, or negative from behind the last: of reduce, argmin, argmax, scans, sort, mean and
// variance. Results of one element a line have the shape without the axis, as NumPy's with `axis`.
inline Setting along(int axis) { return setting("AXIS", std::to_string(axis)); }
// The axes of `permute`, as numpy.transpose has them: axes({2, 0, 1}).
inline Setting axes(std::initializer_list<int> order) {
  std::string text;
  for (int axis : order) text += (text.empty() ? "(" : ", ") + std::to_string(axis);
  return setting("AXES", text + ")");
}
// The bits of a key that a radix sort goes by, from the lowest one on.
inline std::vector<Setting> bits(int begin, int end) {
  return {setting("BEGIN_BIT", std::to_string(begin)), setting("END_BIT", std::to_string(end))};
}
// What is joined before all elements: a number, or an expression. It is a part of the code: each value is compiled once.
inline Setting start(const std::string& text) { return setting("START", text); }
inline Setting start(const char* text) { return setting("START", text); }
template <class T>
  requires std::is_arithmetic_v<T>
Setting start(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return start(value ? "True" : "False");
  else if constexpr (std::is_integral_v<T>)
    return start(std::to_string(value));
  else {
    if (std::isnan(value)) return start("math.nan");
    if (std::isinf(value)) return start(value > 0 ? "math.inf" : "-math.inf");
    char digits[32];
    const std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return start(text.find_first_of(".e") == std::string::npos ? text + ".0" : text);
  }
}

// An algorithm of the library. Those whose sources may be counted on the device take, last of their arrays, `size`, an i64 array of one
// element: only so many elements are there, and what lies behind stays. A call has its arrays, then settings in any order, and last of all the environment: kern::reduce(x,
// total, kern::operation("max(a, b)"), stream). Arrays are buffers, views of them, or host memory as in(x), out(x) and inout(x).
class Algorithm : public Callable<Algorithm> {
public:
  constexpr explicit Algorithm(const char* name) : name_(name) {}

private:
  friend Callable<Algorithm>;
  static constexpr bool takes_settings = true;
  kern_error* launch(const CallArguments& arguments, EventHandle& event) const {
    std::vector<const char*> texts, folders;
    std::vector<kern_source> sources;
    for (const Setting& each : arguments.settings()) {
      texts.push_back(each.text.c_str());
      if (!each.folder.empty()) folders.push_back(each.folder.c_str());
      for (const auto& [file, text] : each.files) sources.push_back({file.c_str(), text.data(), text.size()});
    }
    kern_algorithm_settings settings{};
    settings.struct_size = sizeof settings;
    settings.settings = {texts.data(), texts.size()};
    settings.folders = {folders.data(), folders.size()};
    settings.sources = sources.data();
    settings.source_count = sources.size();
    return kern_algorithm(name_, &settings, &arguments.options(), arguments.list().data(),
                          arguments.list().size(), event.receive());
  }
  const char* name_;
};

// Reductions; `out`, `value` and `place` have one element. Sums have 64 bits where elements are integers.
inline constexpr Algorithm reduce("reduce"); // (x, out): operation, start, input
inline constexpr Algorithm argmin(
    "argmin"); // (x, value, place): the least element and where it is first, or the first NaN; place is i64
inline constexpr Algorithm argmax("argmax"); // (x, value, place)
inline constexpr Algorithm mean("mean");     // (x, out): input; f64 where elements are integers, else theirs
inline constexpr Algorithm
    variance("variance"); // (x, out): input, setting("DDOF", "1") for that of a sample; floats
// Scans; y may be x.
inline constexpr Algorithm inclusive_scan("inclusive_scan"); // (x, y): operation, input
inline constexpr Algorithm exclusive_scan("exclusive_scan"); // (x, y): operation, start, input
inline constexpr Algorithm inclusive_scan_by_key(
    "inclusive_scan_by_key"); // (keys, x, y): operation, equal; segments are the runs of equal keys
inline constexpr Algorithm
    exclusive_scan_by_key("exclusive_scan_by_key"); // (keys, x, y): operation, start, equal; y is not x
inline constexpr Algorithm
    reduce_by_key("reduce_by_key"); // (keys, x, keys_out, out, count): operation, equal; count is i64
inline constexpr Algorithm
    run_length_encode("run_length_encode"); // (x, values, lengths, count): equal; lengths and count are i64
// Selections, in the order of the elements; count[0], an i64, becomes how many there are.
inline constexpr Algorithm copy_if("copy_if");           // (x, y, count): keep
inline constexpr Algorithm copy_flagged("copy_flagged"); // (x, flags, y, count)
inline constexpr Algorithm unique("unique"); // (x, y, count): equal; the first of each run of equal elements
inline constexpr Algorithm
    unique_by_key("unique_by_key");                // (keys, values, keys_out, values_out, count): equal
inline constexpr Algorithm partition("partition"); // (x, y, rest, count): keep
inline constexpr Algorithm partition_three(
    "partition_three"); // (x, y, z, rest, count): setting("FIRST", ...), setting("SECOND", ...); count has two elements
// Sorts, stable, NaN last: radix sorts, with descending and bits; merge sorts where there is less. Without results they work in place.
inline constexpr Algorithm sort("sort");               // (keys[, keys_out])
inline constexpr Algorithm sort_by_key("sort_by_key"); // (keys, values[, keys_out, values_out])
inline constexpr Algorithm
    argsort("argsort"); // (keys, indices): indices are of any integer type that holds them
inline constexpr Algorithm top_k(
    "top_k"); // (keys, keys_out, indices_out): the greatest, or setting("LARGEST", "False"), in the order of their indices
// Segments: offsets[s] to offsets[s + 1] is segment s.
inline constexpr Algorithm segmented_reduce("segmented_reduce"); // (x, offsets, out): operation, start, input
inline constexpr Algorithm segmented_argmin("segmented_argmin"); // (x, offsets, values, indices)
inline constexpr Algorithm segmented_argmax("segmented_argmax"); // (x, offsets, values, indices)
inline constexpr Algorithm
    segmented_inclusive_scan("segmented_inclusive_scan"); // (x, offsets, out): operation, input
inline constexpr Algorithm
    segmented_exclusive_scan("segmented_exclusive_scan");    // (x, offsets, out): operation, start, input
inline constexpr Algorithm segmented_sort("segmented_sort"); // (keys, offsets, keys_out): less
inline constexpr Algorithm
    segmented_sort_by_key("segmented_sort_by_key"); // (keys, values, offsets, keys_out, values_out): less
// Histograms and searches.
inline constexpr Algorithm
    histogram_even("histogram_even"); // (samples, low, high, counts): numpy.histogram's bins
inline constexpr Algorithm
    histogram_edges("histogram_edges");          // (samples, edges, counts): one edge more than counts
inline constexpr Algorithm bincount("bincount"); // (samples, counts): of integers
inline constexpr Algorithm
    lower_bound("lower_bound"); // (sorted, x, places): less; where each x would be put in, before its equals,
inline constexpr Algorithm upper_bound("upper_bound"); // (sorted, x, places): less; or behind them
// Maps and moves.
inline constexpr Algorithm transform("transform");     // (x, out): unary
inline constexpr Algorithm transform_2("transform_2"); // (x, y, out): binary
inline constexpr Algorithm
    transform_if("transform_if");        // (x, stencil, out): unary, setting("PREDICATE", ...) of the stencil
inline constexpr Algorithm fill("fill"); // (out, value)
inline constexpr Algorithm sequence("sequence"); // (out, start, step)
inline constexpr Algorithm tabulate("tabulate"); // (out): setting("INDEXED", ...) of i
inline constexpr Algorithm adjacent_difference(
    "adjacent_difference"); // (x, out): setting("DIFFERENCE", ...) of a and the one before, b
inline constexpr Algorithm gather("gather");         // (x, index, out): out[i] = x[index[i]]
inline constexpr Algorithm gather_if("gather_if");   // (x, index, stencil, out)
inline constexpr Algorithm scatter("scatter");       // (x, index, out): out[index[i]] = x[i]
inline constexpr Algorithm scatter_if("scatter_if"); // (x, index, stencil, out)
inline constexpr Algorithm reverse("reverse");       // (x, out)
inline constexpr Algorithm rotate("rotate");         // (x, middle, out): x[middle] comes first
inline constexpr Algorithm repeat("repeat");         // (x, times, out)
inline constexpr Algorithm tile("tile");             // (x, out)
inline constexpr Algorithm transpose("transpose");   // (src, dst): of the last two axes
inline constexpr Algorithm permute("permute");       // (src, dst): axes, axis k of dst is axis axes[k] of src
// Random numbers: each depends on the seed and on its place alone.
inline constexpr Algorithm random_bits("random_bits");         // (out, seed): u32 or u64
inline constexpr Algorithm random_uniform("random_uniform");   // (out, seed): [0, 1), f32 or f64
inline constexpr Algorithm random_normal("random_normal");     // (out, seed): f32 or f64
inline constexpr Algorithm random_integers("random_integers"); // (out, seed, low, high): [low, high)
inline constexpr Algorithm
    random_permutation("random_permutation"); // (out, seed): the integers [0, out.size) in another order
inline constexpr Algorithm
    shuffle("shuffle"); // (x, seed, out): the elements in the order of random_permutation

} // namespace kern::inline v1
