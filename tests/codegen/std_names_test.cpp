// tests/codegen/std_names_test.cpp - the tool lets handlers use exactly what the device's std declares.
// Why: a name in the table that mini_std lacks would pass the tool and fail at start, on another machine.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/std_names.hpp"

#include <gtest/gtest.h>

#include "runtime/jit/compile.hpp"
#include "runtime/jit/nvrtc.hpp"

namespace perdure::codegen {
namespace {
namespace jit = perdure::runtime::jit;

TEST(StdNames, EveryNameOfTheTableIsDeclaredByMiniStd) {
  const auto compiler = jit::nvrtc::open();
  if (!compiler) GTEST_SKIP() << compiler.error().message();
  std::string unit = "#include <perdure_std>\n";
  int n = 0;
  for (const auto name : device_std_names()) {
    unit += "namespace u" + std::to_string(n++) + " { using " + std::string{name} + "; }\n";
  }
  ASSERT_GT(n, 300);
  const auto out =
      compiler->compile(unit, "names.cu", jit::standard_options("sm_90"), jit::embedded_headers());
  ASSERT_TRUE(out.has_value()) << out.error().message();
  EXPECT_TRUE(out->compiled) << out->log;
}

TEST(StdNames, HostOnlyNamesAreNotThere) {
  for (const auto* name :
       {"std::string", "std::vector", "std::function", "std::cout", "std::chrono::steady_clock",
        "std::thread", "printf", "malloc", "perdure::system", "std::atomic", "std::basic_string",
        "__builtin_bswap32"}) {
    EXPECT_FALSE(on_device(name)) << name;
  }
}

TEST(StdNames, OperatorsAreJudgedByTheirOperands) {
  EXPECT_TRUE(on_device("std::operator<=>"));
  EXPECT_TRUE(on_device("perdure::operator=="));
}

TEST(StdNames, ShortFormsFollowTheirTraits) {
  EXPECT_TRUE(on_device("std::is_same_v"));
  EXPECT_TRUE(on_device("std::remove_cvref_t"));
  EXPECT_FALSE(on_device("std::no_such_trait_v"));
}

TEST(StdNames, LiteralsComeByTheirNamespace) {
  EXPECT_TRUE(namespace_on_device("std::literals::chrono_literals"));
  EXPECT_TRUE(namespace_on_device("std"));
  EXPECT_FALSE(namespace_on_device("std::filesystem"));
}

}  // namespace
}  // namespace perdure::codegen
