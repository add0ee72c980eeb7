// Helps to compare what an exception says.
#pragma once

#include <cstdio>
#include <string>

// Runs a call that must fail with that exception, and returns what it says.
template <class Exception> std::string thrown_by(auto&& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

inline bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  std::printf("`%s` does not contain `%s`\n", text.c_str(), part.c_str());
  return false;
}
