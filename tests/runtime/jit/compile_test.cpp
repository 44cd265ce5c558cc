// tests/runtime/jit/compile_test.cpp - what comes out of a compile: code, figures, errors with
//   their log.
// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/jit/fixture.hpp"

namespace perdure::runtime::jit {
namespace {

class Compile : public with_nvrtc {};
class CompileFor : public Compile, public testing::WithParamInterface<const char*> {};

TEST_P(CompileFor, ASmallKernelBecomesACubinWithItsFigures) {
  const auto made = compile(small_kernel, "small.cu", GetParam(), options());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->arch, GetParam());
  ASSERT_GT(made->bytes.size(), 4U);
  EXPECT_EQ(std::string(made->bytes.begin(), made->bytes.begin() + 4),
            "\x7f"
            "ELF");
  const auto* kernel = made->function("twice");
  ASSERT_NE(kernel, nullptr) << made->log;
  EXPECT_TRUE(kernel->entry);
  EXPECT_GT(kernel->registers, 0U);
  EXPECT_EQ(kernel->spill_store_bytes, 0U);
  EXPECT_FALSE(made->from_cache);
  EXPECT_GT(made->compile_ms, 0.0);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}
INSTANTIATE_TEST_SUITE_P(Architectures, CompileFor, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return std::string{of.param}; });

TEST_F(Compile, AHotProgramMayHaveAsManyRegistersAsItsBlockLeavesAThread) {
  const std::string hot = "#define PERDURE_HOT 1\n" + std::string{small_kernel};
  using list = std::vector<std::string>;
  EXPECT_EQ(hot_options(hot, 512), list{"--maxrregcount=128"});
  EXPECT_EQ(hot_options(hot, 1024), list{"--maxrregcount=64"});
  EXPECT_EQ(hot_options(hot, 768), list{"--maxrregcount=80"});
  EXPECT_EQ(hot_options(hot, 32), list{"--maxrregcount=255"});
  EXPECT_EQ(hot_options(small_kernel, 512), list{});
  auto with = options();
  with.extra = hot_options(hot, 512);
  EXPECT_TRUE(compile(hot, "hot.cu", "sm_90", with));
}

TEST_F(Compile, AStackFrameAndSharedMemoryAreCounted) {
  const auto made = compile(
      "extern \"C\" __global__ void k(int* p, int n) { __shared__ int s[64]; int a[100]; s[n] = "
      "p[n];\n"
      "  for (int i = 0; i < 100; ++i) a[i] = p[i]; for (int i = 0; i < 100; ++i) a[p[i]] += i; "
      "p[0] = a[n] + s[n + 1]; }",
      "frame.cu", "sm_90", options());
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_NE(made->function("k"), nullptr);
  EXPECT_GE(made->function("k")->stack_bytes, 400U);
  EXPECT_GE(made->function("k")->deepest_stack_bytes, made->function("k")->stack_bytes);
  EXPECT_EQ(made->function("k")->shared_bytes, 256U);
}

TEST_F(Compile, TheEmbeddedHeadersAreFoundUnderTheirNames) {
  const auto made = compile(
      "#include \"kernels/unit.cuh\"\n#include <array>\n#include \"kernels/abi/ref_bits.cuh\"\n"
      "extern \"C\" __global__ void k(unsigned long long* p) { std::array<int, 2> a{1, 2};\n"
      "  p[0] = perdure::abi::make_ref(static_cast<unsigned>(a[1]), 2, 3, 4); }",
      "headers.cu", "sm_90", options());
  EXPECT_TRUE(made) << made.error().message();
}

TEST_F(Compile, ASyntaxErrorNamesTheUsersLineAndKeepsTheWholeLog) {
  const auto made = compile(
      "#include \"kernels/unit.cuh\"\n#line 41 \"/home/me/bank.hpp\"\nstruct a {};\nint f() { "
      "return cents; }\n",
      "bank.actors.cu", "sm_90", options());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), errc::compile_failed);
  const auto& context = made.error().context();
  EXPECT_NE(context.find("/home/me/bank.hpp(42): error: identifier \"cents\" is undefined"),
            std::string::npos)
      << context;
  const auto at = context.find("log: ");
  ASSERT_NE(at, std::string::npos) << context;
  const std::filesystem::path log = context.substr(at + 5);
  EXPECT_EQ(log.parent_path(), folder / "cache" / "failed");
  const auto text = slurp(log);
  EXPECT_NE(text.find("identifier \"cents\" is undefined"), std::string::npos) << text;
  EXPECT_NE(text.find("--gpu-architecture=sm_90"), std::string::npos) << text;
}

TEST_F(Compile, AFailureIsNotCached) {
  ASSERT_FALSE(compile("int f( {", "bad.cu", "sm_90", options()));
  const auto again = compile("int f( {", "bad.cu", "sm_90", options());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), errc::compile_failed);
}

