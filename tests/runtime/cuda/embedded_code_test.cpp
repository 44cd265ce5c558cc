// tests/runtime/cuda/embedded_code_test.cpp - code that perdure-gen has embedded is what a start on such a GPU takes.
// Why: the tool guesses in the build how the library will lay a program out; where it guesses wrong every first start waits
//      for the compiler, and nobody is told.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "counter.actors.hpp"
#include "life.actors.hpp"
#include "runtime/cuda/device_program.hpp"

namespace {

using perdure::runtime::device_code;

perdure::driver::device_properties h200() {
  perdure::driver::device_properties d;
  d.name = "an H200's sizes";
  d.major = 9;
  d.processors = 132;
  d.shared_bytes_per_block = 232'448;
  d.threads_per_processor = 2048;
  return d;
}

/// Without NVRTC: what is not embedded is an error.
class EmbeddedCode : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("PERDURE_NVRTC", "/no/nvrtc", 1); }
  void TearDown() override { ::unsetenv("PERDURE_NVRTC"); }

  perdure::result<device_code> code_of(const perdure::program& actors,
                                       const perdure::options& how = {}) {
    const auto plan = perdure::runtime::plan_chip(h200(), actors, how).value();
    return perdure::runtime::make_device_code("sm_90", actors, plan, how);
  }
  void expect_none(const perdure::program& actors, const perdure::options& how) {
    const auto code = code_of(actors, how);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code(), perdure::errc::no_nvrtc);
  }
};

TEST_F(EmbeddedCode, OfSmallActorsIsTaken) {
  const auto code = code_of(counter::actors());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_TRUE(code->embedded);
  EXPECT_EQ(std::string(code->made.bytes.begin() + 1, code->made.bytes.begin() + 4), "ELF");
}

TEST_F(EmbeddedCode, OfWideActorsIsTaken) {
  const auto code = code_of(life::actors());
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_TRUE(code->embedded);
}

TEST_F(EmbeddedCode, IsNotTakenForAnotherLoop) {
  expect_none(counter::actors(), {.lanes = 128});
  expect_none(counter::actors(), {.workers = 264});
  expect_none(counter::actors(), {.placement = perdure::placement::counted});
  expect_none(life::actors(), {.lanes = 512});
}

}  // namespace
