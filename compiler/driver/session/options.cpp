// CLI11 knows flags of one letter and long ones; what else the table has (-MD, -g0, negative numbers among
// the arguments of a run) is rewritten before it sees the words.
#include "compiler/driver/session/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/messages.h"
#include "compiler/support/nearest.h"

namespace kern {

namespace {

enum class RowKind : std::uint8_t { Switch, Option, List, Alias };

struct Row {
  RowKind kind;
  std::string_view commands, flag, values, field, default_value, help;
};

constexpr Row table[] = {
#define FLAG(Commands, Flag, Field, Help) {RowKind::Switch, #Commands, Flag, "", #Field, "", Help},
#define OPTION(Commands, Flag, Values, Field, Default, Help)                                                 \
  {RowKind::Option, #Commands, Flag, Values, #Field, Default, Help},
#define LIST(Commands, Flag, Values, Field, Help) {RowKind::List, #Commands, Flag, Values, #Field, "", Help},
#define ALIAS(Commands, Flag, Means, Help) {RowKind::Alias, #Commands, Flag, Means, "", "", Help},
#include "compiler/driver/session/options.def"
};

constexpr char letter(Command command) {
  switch (command) {
  case Command::Compile: return 'C';
  case Command::Check: return 'K';
  case Command::Run: return 'R';
  case Command::Embedded: return 'J';
  }
  return 0;
}

bool takes(const Row& row, Command command) {
  return row.commands.find(letter(command)) != std::string_view::npos;
}

const Row* find_row(Command command, std::string_view flag) {
  for (const Row& row : table)
    if (takes(row, command) && row.flag == flag) return &row;
  return nullptr;
}

// The words that a row allows; none where any text will do. "cpu|cuda" is a list, "NAME=VALUE" is not.
std::vector<std::string_view> allowed_values(const Row& row) {
  std::vector<std::string_view> values;
  if (row.kind != RowKind::Option || row.values.find('|') == std::string_view::npos) return values;
  std::string_view rest = row.values;
  while (true) {
    std::size_t bar = rest.find('|');
    values.push_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) return values;
    rest.remove_prefix(bar + 1);
  }
}

// A flag as CLI11 can have it: "-MD" as "--MD".
std::string cli_name(std::string_view flag) {
  if (flag.size() > 2 && flag[1] != '-') return "-" + std::string(flag);
  return std::string(flag);
}

// A negative number among the arguments of a run is no option; "=" marks it, and the reader of arguments
// takes it off.
bool is_negative_number(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '.' || (word[1] >= '0' && word[1] <= '9') || word == "-inf");
}

std::vector<std::string> rewritten(Command command, std::span<const std::string> words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::string_view flag = std::string_view(word).substr(0, word.find('='));
    const Row* row = word.starts_with('-') ? find_row(command, flag) : nullptr;
    if (command == Command::Run && is_negative_number(word))
      result.push_back("=" + word);
    else if (row && row->kind == RowKind::Alias)
      result.emplace_back(row->values);
    else if (row && row->flag.size() > 2)
      result.push_back(cli_name(flag) + word.substr(flag.size()));
    else
      result.push_back(word);
  }
  return result;
}

void add_rows(CLI::App& app, Command command, Options& options) {
  const Row* row = table;
  auto skip = [&] { return !takes(*row++, command); };
#define FLAG(Commands, Flag, Field, Help)                                                                    \
  if (!skip()) app.add_flag(cli_name(Flag), options.Field);
#define OPTION(Commands, Flag, Values, Field, Default, Help)                                                 \
  if (!skip())                                                                                               \
    app.add_option(cli_name(Flag), options.Field)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
#define LIST(Commands, Flag, Values, Field, Help)                                                            \
  if (!skip()) app.add_option(cli_name(Flag), options.Field)->allow_extra_args(false);
#define ALIAS(Commands, Flag, Means, Help) skip();
#include "compiler/driver/session/options.def"
}

void check_values(Command command, const Options& options, Diagnostics& diagnostics) {
  auto check = [&](std::string_view flag, const std::string& value) {
    const Row* row = find_row(command, flag);
    if (!row) return;
    std::vector<std::string_view> allowed = allowed_values(*row);
    bool known = allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
    // An option with no default may be left out.
    if (!known && value != row->default_value)
      diagnostics.report({}, diag::bad_option_value, flag, value,
                         fmt::format("{}", fmt::join(allowed, ", ")));
  };
#define FLAG(Commands, Flag, Field, Help)
#define OPTION(Commands, Flag, Values, Field, Default, Help) check(Flag, options.Field);
#define LIST(Commands, Flag, Values, Field, Help)
#define ALIAS(Commands, Flag, Means, Help)
#include "compiler/driver/session/options.def"
}

void report_unknown(Command command, const std::string& word, Diagnostics& diagnostics) {
  std::string flag = word.substr(0, word.find('='));
  std::vector<std::string_view> flags;
  for (const Row& row : table)
    if (takes(row, command)) flags.push_back(row.flag);
  auto builder = diagnostics.report({}, diag::unknown_option, flag);
  if (std::string_view similar = most_similar(flag, flags); !similar.empty())
    builder.note("did you mean `{}`?", similar);
}

} // namespace

