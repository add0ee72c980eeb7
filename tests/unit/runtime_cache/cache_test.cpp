// Tests what the cache does while nothing is wrong, and what it refuses to believe.
#include "runtime/cache/cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "folder_fixture.h"
#include "runtime/cache/inspect.h"

namespace kern::cache {

using CacheTest = Folder;

// Says that a key has its payload, or none.
static void expect_found(Cache& cache, int number, bool is_there, std::size_t bytes = 1000) {
  std::optional<std::string> found = cache.find(key_of(number));
  EXPECT_EQ(found.has_value(), is_there) << number;
  if (found) {
    EXPECT_EQ(*found, payload_of(number, bytes));
  }
}

TEST_F(CacheTest, FindsWhatWasStored) {
  expect_found(*open(), 1, false);
  EXPECT_FALSE(std::filesystem::exists(path)); // looking makes nothing
  open()->store(key_of(1), description(), payload_of(1));
  expect_found(*open(), 1, true);
  expect_found(*open(), 2, false);
  open()->drop(key_of(1));
  expect_found(*open(), 1, false);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, IsPrivate) {
  mode_t before = umask(0);
  open()->store(key_of(1), description(), payload_of(1));
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(file(key_of(1)).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(CacheTest, MakesTheFoldersAboveIt) {
  path = top + "/a/b/c";
  open()->store(key_of(1), description(), payload_of(1));
  expect_found(*open(), 1, true);
}

TEST_F(CacheTest, DoesNothingWhereItIsOff) {
  Settings off = settings();
  off.on = false;
  off.problem = "nobody hears of it";
  Cache cache(off);
  cache.store(key_of(1), description(), payload_of(1));
  expect_found(cache, 1, false);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CacheTest, RemovesWhatWasNotUsedForLongest) {
  // Room for three.
  std::uint64_t limit = 3 * encode(key_of(0), description(), payload_of(0)).size() + 500;
  auto cache = open(limit);
  for (int number = 0; number < 3; ++number) {
    cache->store(key_of(number), description(), payload_of(number));
    timespec times[2] = {{1000 + number, 0}, {1000 + number, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file(key_of(number)).c_str(), times, 0), 0);
  }
  expect_found(*cache, 0, true); // is used now
  cache->store(key_of(3), description(), payload_of(3));
  expect_found(*cache, 1, false);
  for (int number : {0, 2, 3}) expect_found(*cache, number, true);
  cache->store(key_of(4), description(), payload_of(4, limit)); // more than there may be of all
  expect_found(*cache, 4, false);
  for (int number : {0, 2, 3}) expect_found(*cache, number, true);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(CacheTest, RemovesWhatIsTooManyEntries) {
  Settings few = settings();
  few.most_entries = 2;
  Cache cache(few);
  for (int number = 0; number < 3; ++number) {
    cache.store(key_of(number), description(), payload_of(number));
    timespec times[2] = {{1000 + number, 0}, {1000 + number, 0}};
    utimensat(AT_FDCWD, file(key_of(number)).c_str(), times, 0);
  }
  expect_found(cache, 0, false);
  for (int number : {1, 2}) expect_found(cache, number, true);
}

TEST_F(CacheTest, LooksForWhatIsTooMuchNowAndThen) {
  Settings rare = settings();
  rare.most_entries = 1;
  rare.stores_a_sweep = 256;
  Cache cache(rare);
  auto count = [&] {
    std::string why;
    return list(path, false, why).size();
  };
  std::size_t most = 0;
  int number = 0;
  do {
    cache.store(key_of(number), description(), payload_of(number));
    most = std::max(most, count());
  } while (key_of(number++)[0] != 0);
  EXPECT_GT(most, 1u);
  EXPECT_EQ(count(), 1u);
}

TEST_F(CacheTest, TakesAnEntryForAnotherOnesOnlyByItsKey) {
  open()->store(key_of(1), description(), payload_of(1));
  std::filesystem::rename(file(key_of(1)), file(key_of(2)));
  expect_found(*open(), 2, false);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(CacheTest, WarnsOnceOfADamagedEntryAndReplacesIt) {
  auto cache = open();
  cache->store(key_of(1), description(), payload_of(1));
  write_file(file(key_of(1)), "damaged");
  expect_found(*cache, 1, false);
  expect_found(*cache, 1, false);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(file(key_of(1)) + " is damaged; kernels are built again"), std::string::npos);
  cache->store(key_of(1), description(), payload_of(1));
  expect_found(*cache, 1, true);
}

TEST_F(CacheTest, FindsNothingInAFileCutOrChangedAnywhere) {
  open()->store(key_of(1), description(), payload_of(1));
  std::string whole = read_file(file(key_of(1)));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::fstream stream(file(key_of(1)), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(~whole[at])).flush();
    expect_found(*open(), 1, false);
    stream.seekp(static_cast<std::streamoff>(at)).put(whole[at]).flush();
  }
  expect_found(*open(), 1, true);
  for (std::size_t bytes = whole.size(); bytes-- > 0;) {
    std::filesystem::resize_file(file(key_of(1)), bytes);
    expect_found(*open(), 1, false);
  }
  EXPECT_EQ(warnings.size(), 2 * whole.size());
}

TEST_F(CacheTest, RefusesAFolderThatOthersCanWrite) {
  open()->store(key_of(1), description(), payload_of(1));
  for (mode_t mode : {0770, 0707, 0777}) {
    warnings.clear();
    chmod(path.c_str(), mode);
    auto cache = open();
    expect_found(*cache, 1, false);
    cache->store(key_of(2), description(), payload_of(2));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(path + " can be written by others"), std::string::npos) << warnings[0];
  }
  chmod(path.c_str(), 0755);
  expect_found(*open(), 1, true);
  expect_found(*open(), 2, false);
}

TEST_F(CacheTest, RefusesAnEntryThatOthersCanWrite) {
  open()->store(key_of(1), description(), payload_of(1));
  chmod(file(key_of(1)).c_str(), 0666);
  expect_found(*open(), 1, false);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("can be written by others"), std::string::npos) << warnings[0];
  open()->store(key_of(1), description(), payload_of(1));
  expect_found(*open(), 1, true);
}

TEST_F(CacheTest, RefusesSymbolicLinks) {
  open()->store(key_of(1), description(), payload_of(1));
  std::filesystem::rename(file(key_of(1)), top + "/elsewhere");
  std::filesystem::create_symlink(top + "/elsewhere", file(key_of(1)));
  expect_found(*open(), 1, false);
  open()->store(key_of(1), description(), payload_of(1));
  expect_found(*open(), 1, true);
  std::filesystem::rename(path, top + "/real");
  std::filesystem::create_directory_symlink(top + "/real", path);
  expect_found(*open(), 1, false);
  open()->store(key_of(2), description(), payload_of(2));
  ASSERT_EQ(warnings.size(), 3u);
  for (const std::string& text : warnings)
    EXPECT_NE(text.find("is a symbolic link"), std::string::npos) << text;
}

TEST_F(CacheTest, RefusesWhatIsNoFile) {
  open()->store(key_of(1), description(), payload_of(1));
  ASSERT_EQ(mkfifo(file(key_of(2)).c_str(), 0600), 0);
  expect_found(*open(), 2, false); // and does not wait for a writer
  std::filesystem::create_directory(file(key_of(3)));
  expect_found(*open(), 3, false);
  open()->store(key_of(3), description(), payload_of(3));
  EXPECT_EQ(warnings.size(), 3u);
  path = file(key_of(1)); // a file where the folder should be
  expect_found(*open(), 1, false);
  EXPECT_EQ(warnings.size(), 4u);
}

TEST_F(CacheTest, RefusesWhatIsTooLarge) {
  open()->store(key_of(1), description(), payload_of(1));
  std::filesystem::resize_file(file(key_of(1)), std::uint64_t(1) << 40); // takes no space
  expect_found(*open(), 1, false);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("is too large"), std::string::npos) << warnings[0];
  open()->store(key_of(1), description(), payload_of(1));
  expect_found(*open(), 1, true);
}

