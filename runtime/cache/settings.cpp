// Where the cache is. A program with more rights than its user does not believe the environment.
#include <cstdlib>

#include "runtime/cache/cache.h"
#include "runtime/common/settings.h"

namespace kern::cache {

static std::string variable(const char* name) {
  const char* value = setting(name);
  return value ? value : "";
}

// The default folder; empty where nothing says who the user is. By the XDG convention a relative path is
// none.
static std::string default_folder() {
  if (std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/kern";
  if (std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/kern";
  return "";
}

static std::optional<std::uint64_t> parse_megabytes(const std::string& text) {
  constexpr std::size_t most_digits = 12;
  if (text.empty() || text.size() > most_digits || text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  return std::stoull(text) << 20;
}

Settings environment_settings() {
  constexpr std::uint64_t standard_limit = std::uint64_t(1) << 30;
  Settings settings{true, variable("KERN_CACHE_DIR"), standard_limit, ""};
  if (settings.folder.empty()) settings.folder = default_folder();
  while (settings.folder.size() > 1 && settings.folder.ends_with('/')) settings.folder.pop_back();
  if (settings.folder.empty())
    settings.problem = "there is no folder for it: KERN_CACHE_DIR, XDG_CACHE_HOME and HOME are not set";
  std::string limit = variable("KERN_CACHE_MAX_MB"), use = variable("KERN_CACHE");
  if (std::optional<std::uint64_t> bytes = parse_megabytes(limit))
    settings.limit = *bytes;
  else if (!limit.empty())
    settings.problem = "KERN_CACHE_MAX_MB is `" + limit + "`: give a number of mebibytes";
  if (use == "off")
    settings.on = false;
  else if (!use.empty() && use != "on")
    settings.problem = "KERN_CACHE is `" + use + "`: it may be `on` or `off`";
  return settings;
}

} // namespace kern::cache