static Options parse_part(Command command, std::span<const std::string> words, Diagnostics& diagnostics) {
  Options options;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_rows(app, command, options);
  app.add_flag("-h,--help", options.help);
  std::vector<std::string> list = rewritten(command, words);
  std::reverse(list.begin(), list.end()); // CLI11 takes them from the back
  try {
    app.parse(list);
  } catch (const CLI::ParseError& error) {
    diagnostics.report({}, diag::bad_command_line, error.what());
    return options;
  }
  for (const std::string& word : app.remaining())
    if (word.size() > 1 && word[0] == '-')
      report_unknown(command, word, diagnostics);
    else
      options.words.push_back(word);
  check_values(command, options, diagnostics);
  return options;
}

// Splits a run's words at --then. Each part is read alone, so that no option takes its value from the next;
// then all of them together, for what is of the whole run.
Options parse_options(Command command, std::span<const std::string> words, Diagnostics& diagnostics) {
  if (command != Command::Run) return parse_part(command, words, diagnostics);
  std::vector<std::vector<std::string>> parts(1);
  std::vector<std::string> all;
  for (const std::string& word : words) {
    constexpr std::string_view with_kernel = "--then=";
    bool has_kernel = word.starts_with(with_kernel);
    if (word == "--then" || has_kernel) parts.emplace_back();
    if (word == "--then") continue;
    parts.back().push_back(has_kernel ? word.substr(with_kernel.size()) : word);
    all.push_back(parts.back().back());
  }
  std::vector<Options> stages;
  for (const std::vector<std::string>& part : parts) stages.push_back(parse_part(command, part, diagnostics));
  Diagnostics said_before;
  Options options = parse_part(command, all, said_before);
  options.stages = std::move(stages);
  return options;
}

// ---- Help ----

static std::string_view usage(Command command) {
  switch (command) {
  case Command::Compile: return "kernc FILE [-o OUT]... [OPTION]...";
  case Command::Check: return "kernc check FILE... [OPTION]...";
  case Command::Run: return "kernc run FILE [KERNEL] [NAME=VALUE]... [OPTION]... [--then KERNEL ...]...";
  case Command::Embedded: return "kern::compile";
  }
  return "";
}

static std::string spelled(const Row& row) {
  std::string text(row.flag);
  if (row.kind == RowKind::Switch || row.kind == RowKind::Alias) return text;
  if (row.flag.size() > 2)
    text += row.flag.starts_with("--") ? "=" : " ";
  else if (row.flag == "-o")
    text += " ";
  return text + std::string(row.values);
}

static std::string warnings_text() {
  std::string text;
  for (const DiagnosticRow* row : all_diagnostics())
    if (is_warning(*row))
      text += fmt::format("  {:<16}{}  {}{}\n", row->name, row->code, warning_in_words(*row),
                          row->severity == Severity::Quiet ? " (off)" : "");
  return text;
}

static void append_row(std::string& text, const Row& row) {
  constexpr std::size_t column = 32;
  std::string left = "  " + spelled(row);
  std::string help(row.help);
  if (row.kind == RowKind::Option && !row.default_value.empty())
    help += fmt::format(" ({})", row.default_value);
  text += left.size() < column ? left + std::string(column - left.size(), ' ')
                               : left + "\n" + std::string(column, ' ');
  for (char c : help) {
    text += c;
    if (c == '\n') text.append(column, ' ');
  }
  text += '\n';
}

std::string help_text(Command command) {
  std::string text = fmt::format("usage: {}\n\n", usage(command));
  for (const Row& row : table)
    if (takes(row, command)) append_row(text, row);
  if (command == Command::Run)
    text += R"(
Arguments are given by name (a=2.0) or in order (2.0):
  2.0  f32:2  True              a scalar; without a type it takes the parameter's, else i64 or f64
  @in.npy  @photo.png           an array from a file; a picture is u8 (rows, columns[, 3 or 4])
  zeros:f32:1000x3  ones:T:N    an array of zeros, of ones
  full:f32:10:inf               of one value
  arange:i32:10                 0, 1, 2, ... in C order
  uniform:f32:1000x3:seed=1     random numbers from 0 to 1 (integers: of the whole range)
  xoroshiro:1000:seed=1         random states of Numba: u64, (1000, 2), or that many records; start=N: of later streams
  like:x  copy:x                zeros of the type and extents of argument x; a copy of it
  [1,2,3]  i32:[[1,2],[3,4]]    an array of these numbers
  x  u=x  n=x[0]                behind --then: the array that a stage before named x; an element of it

Each stage, of those that --then separates, has its own --grid, --over, --block, --shared, -o, --print and --expect; all
other options are for the whole run. An array has the name of the parameter that it was first given for.
)";
  return text;
}

std::string help_text() {
  return fmt::format(R"(kernc compiles and runs kernels written in Kern.

  {}
  {}
  {}
  kernc explain CODE            say what an error means, with an example
  kernc builtins [NAME]         list what the language has built in
  kernc devices                 list what kernels can run on here
  kernc doctor                  say what kernc finds on this machine
  kernc cache info|explain|clear
                                say what the cache of compiled CPU code holds; empty it

  kernc help [run|check]        print this, or what `run` or `check` takes

Exit codes: 0 done; 1 the source is wrong; 2 the command line, an argument or a contract is wrong; 3 a device, driver or
tool is missing or failed; 4 the kernel faulted; 5 --expect or two devices differ; 6 --timeout ended a launch; 70 a bug
in kernc.

Options to compile:
{}
Options of `kernc run`: see kernc run --help

Warnings, for -Wno-NAME and -Werror=NAME; `kernc explain NAME` says more:
{})",
                     usage(Command::Compile), usage(Command::Check), usage(Command::Run),
                     help_text(Command::Compile).substr(help_text(Command::Compile).find("\n\n") + 2),
                     warnings_text());
}

} // namespace kern