TEST_F(CacheTest, RefusesAForeignOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t other = 12345;
  open()->store(key_of(1), description(), payload_of(1));
  ASSERT_EQ(chown(file(key_of(1)).c_str(), other, other), 0);
  expect_found(*open(), 1, false);
  open()->store(key_of(1), description(), payload_of(1));
  expect_found(*open(), 1, true);
  ASSERT_EQ(chown(path.c_str(), other, other), 0);
  expect_found(*open(), 1, false);
  open()->store(key_of(1), description(), payload_of(1));
  ASSERT_EQ(warnings.size(), 3u);
  for (const std::string& text : warnings)
    EXPECT_NE(text.find("belongs to user 12345, and this is user 0"), std::string::npos) << text;
}

TEST_F(CacheTest, ListsAndClearsItsOwnFilesOnly) {
  std::string why;
  EXPECT_TRUE(list(path, true, why).empty());
  EXPECT_EQ(why, "");
  for (int number : {1, 2}) open()->store(key_of(number), description(), payload_of(number));
  write_file(file(key_of(2)), "damaged");
  write_file(path + "/.new-1", "cut short");
  write_file(path + "/mine.txt", "not the cache's");
  write_file(path + "/" + std::string(64, 'x') + ".kern", "nor this");
  std::vector<Listed> rows = list(path, true, why);
  ASSERT_EQ(rows.size(), 3u);
  for (const Listed& row : rows) EXPECT_EQ(row.description.has_value(), row.name == file_name(key_of(1)));
  EXPECT_EQ(clear(path, why).size(), 3u);
  EXPECT_EQ(why, "");
  EXPECT_TRUE(std::filesystem::exists(path + "/mine.txt"));
  EXPECT_TRUE(list(path, true, why).empty());
}

