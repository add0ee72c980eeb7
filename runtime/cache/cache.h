// CPU code that was compiled for this machine, kept on disk: a second process loads it instead of making it
// again. (GPU code is in the driver's cache.) One file an entry, written aside and renamed, so that any number of processes share a folder without
// locks. Whatever goes wrong with it, the caller gets nothing and makes it again, and the user one warning.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/cache/entry.h"

namespace kern::cache {

struct Settings {
  bool on = true;
  std::string folder;  // its last part is made, for this user alone
  std::uint64_t limit; // bytes of all entries; beyond it those that were not used for longest go
  std::string problem; // with the environment; said where the cache would be used
  std::uint64_t most_entries = 10'000; // likewise
  // To know what is too much means to look at every file, 5 us each: one store in so many does it.
  unsigned stores_a_sweep = 16;
};

// Returns what the environment says: KERN_CACHE=off, KERN_CACHE_DIR (else $XDG_CACHE_HOME/kern, else
// ~/.cache/kern), KERN_CACHE_MAX_MB.
Settings environment_settings();

// The steps of storing an entry.
enum class Step : std::uint8_t { Create, Write, Rename, Remove };

class Cache {
public:
  explicit Cache(Settings settings);
  // Returns the cache of this process, by its environment.
  static Cache& shared();

  // Returns the payload stored under a key, whole; nothing where there is none to be trusted.
  std::optional<std::string> find(const Key& key);
  // Stores a payload; now and then removes what is too much.
  void store(const Key& key, const Description& description, std::string_view payload);
  // Removes an entry that turned out useless.
  void drop(const Key& key);

  // For tests. Where warnings go instead of stderr.
  std::function<void(const std::string&)> on_warning;
  // Is asked before each step of a store, a piece of a large entry at a time; the step fails with the errno
  // that it returns, unless that is 0.
  std::function<int(Step)> on_step;

private:
  class Store;
  bool usable();
  void warn(const std::string& text);

  Settings settings_;
  std::atomic<bool> warned_{false};
};

} // namespace kern::cache
