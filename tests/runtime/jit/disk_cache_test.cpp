// tests/runtime/jit/disk_cache_test.cpp - the cache by itself: what is stored comes back, damage
//   is named.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/disk_cache.hpp"

#include <chrono>
#include <thread>

#include "tests/runtime/jit/fixture.hpp"

namespace perdure::runtime::jit {
namespace {

class DiskCache : public in_folder {
 protected:
  disk_cache cache() const { return disk_cache{folder / "deep" / "cache"}; }
  hash128 key = hash128{}.text("key");
  cache_entry entry{{1, 2, 3, 0, 255}, "a log\nof two lines"};
};

TEST_F(DiskCache, GivesBackWhatWasStored) {
  EXPECT_FALSE(cache().load(key).entry);
  EXPECT_TRUE(cache().load(key).damage.empty());
  const auto stored = cache().store(key, entry);
  ASSERT_TRUE(stored) << stored.error().message();
  const auto found = cache().load(key);
  ASSERT_TRUE(found.entry) << found.damage;
  EXPECT_EQ(found.entry->cubin, entry.cubin);
  EXPECT_EQ(found.entry->log, entry.log);
}
TEST_F(DiskCache, NoSingleChangedByteGoesUnseen) {
  ASSERT_TRUE(cache().store(key, entry));
  const auto whole = slurp(cache().file_of(key));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    spill(cache().file_of(key), damaged);
    EXPECT_FALSE(cache().load(key).entry) << "byte " << i;
    EXPECT_FALSE(cache().load(key).damage.empty()) << "byte " << i;
  }
}
TEST_F(DiskCache, NoTruncationGoesUnseen) {
  ASSERT_TRUE(cache().store(key, entry));
  const auto whole = slurp(cache().file_of(key));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    spill(cache().file_of(key), whole.substr(0, n));
    EXPECT_FALSE(cache().load(key).entry) << n << " bytes";
    EXPECT_FALSE(cache().load(key).damage.empty()) << n << " bytes";
  }
}
TEST_F(DiskCache, AnEntryUnderAnotherKeysNameIsNotTaken) {
  ASSERT_TRUE(cache().store(key, entry));
  const auto other = hash128{}.text("other");
  std::filesystem::rename(cache().file_of(key), cache().file_of(other));
  EXPECT_FALSE(cache().load(other).entry);
  EXPECT_EQ(cache().load(other).damage, "holds another key");
}
TEST_F(DiskCache, AFolderInTheWayIsDamageAndNotACrash) {
  std::filesystem::create_directories(cache().file_of(key));
  EXPECT_FALSE(cache().load(key).damage.empty());
  const auto stored = cache().store(key, entry);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code(), errc::cannot_write);
  EXPECT_NE(stored.error().context().find(cache().file_of(key).string()), std::string::npos)
      << stored.error().context();
  for (const auto& e : std::filesystem::directory_iterator{cache().folder()})
    EXPECT_EQ(e.path(), cache().file_of(key));
}
TEST_F(DiskCache, AFolderWithoutPermissionIsSaidPlainly) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::permissions(
      folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto stored = cache().store(key, entry);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code(), errc::cannot_write);
  EXPECT_NE(stored.error().context().find("Permission denied"), std::string::npos)
      << stored.error().context();
}
TEST_F(DiskCache, WhatWasNotUsedForLongestGoesWhenTheFolderIsFull) {
  entry.cubin.assign(10'000, 7);
  const disk_cache small{folder / "small", 45'000};  // four of them
  const auto key_of = [](int i) { return hash128{}.text("key " + std::to_string(i)); };
  const auto is_there = [&](int i) { return std::filesystem::exists(small.file_of(key_of(i))); };
  const auto age = [&](int i, int hours) {
    std::filesystem::last_write_time(
        small.file_of(key_of(i)),
        std::filesystem::file_time_type::clock::now() - std::chrono::hours{hours});
  };
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(small.store(key_of(i), entry));
    age(i, 10 - i);
  }
  ASSERT_TRUE(small.load(key_of(0)).entry);  // now the one that was used last
  const auto theirs = folder / "small" / "kernel.cubin";
  spill(theirs, std::string(100'000, 'x'));
  const auto leftover = folder / "small" / (key.hex() + ".cubin.77.0.tmp");
  const auto under_way = folder / "small" / (key.hex() + ".cubin.78.0.tmp");
  for (const auto& file : {leftover, under_way}) spill(file, "half");
  for (const auto& file : {leftover, theirs}) {
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours{30});
  }
  ASSERT_TRUE(small.store(key_of(4), entry));
  EXPECT_TRUE(is_there(0));
  EXPECT_FALSE(is_there(1));
  for (int i = 2; i <= 4; ++i) EXPECT_TRUE(is_there(i)) << i;
  EXPECT_TRUE(std::filesystem::exists(theirs)) << "not an entry";
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(under_way));
  entry.cubin.assign(100'000, 7);
  ASSERT_TRUE(small.store(key_of(5), entry));
  EXPECT_TRUE(is_there(5)) << "too large, but the one that is needed now";
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(is_there(i)) << i;
}
TEST_F(DiskCache, ReadersNeverSeeAHalfWrittenEntryWhileWritersReplaceIt) {
  entry.cubin.assign(200'000, 7);
  ASSERT_TRUE(cache().store(key, entry));
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < 20; ++n) EXPECT_TRUE(cache().store(key, entry));
    });
  }
  for (int n = 0; n < 100; ++n) {
    const auto found = cache().load(key);
    ASSERT_TRUE(found.entry) << found.damage;
    ASSERT_TRUE(found.entry->cubin == entry.cubin);
  }
  for (auto& w : writers) w.join();
}
TEST_F(DiskCache, TheFolderIsTheNamedOneThenTheVariableThenTheHomes) {
  const environment set{"PERDURE_CACHE", "/var/here"}, home{"HOME", "/home/me"};
  EXPECT_EQ(disk_cache::folder_for("/named"), "/named");
  EXPECT_EQ(disk_cache::folder_for({}), "/var/here");
  const environment unset{"PERDURE_CACHE", nullptr};
  EXPECT_EQ(disk_cache::folder_for({}), "/home/me/.cache/perdure");
  const environment homeless{"HOME", nullptr};
  EXPECT_EQ(disk_cache::folder_for({}), "");
}

}  // namespace
}  // namespace perdure::runtime::jit
