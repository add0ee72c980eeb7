// Launches of a kernel that say much about it: numbers for its parameters and extents, which its contracts allow. First each
// is larger than every thread's number and differs from the others; what a run does with a number (`i % n`) asks for a
// smaller one. Private to lint/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/lint/block_run.h"

namespace kern {

class LaunchSamples {
public:
  LaunchSamples(const ir::Module& module, const ir::Function& kernel);

  struct Sample {
    BlockLaunch launch;
    std::string where; // "`y.size` is 12"; empty where all numbers are large
  };
  // Returns the launch in which all numbers are large; nothing where a contract of blocks and threads allows none such.
  std::optional<Sample> large(const std::array<std::int64_t, 3>& block);
  // Returns one that a use asks for; nothing where its number is no plain one.
  std::optional<Sample> smaller(const Sample& large, const LaunchUse& use) const;

private:
  struct Unknown {
    std::uint32_t slot;
    int axis; // -1 of a number
    Type type;
    std::string name;
    std::size_t same; // as which one: contracts say so
  };

  static std::array<std::int64_t, 3> grid_of(const ir::Module& module, const ir::Function& kernel);
  void find_unknowns();
  void join_equals(const Expression& condition);
  std::optional<std::size_t> unknown_of(const Expression& expression) const;
  void give(BlockLaunch& launch, std::size_t same, std::int64_t number) const;
  std::optional<std::int64_t> number_of(const BlockLaunch& launch, std::size_t unknown) const;
  bool holds(const Expression& condition, const BlockLaunch& launch) const;

  const ir::Function& kernel_;
  std::array<std::int64_t, 3> block_{1, 1, 1}, grid_{1, 1, 1};
  std::vector<Unknown> unknowns_;
  std::vector<bool> held_; // by contract: whether it holds where all numbers are large
};

} // namespace kern
