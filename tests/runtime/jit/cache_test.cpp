// tests/runtime/jit/cache_test.cpp - compile() with its disk cache: hits, damage, folders, many
//   at the same time.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <thread>

#include "runtime/jit/disk_cache.hpp"
#include "tests/runtime/jit/fixture.hpp"

namespace perdure::runtime::jit {
namespace {

class Cache : public with_nvrtc {
 protected:
  cubin must(const compile_options& o, const std::string& source = small_kernel,
             const char* arch = "sm_90") {
    auto made = compile(source, "small.cu", arch, o);
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : cubin{};
  }
};

TEST_F(Cache, TheSecondCompileIsAHitWithTheSameBytesAndFigures) {
  const auto first = must(options()), second = must(options());
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(first.bytes == second.bytes);
  EXPECT_EQ(first.log, second.log);
  ASSERT_NE(second.function("twice"), nullptr);
  EXPECT_EQ(first.function("twice")->registers, second.function("twice")->registers);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Cache, EachOfSourceHeaderOptionArchitectureAndNameIsPartOfTheKey) {
  must(options());
  EXPECT_FALSE(must(options(), std::string{small_kernel} + " ").from_cache);
  EXPECT_FALSE(must(options(), small_kernel, "sm_80").from_cache);
  auto other = options();
  other.extra = {"-DX=1"};
  EXPECT_FALSE(must(other).from_cache);
  const header changed[] = {{"unused.cuh", "int unused;"}};
  auto headers = options();
  headers.headers = changed;
  EXPECT_FALSE(must(headers).from_cache);
  EXPECT_FALSE(compile(small_kernel, "renamed.cu", "sm_90", options())->from_cache);
  EXPECT_EQ(entries().size(), 6U);
}

TEST_F(Cache, ADamagedEntryIsCompiledAgainAndReported) {
  const auto good = must(options());
  const auto file = entries().at(0);
  const auto bytes = slurp(file);
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 1);
  for (const auto& damaged : {bytes.substr(0, bytes.size() - 1), bytes.substr(0, 20), std::string{},
                              flipped, bytes + "x", "PRDCUB00" + bytes.substr(8)}) {
    spill(file, damaged);
    warnings.clear();
    const auto again = must(options());
    EXPECT_FALSE(again.from_cache);
    EXPECT_TRUE(again.bytes == good.bytes);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find(file.string()), std::string::npos) << warnings[0];
    EXPECT_TRUE(slurp(file) == bytes) << "the entry was not made good";
    EXPECT_TRUE(must(options()).from_cache);
  }
}

TEST_F(Cache, AFolderThatCannotBeWrittenIsAWarningAndTheCompileGoesOn) {
  spill(folder / "cache", "a file where the folder should be");
  const auto made = must(options());
  EXPECT_FALSE(made.bytes.empty());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("is not kept"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find((folder / "cache").string()), std::string::npos) << warnings[0];
}

TEST_F(Cache, WithoutAWritableFolderTheLogOfAFailureIsKeptAmongTemporaryFiles) {
  spill(folder / "cache", "a file where the folder should be");
  const environment place{"TMPDIR", folder.c_str()};
  const auto made = compile("int f( {", "bad.cu", "sm_90", options());
  ASSERT_FALSE(made);
  const auto at = made.error().context().find("log: ");
  ASSERT_NE(at, std::string::npos) << made.error().context();
  EXPECT_FALSE(slurp(made.error().context().substr(at + 5)).empty());
}

TEST_F(Cache, WithoutAnyFolderThereIsAWarningAndNoCache) {
  const environment none{"PERDURE_CACHE", nullptr}, homeless{"HOME", nullptr};
  auto o = options();
  o.cache_dir.clear();
  EXPECT_FALSE(must(o).from_cache);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("PERDURE_CACHE"), std::string::npos) << warnings[0];
}

TEST_F(Cache, TurnedOffItNeitherReadsNorWrites) {
  auto o = options();
  o.use_cache = false;
  must(o);
  EXPECT_FALSE(must(o).from_cache);
  EXPECT_FALSE(std::filesystem::exists(o.cache_dir));
}

TEST_F(Cache, EightThreadsCompilingOneKeyAllGetTheSameAndLeaveOneWholeEntry) {
  std::vector<cubin> made(8);
  std::vector<std::thread> threads;
  auto o = options();
  o.on_warning = {};
  for (auto& one : made) {
    threads.emplace_back([&] { one = must(o); });
  }
  for (auto& t : threads) t.join();
  for (const auto& one : made) EXPECT_TRUE(one.bytes == made[0].bytes);
  EXPECT_EQ(entries().size(), 1U) << "temporaries were left behind";
  EXPECT_TRUE(must(options()).from_cache);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Cache, FourProcessesCompilingOneKeyLeaveOneWholeEntry) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto made = compile(small_kernel, "small.cu", "sm_90", options());
      ::_exit(made && !made->bytes.empty() && warnings.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries().size(), 1U);
  EXPECT_TRUE(must(options()).from_cache);
}

}  // namespace
}  // namespace perdure::runtime::jit
