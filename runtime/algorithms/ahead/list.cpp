// Compiles what of the library is compiled ahead of time: kern_compile_ahead KERNC FOLDER JOBS writes objects to the folder, `objects.rsp`
// with their names, and `table.cpp`, which the host side finds them by. It makes the plans of calls of the types below, as
// programs do, so that a kernel of a call is found if and only if that call stands here.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/plans/arrays.h"
#include "runtime/plans/table.h"

namespace {

using namespace kern::algorithms;

// An algorithm, and the types of its arguments, one combination behind the other.
struct Calls {
  const char *algorithm, *types;
};

constexpr Calls calls[] = {
    {"reduce", "f32 f32, f64 f64, i32 i64, i64 i64"},
    {"argmin", "f32 f32 i64, i32 i32 i64"},
    {"argmax", "f32 f32 i64, i32 i32 i64"},
    {"inclusive_scan", "f32 f32, f64 f64, i32 i64, i64 i64"},
    {"exclusive_scan", "f32 f32, i32 i64, i64 i64"},
    {"reduce_by_key", "i32 f32 i32 f32 i64"},
    {"run_length_encode", "i32 i32 i64 i64"},
    {"copy_if", "f32 f32 i64, i32 i32 i64"},
    {"copy_flagged", "f32 u8 f32 i64, i32 u8 i32 i64"},
    {"unique", "i32 i32 i64, i64 i64 i64"},
    {"sort", "f32, f64, i32, i64, u32, f32 f32, f64 f64, i32 i32, i64 i64, u32 u32"},
    {"sort_by_key", "f32 u32, i32 u32, u32 u32, i64 u32"},
    {"argsort", "f32 i32, i32 i32, u32 i32, i64 i32"},
    {"segmented_reduce", "f32 i64 f32, i32 i64 i64"},
    {"histogram_even", "f32 f64 f64 i64"},
    {"bincount", "i32 i64"},
    {"lower_bound", "f32 f32 i64, i32 i32 i64"},
    {"upper_bound", "f32 f32 i64, i32 i32 i64"},
    {"fill", "f32 f32, f64 f64, i32 i32, i64 i64"},
    {"sequence", "f32 f32 f32, i32 i32 i32, i64 i64 i64"},
    {"gather", "u32 i32 u32, u64 i32 u64, u32 i64 u32, u64 i64 u64"},
    {"scatter", "u32 i32 u32, u32 i64 u32"},
    {"reverse", "u32 u32, u64 u64"},
    {"transpose", "u32 u32, u64 u64"},
};

std::uint32_t type_of(const std::string& name) {
  std::uint32_t type = 0;
  while (type_name(type) != name && type <= KERN_C128) ++type;
  return type;
}

kern_argument argument_for(const Parameter& parameter, const std::string& type, std::int64_t n,
                           std::int64_t m) {
  kern_argument argument{};
  argument.type = type_of(type);
  if (parameter.role == Role::Number) return argument;
  argument.kind = KERN_ARRAY;
  argument.writable = parameter.role != Role::In;
  argument.rank = parameter.size == Size::AnyShape ? 2 : 1;
  const bool is_counts =
      parameter.size == Size::Any && parameter.role == Role::Out && parameter.element == Element::Integer;
  argument.extents[0] = parameter.size == Size::One              ? 1
                        : parameter.size == Size::MoreThanM      ? m + 1
                        : parameter.size == Size::M || is_counts ? m
                                                                 : n;
  argument.extents[1] = 1;
  return argument;
}

// The signatures of each module with certain constants.
using Groups = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

void add(const Plan& plan, std::span<const kern_argument> arguments, Groups& groups) {
  std::set<std::string>& signatures = groups[{plan.module, joined(plan.defines)}];
  for (const Step& step : plan.steps) signatures.insert(signature_of(plan, step, arguments, false));
}

Groups all_groups() {
  // How many elements come to one result is what a plan depends on besides types.
  constexpr std::int64_t sizes[][2] = {{10'000'000, 10}, {10'000'000, 1'000'000}};
  Groups groups;
  for (const Calls& each : calls) {
    const Algorithm& algorithm = *find_algorithm(each.algorithm);
    std::istringstream combinations(each.types);
    for (std::string combination; std::getline(combinations, combination, ',');)
      for (const auto& [n, m] : sizes) {
        std::vector<kern_argument> arguments;
        std::istringstream types(combination);
        for (std::string type; types >> type;)
          arguments.push_back(argument_for(algorithm.all()[arguments.size()], type, n, m));
        move_as_words(algorithm, arguments);
        add(make_plan(algorithm, arguments, {}), arguments, groups);
      }
  }
  return groups;
}

std::string quoted(const std::string& word) { return "'" + word + "'"; }

} // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: kern_compile_ahead KERNC FOLDER JOBS\n", stderr);
    return 2;
  }
  const std::string kernc = words[1], folder = words[2];
  const Groups groups = all_groups();
  std::vector<std::string> commands;
  std::ofstream table(folder + "/table.cpp"), objects(folder + "/objects.rsp");
  table << "// Written by kern_compile_ahead.\n#include <array>\n\n#include "
           "\"runtime/algorithms/ahead/ahead.h\"\n\n";
  std::ostringstream rows;
  for (const auto& [key, signatures] : groups) {
    const std::string name = "ahead_" + std::to_string(commands.size()), object = folder + "/" + name + ".o";
    std::string command = quoted(kernc) + " std:" + key.first + " --arch=x86-64-v3 --namespace=" + name +
                          " -o " + quoted(object),
                lines;
    std::istringstream defines(key.second);
    for (std::string define; std::getline(defines, define, ',');) command += " -D " + quoted(define);
    for (const std::string& each : signatures) {
      command += " --sig " + quoted(each);
      lines += each + "\\n";
    }
    commands.push_back(std::move(command));
    objects << '"' << object << "\"\n";
    table << "extern \"C\" const kern_object kern_object_" << name << ";\n";
    rows << "    {\"" << key.first << "\", \"" << key.second << "\", \"" << lines << "\", &kern_object_"
         << name << "},\n";
  }
  table << "\nnamespace kern::algorithms {\n\nstd::span<const Ahead> compiled_ahead() {\n  static const "
           "std::array<Ahead, "
        << commands.size() << "> all = {{\n"
        << rows.str() << "  }};\n  return all;\n}\n\n} // namespace kern::algorithms\n";
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(words[3]); ++i)
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < commands.size(); at = next++)
        if (std::system(commands[at].c_str()) != 0) {
          std::fprintf(stderr, "failed: %.200s...\n", commands[at].c_str());
          failed = true;
        }
    });
  for (std::thread& each : threads) each.join();
  return failed || !table.flush() || !objects.flush() ? 1 : 0;
}
