// Modules on the disk: a file has one name, by whatever imports it is reached.
#include "compiler/driver/session/modules.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace kern;
namespace fs = std::filesystem;

namespace {

// A package `top` of three folders, each with two files, in a folder of its own that is also the current one. Folders
// without files lie around it, so that no import leads to what others keep beside the temporary files.
class Packages : public testing::Test {
protected:
  void SetUp() override {
    before_ = fs::current_path();
    outermost_ = fs::temp_directory_path() / ("kern_modules_" + std::to_string(getpid()));
    root_ = outermost_ / "around" / "it";
    for (const char* folder : {"top", "top/left", "top/left/inner", "top/right"}) {
      fs::create_directories(root_ / folder);
      for (const char* file : {"__init__.py", "a.py", "b.py"})
        std::ofstream(root_ / folder / file) << "# " << folder << "/" << file << "\n";
    }
    fs::current_path(root_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(outermost_);
  }

  // Follows every import of every module from every file that is reached, and returns the names by what stands in the file.
  static std::map<std::string, std::set<std::string>> reach(const std::string& root, std::size_t most) {
    std::vector<std::string> modules;
    for (const char* head : {".", "..", "...", "top.", ".left.", "..left.", "...left.", "..right.",
                             "...right.", "..left.inner.", "...left.inner.", "top.left.inner.", "top.right."})
      for (const char* file : {"a", "b"}) modules.push_back(head + std::string(file));
    const FindModule find = find_on_disk({});
    std::map<std::string, std::set<std::string>> names;
    std::set<std::string> seen{root};
    std::deque<std::string> open{root};
    while (!open.empty() && seen.size() <= most) {
      const std::string importer = open.front();
      open.pop_front();
      for (const std::string& module : modules) {
        std::optional<FoundFile> found = find(module, importer);
        if (!found) continue;
        names[found->text].insert(found->name);
        if (seen.insert(found->name).second) open.push_back(found->name);
      }
    }
    return names;
  }

  fs::path outermost_, root_, before_;
};

} // namespace

TEST_F(Packages, FilesThatImportEachOtherHaveOneNameEach) {
  for (const std::string& root : {std::string("top/left/inner/a.py"),
                                  (root_ / "top/left/inner/a.py").string(), std::string("top/right/b.py")}) {
    auto names = reach(root, 100);
    EXPECT_EQ(names.size(), 8u) << root;
    for (const auto& [text, of_file] : names)
      EXPECT_EQ(of_file.size(), 1u) << root << ": " << *of_file.rbegin();
  }
}

// Only the file that the walk begins with keeps the name that was given.
TEST_F(Packages, NamesAreTheShortestFromTheCurrentFolder) {
  for (const auto& [text, of_file] : reach("./top/a.py", 100)) {
    std::set<std::string> names = of_file;
    names.erase("./top/a.py");
    EXPECT_LE(names.size(), 1u) << text << *of_file.rbegin();
  }
  fs::current_path(root_ / "top" / "left");
  for (const auto& [text, of_file] : reach("a.py", 100))
    EXPECT_EQ(of_file.size(), 1u) << text << *of_file.rbegin();
}
