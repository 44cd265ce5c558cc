// tests/runtime/jit/nvrtc_test.cpp - finding and loading NVRTC, and what is said where that fails.
// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/jit/fixture.hpp"

namespace perdure::runtime::jit {
namespace {

void expect_no_nvrtc(const char* named, const std::string& reason) {
  const environment set{"PERDURE_NVRTC", named};
  const auto made = compile(small_kernel, "small.cu", "sm_90", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), errc::no_nvrtc);
  EXPECT_NE(made.error().context().find(named), std::string::npos) << made.error().context();
  EXPECT_NE(made.error().context().find(reason), std::string::npos) << made.error().context();
  EXPECT_NE(made.error().message().find("set PERDURE_NVRTC"), std::string::npos)
      << made.error().message();
}

TEST(Nvrtc, AFileThatIsNotThereIsNamedAndNoOtherIsTaken) {
  expect_no_nvrtc("/nowhere/libnvrtc.so", "cannot open shared object file");
}
TEST(Nvrtc, ALibraryThatIsNotNvrtcIsRefused) {
  expect_no_nvrtc("libm.so.6", "not an NVRTC library");
}
TEST(Nvrtc, AVersionThatIsTooOldIsRefusedWithBothNumbers) {
  expect_no_nvrtc(FAKE_NVRTC_PATH, "is NVRTC 11.8, 13.0 or newer is needed");
}
TEST(Nvrtc, AFolderWithoutItIsNamed) { expect_no_nvrtc("/proc/self/task", "libnvrtc.so.13"); }

class FoundNvrtc : public with_nvrtc {};
TEST_F(FoundNvrtc, KnowsItsVersionItsPlaceAndItsArchitectures) {
  const auto found = nvrtc::open();
  ASSERT_TRUE(found);
  EXPECT_GE(found->major(), 13);
  EXPECT_TRUE(std::filesystem::exists(found->path())) << found->path();
  const auto archs = found->architectures();
  ASSERT_TRUE(archs);
  EXPECT_NE(std::find(archs->begin(), archs->end(), 90), archs->end());
}
TEST_F(FoundNvrtc, IsTakenFromAFolderThatIsNamed) {
  const auto first = nvrtc::open();
  const auto parent = std::filesystem::path{first->path()}.parent_path();
  if (parent.empty()) GTEST_SKIP() << "the loader does not say where it found " << first->path();
  const environment set{"PERDURE_NVRTC", parent.c_str()};
  const auto again = nvrtc::open();
  ASSERT_TRUE(again) << again.error().context();
  EXPECT_EQ(again->version(), first->version());
}

}  // namespace
}  // namespace perdure::runtime::jit
