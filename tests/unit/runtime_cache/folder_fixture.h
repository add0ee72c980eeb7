// A cache in a folder of its own, whose warnings are kept.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "runtime/cache/cache.h"
#include "runtime/cache/folder.h"

namespace kern::cache {

struct Folder : testing::Test {
  Folder() {
    char pattern[] = "/tmp/kern-cache-XXXXXX";
    top = mkdtemp(pattern);
    path = top + "/kern";
  }
  ~Folder() override { std::filesystem::remove_all(top); }

  // Returns settings by which every store removes what is too much.
  Settings settings(std::uint64_t limit = 1 << 20) const {
    Settings settings{true, path, limit, ""};
    settings.stores_a_sweep = 1;
    return settings;
  }
  // Returns a cache whose warnings go to `warnings`.
  std::unique_ptr<Cache> open(std::uint64_t limit = 1 << 20) {
    auto cache = std::make_unique<Cache>(settings(limit));
    cache->on_warning = [this](const std::string& text) { warnings.push_back(text); };
    return cache;
  }
  std::string file(const Key& key) const { return path + "/" + file_name(key); }

  std::string top, path;
  std::vector<std::string> warnings;
};

inline Key key_of(int number) { return make_key({"test", std::to_string(number)}); }

// A payload that names its key, of a size of its own.
inline std::string payload_of(int number, std::size_t bytes = 1000) {
  std::string text = "payload " + std::to_string(number) + ".";
  while (text.size() < bytes) text += static_cast<char>(number * 31 + static_cast<int>(text.size()) * 7);
  return text;
}

inline Description description() { return {"cubin", "sm_90 (GPU)", "CUDA driver 13.0", "a.kern", "f, g"}; }

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Runs a function in a process of its own; returns what waitpid says. A function that returns ends it with 0.
inline int in_child(const std::function<void()>& function) {
  pid_t child = fork();
  if (child == 0) {
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

} // namespace kern::cache
