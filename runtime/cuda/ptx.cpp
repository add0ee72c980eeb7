// The versions are those of the PTX manual's release history. A driver newer than the last row is asked
// itself.
#include "runtime/cuda/ptx.h"

#include <cstdlib>
#include <utility>

namespace kern::cuda {

namespace {

struct Release {
  int driver; // the first version of the driver's interface
  int ptx;    // that takes PTX up to this: 78 is 7.8
};

constexpr Release releases[] = {{9000, 60},  {9010, 61},  {9020, 62},  {10000, 63}, {10010, 64},
                                {10020, 65}, {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73},
                                {11040, 74}, {11050, 75}, {11060, 76}, {11070, 77}, {11080, 78},
                                {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
                                {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}};

// Returns the operand of a directive of PTX: "8.0" of ".version 8.0".
std::string_view directive(std::string_view ptx, std::string_view name) {
  std::size_t begin = ptx.find(name);
  if (begin == ptx.npos) return "";
  begin = ptx.find_first_not_of(" \t", begin + name.size());
  return begin == ptx.npos ? "" : ptx.substr(begin, ptx.find_first_of(" \t\r\n,", begin) - begin);
}

// 78 of "7.8"; 0 where it is none.
int version_number(std::string_view text) {
  std::size_t dot = text.find('.');
  if (dot == text.npos) return 0;
  return 10 * std::atoi(std::string(text.substr(0, dot)).c_str()) +
         std::atoi(std::string(text.substr(dot + 1)).c_str());
}

std::string ptx_text(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

} // namespace

std::string version_text(int driver_version) {
  return std::to_string(driver_version / 1000) + "." + std::to_string(driver_version % 1000 / 10);
}

static std::string version_refusal(int version, const DeviceFacts& facts) {
  int newest = 0;
  const Release* wanted = nullptr;
  for (const Release& release : releases) {
    if (release.driver <= facts.driver_version) newest = release.ptx;
    if (!wanted && release.ptx >= version) wanted = &release;
  }
  bool unknown = std::end(releases)[-1].driver < facts.driver_version;
  if (unknown || version <= newest) return "";
  return "the PTX is of version " + ptx_text(version) + ", and the driver of " + facts.name + ", CUDA " +
         version_text(facts.driver_version) +
         (newest > 0 ? ", takes versions up to " + ptx_text(newest) : ", is too old for it") +
         (wanted ? ": install a driver for CUDA " + version_text(wanted->driver) + " or newer" : "");
}

// 90 of "sm_90" and of "sm_90a"; 0 where it is no name of an architecture.
static int arch_number(std::string_view arch) {
  return arch.starts_with("sm_") ? std::atoi(std::string(arch.substr(3)).c_str()) : 0;
}

// Says whether code uses features of one architecture alone: its name then has a letter at its end.
static bool is_specific(std::string_view arch) {
  return !arch.empty() && (arch.back() < '0' || arch.back() > '9');
}

bool runs_cubin(std::string_view arch, const DeviceFacts& facts) {
  int made_for = arch_number(arch), there = 10 * facts.major + facts.minor;
  if (is_specific(arch)) return made_for == there;
  return made_for / 10 == facts.major && made_for <= there;
}

bool is_newer(std::string_view left, std::string_view right) {
  return std::pair(arch_number(left), is_specific(left)) > std::pair(arch_number(right), is_specific(right));
}

static std::string target_refusal(std::string_view target, const DeviceFacts& facts) {
  int wanted = arch_number(target), there = 10 * facts.major + facts.minor;
  bool only_there = is_specific(target);
  if (only_there ? wanted == there : wanted <= there) return "";
  std::string arch = "sm_" + std::to_string(there);
  return "the PTX is for " + std::string(target) + ", and " + facts.name + " is " + arch +
         ": compile it with --arch=" + arch + (only_there ? "" : " or an older one");
}

std::string refusal(std::string_view ptx, const DeviceFacts& facts) {
  std::string text = target_refusal(directive(ptx, ".target"), facts);
  return text.empty() ? version_refusal(version_number(directive(ptx, ".version")), facts) : text;
}

} // namespace kern::cuda
