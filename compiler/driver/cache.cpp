// kernc cache: what the kernel cache holds, for people, and how to empty it. It is CPU code, and GPU code of
// earlier versions until it is old enough to go.
#include "runtime/cache/cache.h"

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/commands.h"
#include "compiler/support/nearest.h"
#include "runtime/cache/inspect.h"

namespace kern {

static ExitCode refuse(Streams& streams, const Diagnostics& diagnostics, ExitCode code) {
  streams.err << "kernc: " << render(diagnostics.all().front(), SourceManager(), {});
  return code;
}

static std::uint64_t total_bytes(const std::vector<cache::Listed>& rows) {
  std::uint64_t bytes = 0;
  for (const cache::Listed& row : rows) bytes += row.bytes;
  return bytes;
}

static auto count_entries(const std::vector<cache::Listed>& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const cache::Listed& row) { return !row.temporary; });
}

static void print_info(std::ostream& out, const cache::Settings& settings,
                       const std::vector<cache::Listed>& rows) {
  out << fmt::format("folder   {}\nentries  {}\nbytes    {}\nlimit    {}\n", settings.folder,
                     count_entries(rows), total_bytes(rows), settings.limit);
  if (!settings.on) out << "use      off (KERN_CACHE)\n";
}

static void print_cleared(std::ostream& out, const std::vector<cache::Listed>& rows) {
  auto entries = count_entries(rows);
  out << fmt::format("removed: entries {}, unfinished files {}, bytes {}\n", entries,
                     static_cast<std::ptrdiff_t>(rows.size()) - entries, total_bytes(rows));
}

static std::string local_time(std::time_t seconds) {
  std::tm parts{};
  char text[32];
  localtime_r(&seconds, &parts);
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

// One line a file; what cannot be read shows its name, so that one can look for it.
static void print_rows(std::ostream& out, const std::vector<cache::Listed>& rows) {
  constexpr std::string_view line = "{:<10} {:<28} {:<20} {:>10}  {}  {}\n";
  if (!rows.empty()) out << fmt::format(line, "what", "device", "made by", "bytes", "used            ", "of");
  for (const cache::Listed& row : rows) {
    std::string used = local_time(row.used);
    if (const auto& is = row.description)
      out << fmt::format(line, is->kind, is->device, is->made_by, row.bytes, used,
                         is->source + ": " + is->kernels);
    else
      out << fmt::format(line, row.temporary ? "unfinished" : "damaged", "", "", row.bytes, used, row.name);
  }
}

ExitCode cache_command(const std::vector<std::string>& words, Streams& streams) {
  static constexpr std::string_view actions[] = {"info", "clear", "explain"};
  Diagnostics diagnostics;
  std::string action = words.size() == 1 ? words[0] : "";
  if (std::find(std::begin(actions), std::end(actions), action) == std::end(actions)) {
    auto builder = diagnostics.report({}, diag::bad_command_line, "give one of: info, clear, explain");
    if (std::string_view similar = most_similar(action, actions); !similar.empty())
      builder.note("did you mean `{}`?", similar);
    return refuse(streams, diagnostics, ExitCode::WrongUse);
  }
  cache::Settings settings = cache::environment_settings();
  std::string why = settings.problem;
  std::vector<cache::Listed> rows;
  if (why.empty())
    rows = action == "clear" ? cache::clear(settings.folder, why)
                             : cache::list(settings.folder, action == "explain", why);
  if (!why.empty()) {
    std::string text = settings.problem.empty() ? settings.folder + " " + why : why;
    diagnostics.report({}, diag::unusable_cache, text);
    return refuse(streams, diagnostics, ExitCode::NoDevice);
  }
  if (action == "info")
    print_info(streams.out, settings, rows);
  else if (action == "clear")
    print_cleared(streams.out, rows);
  else
    print_rows(streams.out, rows);
  return ExitCode::Done;
}

} // namespace kern