// ---- The environment ----

struct Environment : testing::Test {
  static constexpr const char* names[] = {"KERN_CACHE", "KERN_CACHE_DIR", "KERN_CACHE_MAX_MB",
                                          "XDG_CACHE_HOME", "HOME"};
  Environment() {
    for (const char* name : names) {
      before.emplace_back(std::getenv(name) ? std::getenv(name) : "");
      unsetenv(name);
    }
  }
  ~Environment() override {
    for (std::size_t i = 0; i < before.size(); ++i) setenv(names[i], before[i].c_str(), 1);
  }
  std::vector<std::string> before;
};

TEST_F(Environment, NamesTheFolder) {
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(environment_settings().folder, "/home/me/.cache/kern");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(environment_settings().folder, "/home/me/.cache/kern");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(environment_settings().folder, "/xdg/kern");
  setenv("KERN_CACHE_DIR", "/own//", 1);
  EXPECT_EQ(environment_settings().folder, "/own");
  EXPECT_EQ(environment_settings().problem, "");
}

TEST_F(Environment, MayNameNoFolder) {
  std::vector<std::string> warnings;
  Cache cache(environment_settings());
  cache.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  EXPECT_FALSE(cache.find(key_of(1)));
  cache.store(key_of(1), description(), "payload");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("KERN_CACHE_DIR, XDG_CACHE_HOME and HOME are not set"), std::string::npos);
}

TEST_F(Environment, SetsLimitAndUse) {
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(environment_settings().limit, std::uint64_t(1) << 30);
  setenv("KERN_CACHE_MAX_MB", "5", 1);
  EXPECT_EQ(environment_settings().limit, 5u << 20);
  for (const char* wrong : {"-1", "1e3", "99999999999999999999", "5 "}) {
    setenv("KERN_CACHE_MAX_MB", wrong, 1);
    EXPECT_NE(environment_settings().problem.find(wrong), std::string::npos);
  }
  unsetenv("KERN_CACHE_MAX_MB");
  setenv("KERN_CACHE", "off", 1);
  EXPECT_FALSE(environment_settings().on);
  setenv("KERN_CACHE", "maybe", 1);
  EXPECT_NE(environment_settings().problem.find("`maybe`"), std::string::npos);
}

} // namespace kern::cache
