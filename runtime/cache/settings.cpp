// Finds out where the cache is, and how much it may hold.
#include "runtime/common/settings.h"
#include "runtime/cache/cache.h"

namespace kern::cache {

static std::string variable(const char* name) {
  const char* value = environment(name);
  return value ? value : "";
}

// The default folder; empty where nothing says who the user is. By the XDG convention a relative path is
// none.
static std::string default_folder() {
  if (std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/kern";
  if (std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/kern";
  return "";
}

Settings environment_settings() {
  constexpr std::uint64_t standard_limit = std::uint64_t(1) << 30;
  Settings settings{true, kern::settings::cache_folder().value.value_or(""), standard_limit, ""};
  if (settings.folder.empty()) settings.folder = default_folder();
  while (settings.folder.size() > 1 && settings.folder.ends_with('/')) settings.folder.pop_back();
  if (settings.folder.empty())
    settings.problem = "there is no folder for it: KERN_CACHE_DIR, XDG_CACHE_HOME and HOME are not set";
  auto limit = kern::settings::cache_mebibytes();
  auto use = kern::settings::cache();
  if (limit.value) settings.limit = limit.value->bytes;
  if (use.value) settings.on = use.value->on;
  for (const std::string& wrong : {limit.wrong, use.wrong})
    if (!wrong.empty()) settings.problem = wrong;
  return settings;
}

} // namespace kern::cache