TEST_F(Compile, AnArchitectureItDoesNotKnowIsRefusedWithThoseItKnows) {
  for (const char* wrong : {"sm_42", "sm_", "compute_90", "sm_9x", ""}) {
    const auto made = compile(small_kernel, "small.cu", wrong, options());
    ASSERT_FALSE(made) << wrong;
    EXPECT_EQ(made.error().code(), errc::unsupported) << wrong;
    EXPECT_NE(made.error().context().find("sm_90"), std::string::npos) << made.error().context();
  }
}

TEST_F(Compile, AnUnknownOptionIsABadOption) {
  auto o = options();
  o.extra = {"--no-such-option"};
  const auto made = compile(small_kernel, "small.cu", "sm_90", o);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), errc::bad_option);
  EXPECT_NE(made.error().context().find("--no-such-option"), std::string::npos)
      << made.error().context();
}

class CompileByAPlainNvrtc : public in_folder {
 protected:
  environment only{"PERDURE_NVRTC", PLAIN_NVRTC_PATH};
};
TEST_F(CompileByAPlainNvrtc, WhatOnlyMakesItFasterIsLeftOutWhereItIsNotKnown) {
  const auto made = compile(small_kernel, "small.cu", "sm_90", options());
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->bytes.size(), 1U);
  EXPECT_EQ(made->bytes[0], standard_options("sm_90").size());
}
TEST_F(CompileByAPlainNvrtc, AnOptionOfTheCallersIsStillABadOption) {
  auto with = options();
  with.extra = {"--no-such-option"};
  const auto made = compile(small_kernel, "small.cu", "sm_90", with);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), errc::bad_option);
  const auto tried = try_compile(small_kernel, "small.cu", "compute_90", with);
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().code(), errc::bad_option);
}
TEST_F(CompileByAPlainNvrtc, ATrialIsMadeWithoutTheQuickWayToo) {
  const auto tried = try_compile(small_kernel, "small.cu", "compute_90", options());
  ASSERT_TRUE(tried) << tried.error().message();
}

TEST_F(Compile, ATrialSaysWhatIsRefusedAndWarnsOfTheRest) {
  const auto tried = try_compile(small_kernel, "small.cu", "compute_90", options());
  ASSERT_TRUE(tried) << tried.error().message();
  EXPECT_EQ(*tried, "");
  const auto warned = try_compile("extern \"C\" __global__ void k() { int unused_here; }",
                                  "small.cu", "compute_90", options());
  ASSERT_TRUE(warned) << warned.error().message();
  EXPECT_NE(warned->find("unused_here"), std::string::npos) << *warned;
  const auto refused = try_compile("no_such_type x;", "small.cu", "compute_90", options());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), errc::compile_failed);
  EXPECT_NE(refused.error().context().find("no_such_type"), std::string::npos);
}

TEST_F(Compile, ATrialTakesVirtualArchitecturesOnlyAndACompileRealOnes) {
  const auto real = try_compile(small_kernel, "small.cu", "sm_90", options());
  ASSERT_FALSE(real);
  EXPECT_EQ(real.error().code(), errc::unsupported);
  EXPECT_NE(real.error().context().find("compute_90"), std::string::npos) << real.error().context();
  const auto none = compile(small_kernel, "small.cu", "compute_90", options());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), errc::unsupported);
}

TEST_F(Compile, SeveralThreadsMakeTheSameBytesEachTime) {
  std::string source = "#include <perdure_std>\n";
  for (int i = 0; i < 4; ++i) {
    const auto n = std::to_string(i);
    source += "__noinline__ int f" + n + "(int x) { for (int i = 0; i < x; ++i) x ^= x << " + n +
              " | 3; return x; }\n"
              "extern \"C\" __global__ void k" +
              n + "(int* p) { p[0] = f" + n + "(p[1]); }\n";
  }
  auto fresh = options();
  fresh.use_cache = false;
  const auto first = compile(source, "several.cu", "sm_90", fresh);
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_NE(first->function("k3"), nullptr);
  for (int again = 0; again < 3; ++again) {
    const auto next = compile(source, "several.cu", "sm_90", fresh);
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_EQ(next->bytes, first->bytes);
    EXPECT_EQ(next->log, first->log);
  }
}

TEST_F(Compile, MultiplyAndAddAreNotContracted) {
  const auto source = "extern \"C\" __global__ void k(float* p) { p[0] = p[1] * p[2] + p[3]; }";
  const auto plain = compile(source, "fma.cu", "sm_90", options());
  auto contracted = options();
  contracted.extra = {"--fmad=true"};
  const auto fused = compile(source, "fma.cu", "sm_90", contracted);
  ASSERT_TRUE(plain && fused);
  EXPECT_FALSE(plain->bytes == fused->bytes);
}

}  // namespace
}  // namespace perdure::runtime::jit
