// Tests what is said of the driver's own cache, by the environment and what lies in its folder.
#include "runtime/cuda/compute_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

using kern::cuda::ComputeCache;
using kern::cuda::inspect_compute_cache;

namespace {

constexpr const char* names[] = {"HOME", "CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE"};

struct ComputeCacheTest : testing::Test {
  void SetUp() override {
    char pattern[] = "/tmp/kern-compute-cache-XXXXXX";
    folder = mkdtemp(pattern);
    for (const char* name : names) {
      if (const char* value = std::getenv(name)) kept[name] = value;
      unsetenv(name);
    }
    setenv("HOME", folder.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder);
    for (const char* name : names) kept.contains(name) ? setenv(name, kept[name].c_str(), 1) : unsetenv(name);
  }
  std::string problem(const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
    return inspect_compute_cache().problem;
  }
  std::string folder;
  std::map<std::string, std::string> kept;
};

TEST_F(ComputeCacheTest, LiesAtHomeOrWhereTheEnvironmentSays) {
  EXPECT_EQ(inspect_compute_cache().folder, folder + "/.nv/ComputeCache");
  EXPECT_EQ(inspect_compute_cache().problem, "");
  setenv("CUDA_CACHE_PATH", (folder + "/other").c_str(), 1);
  EXPECT_EQ(inspect_compute_cache().folder, folder + "/other");
  EXPECT_EQ(inspect_compute_cache().problem, "");
  unsetenv("HOME");
  EXPECT_EQ(inspect_compute_cache().problem, "");
  setenv("CUDA_CACHE_PATH", "", 1);
  EXPECT_EQ(inspect_compute_cache().problem,
            "CUDA_CACHE_PATH is empty: set CUDA_CACHE_PATH to a folder that can be written");
  unsetenv("CUDA_CACHE_PATH");
  EXPECT_EQ(inspect_compute_cache().problem,
            "neither CUDA_CACHE_PATH nor HOME is set: set CUDA_CACHE_PATH to a folder that can be written");
  EXPECT_FALSE(std::filesystem::exists(folder + "/.nv")); // looking makes nothing
}

TEST_F(ComputeCacheTest, CountsItsFiles) {
  std::filesystem::create_directories(folder + "/.nv/ComputeCache/a/b");
  std::ofstream(folder + "/.nv/ComputeCache/index") << "12345";
  std::ofstream(folder + "/.nv/ComputeCache/a/b/code") << "1234567";
  std::filesystem::create_symlink("/dev/zero", folder + "/.nv/ComputeCache/a/zero");
  ComputeCache cache = inspect_compute_cache();
  EXPECT_EQ(cache.bytes, 12u);
  EXPECT_EQ(cache.files, 2u);
}

TEST_F(ComputeCacheTest, SaysWhereNothingCanBeWritten) {
  std::ofstream(folder + "/file") << "x";
  std::filesystem::create_symlink("nowhere/at/all", folder + "/dangling");
  for (std::string path : {"/dev/null", "/dev/null/cache", "/file", "/file/cache"}) {
    if (path.starts_with("/file")) path.insert(0, folder);
    std::string said = problem("CUDA_CACHE_PATH", path);
    EXPECT_TRUE(said.starts_with(path + " cannot be written (Not a directory")) << said;
  }
  std::string said = problem("CUDA_CACHE_PATH", folder + "/dangling");
  EXPECT_NE(said.find("cannot be written (No such file"), said.npos) << said;
  unsetenv("CUDA_CACHE_PATH");
  EXPECT_NE(problem("HOME", "/dev/null").find("/dev/null/.nv/ComputeCache cannot be written"), said.npos);
}

TEST_F(ComputeCacheTest, TakesAPathFromWhereTheProgramRuns) {
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  EXPECT_EQ(problem("CUDA_CACHE_PATH", "cache"), "");
  EXPECT_EQ(problem("CUDA_CACHE_PATH", "new/cache"), "");
  EXPECT_EQ(problem("CUDA_CACHE_PATH", "."), "");
  std::filesystem::current_path(before);
}

// The user who runs the tests may be one whom no mode stops.
TEST_F(ComputeCacheTest, SaysWhereThisUserMayNotWrite) {
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read);
  pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && seteuid(nobody) != 0) _exit(2);
    _exit(inspect_compute_cache().problem.find("cannot be written (Permission denied)") == std::string::npos);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

TEST_F(ComputeCacheTest, ReadsItsLimit) {
  EXPECT_FALSE(inspect_compute_cache().limit);
  struct Case {
    const char* text;
    std::uint64_t limit;
  };
  for (Case now : {Case{"1048576", 1u << 20}, {"268435456", 268435456}, {"9999999999999", 1ull << 32}}) {
    EXPECT_EQ(problem("CUDA_CACHE_MAXSIZE", now.text), "");
    EXPECT_EQ(inspect_compute_cache().limit, now.limit);
  }
  for (const char* small : {"0", "20000", "1048575"})
    EXPECT_NE(problem("CUDA_CACHE_MAXSIZE", small).find(" bytes, and larger modules"), std::string::npos);
  for (const char* wrong : {"much", "-1", "1G", " 1048576", "99999999999999999999999"})
    EXPECT_NE(problem("CUDA_CACHE_MAXSIZE", wrong).find("give a number of bytes"), std::string::npos)
        << wrong;
}

TEST_F(ComputeCacheTest, MayBeOff) {
  for (const char* value : {"1", "2"})
    EXPECT_EQ(problem("CUDA_CACHE_DISABLE", value), "CUDA_CACHE_DISABLE turns it off");
  for (const char* value : {"0", ""}) EXPECT_EQ(problem("CUDA_CACHE_DISABLE", value), "");
}

} // namespace
