// A value, or one sentence that says why there is none; what the driver's readers and parsers return.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

namespace kern {

// Why there is no value: lower-case start, no full stop.
struct Failure {
  std::string text;
};

// Makes a Failure of a fmt pattern and its arguments.
template <class... Args> Failure failure(fmt::format_string<Args...> text, Args&&... args) {
  return {fmt::format(text, std::forward<Args>(args)...)};
}

template <class T> class Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : error_(std::move(failure.text)) {}
  // Says whether there is a value.
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  // Returns why there is no value.
  const std::string& error() const { return error_; }

private:
  std::optional<T> value_;
  std::string error_;
};

} // namespace kern
