// Processes killed, disks full, many writers at once: a find gives the right payload or nothing, and the next
// store works as if nothing had been.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "folder_fixture.h"

namespace kern::cache {

using Failures = Folder;

// More than one piece of a write.
static constexpr std::size_t large = 200 << 10;

static void store(Cache& cache, int number) {
  cache.store(key_of(number), description(), payload_of(number, large));
}

// Nothing is found, or what was stored.
static bool is_right(Cache& cache, int number) {
  std::optional<std::string> found = cache.find(key_of(number));
  return !found || *found == payload_of(number, large);
}

static bool is_there(Cache& cache, int number) {
  return cache.find(key_of(number)) == payload_of(number, large);
}

// How many temporary files lie about.
static std::size_t leftovers(const std::string& path) {
  std::string why;
  File folder = open_folder(path, false, why);
  std::size_t count = 0;
  for (const FileInfo& file : list_files(folder)) count += file.temporary;
  return count;
}

// Calls `at` before step `number` of every store from now on.
static void at_step(Cache& cache, int number, std::function<int()> at) {
  cache.on_step = [left = number, at = std::move(at)](Step) mutable { return left-- == 0 ? at() : 0; };
}

// Returns how many steps there are in a store that removes another entry.
static int count_steps(Cache& cache) {
  int steps = 0;
  cache.on_step = [&](Step) { return ++steps, 0; };
  store(cache, 1);
  steps = 0;
  store(cache, 2);
  cache.on_step = nullptr;
  return steps;
}

static constexpr std::uint64_t room_for_one = large + 4096;

TEST_F(Failures, OutlivesAProcessKilledAtAnyStep) {
  int steps = count_steps(*open(room_for_one));
  ASSERT_EQ(steps, 7); // create, four pieces, rename, remove
  for (int step = 0; step < steps; ++step) {
    int status = in_child([&] {
      auto cache = open(room_for_one);
      at_step(*cache, step, [] { return kill(getpid(), SIGKILL); });
      store(*cache, 3);
    });
    ASSERT_TRUE(WIFSIGNALED(status)) << step;
    auto cache = open(room_for_one);
    EXPECT_TRUE(is_right(*cache, 3)) << step;
    store(*cache, 3);
    EXPECT_TRUE(is_there(*cache, 3)) << step;
    cache->drop(key_of(3));
    store(*cache, 2); // so that the next one has something to remove
  }
  EXPECT_GT(leftovers(path), 0u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Failures, RemovesWhatWasLeftAnHourAgo) {
  store(*open(), 1);
  write_file(path + "/.new-1", "cut short");
  write_file(path + "/.new-2", "cut short long ago");
  timespec times[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (path + "/.new-2").c_str(), times, 0), 0);
  store(*open(), 2);
  EXPECT_TRUE(std::filesystem::exists(path + "/.new-1"));
  EXPECT_FALSE(std::filesystem::exists(path + "/.new-2"));
}

TEST_F(Failures, WarnsOnceWhereAStepFails) {
  int steps = count_steps(*open(room_for_one));
  for (int step = 0; step < steps; ++step)
    for (int code : {ENOSPC, EIO}) {
      warnings.clear();
      auto cache = open(room_for_one);
      at_step(*cache, step, [=] { return code; });
      store(*cache, 3);
      EXPECT_TRUE(is_right(*cache, 3));
      ASSERT_EQ(warnings.size(), 1u) << step;
      EXPECT_NE(warnings[0].find(path + " cannot be written: " + std::strerror(code)), std::string::npos);
      EXPECT_EQ(leftovers(path), 0u) << step;
      store(*cache, 3);
      EXPECT_TRUE(is_there(*cache, 3)) << step;
      cache->drop(key_of(3));
      store(*cache, 2);
    }
}

TEST_F(Failures, OutlivesALimitOnTheSizeOfFiles) {
  int status = in_child([&] {
    rlimit most{large / 2, large / 2};
    setrlimit(RLIMIT_FSIZE, &most);
    auto cache = open();
    store(*cache, 1);
    bool right = warnings.size() == 1 && warnings[0].find(std::strerror(EFBIG)) != std::string::npos;
    _exit(right && !cache->find(key_of(1)) ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(leftovers(path), 0u);
}

// Gives this process a full file system of its own where the folder is; false where the system does not let
// it.
static bool mount_small(const std::string& path) {
  std::filesystem::create_directory(path);
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return mount("tmpfs", path.c_str(), "tmpfs", 0, "size=128k,mode=700") == 0;
}

TEST_F(Failures, OutlivesAFullDisk) {
  int status = in_child([&] {
    if (!mount_small(path)) _exit(2);
    auto cache = open();
    store(*cache, 1); // does not fit
    bool refused = warnings.size() == 1 && warnings[0].find(std::strerror(ENOSPC)) != std::string::npos;
    cache->store(key_of(2), description(), payload_of(2)); // fits, because nothing is left of the other one
    _exit(refused && !cache->find(key_of(1)) && cache->find(key_of(2)) == payload_of(2) ? 0 : 1);
  });
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no file system of its own for this process";
  EXPECT_EQ(status, 0);
}

TEST_F(Failures, ReadsAFolderThatItCannotWrite) {
  ASSERT_EQ(chmod(top.c_str(), 0777), 0);
  int status = in_child([&] {
    // Root can write everywhere.
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setresuid(nobody, nobody, nobody) != 0)) _exit(2);
    auto cache = open();
    store(*cache, 1);
    if (!is_there(*cache, 1) || !warnings.empty()) _exit(1);
    chmod(path.c_str(), 0500);
    store(*cache, 2);
    bool right = warnings.size() == 1 && is_there(*cache, 1) && !cache->find(key_of(2));
    chmod(path.c_str(), 0700);
    _exit(right ? 0 : 1);
  });
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this process cannot become another user";
  EXPECT_EQ(status, 0);
}

// Stores and finds for a while; says whether every payload was right and nobody was warned.
static bool work(Cache& cache, int process, int rounds) {
  bool right = true;
  int warned = 0;
  cache.on_warning = [&](const std::string&) { ++warned; };
  for (int round = 0; round < rounds; ++round)
    for (int number : {round % 3, 100 * process + round % 5}) {
      store(cache, number);
      right &= is_right(cache, number) && is_right(cache, (number + 1) % 3);
      if (round % 7 == process % 7) cache.drop(key_of(number));
    }
  return right && warned == 0;
}

TEST_F(Failures, ServesEightProcessesAtOnce) {
  constexpr int processes = 8, rounds = 20;
  // Room for all, and room for so few that they are always removed.
  for (std::uint64_t limit : {std::uint64_t(1) << 30, 4 * room_for_one}) {
    std::vector<pid_t> children;
    for (int process = 1; process <= processes; ++process) {
      pid_t child = fork();
      if (child == 0) _exit(work(*open(limit), process, rounds) ? 0 : 1);
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(leftovers(path), 0u);
  }
}

} // namespace kern::cache
