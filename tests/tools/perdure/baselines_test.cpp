// tests/tools/perdure/baselines_test.cpp - every hand-written kernel of `perdure bench` compiles for every architecture.
// Why: they are compiled where they run, on a GPU; a mistake in one must be seen on a machine without one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel_texts.hpp"
#include "runtime/jit/compile.hpp"
#include "runtime/jit/nvrtc.hpp"

namespace {

namespace jit = perdure::runtime::jit;

struct text {
  const char* name;
  std::string source;
  std::string contract;  ///< what it includes as contract.cuh, if it does
  std::vector<std::string> kernels;
  bool may_spill = false;  ///< 1,024 threads leave 64 registers each
};

std::vector<text> texts() {
  std::vector<text> all{
      {"rtt", bench::baseline_rtt_text, {}, {"count_up", "answer_words"}},
      {"hop", bench::baseline_hop_text, {}, {"hop_blocks", "hop_warps"}},
      {"sync", bench::baseline_sync_text, {}, {"sync_grid", "sync_neighbours", "sync_cluster"}},
      {"tear", bench::baseline_tear_text, {}, {"tear_device", "tear_system", "tear_block"}}};
  for (const char* threads : {"512", "1024"}) {
    const std::string head = std::string{"#define THREADS "} + threads + "\n";
    all.push_back({"route_38",
                   head + bench::baseline_route_text,
                   bench::baseline_route_38_text,
                   {"route"},
                   head.find("1024") != std::string::npos});
    for (const char* words : {"1", "2"}) {
      all.push_back({"route_8",
                     head + "#define WORDS " + words + "\n" + bench::baseline_route_text,
                     bench::baseline_route_8_text,
                     {"route"}});
    }
  }
  return all;
}

class Baselines : public testing::TestWithParam<const char*> {};

TEST_P(Baselines, EveryTextCompilesWithoutSpills) {
  if (auto found = jit::nvrtc::open(); !found) GTEST_SKIP() << found.error().message();
  for (const text& one : texts()) {
    jit::compile_options plain;
    const jit::header contract{"contract.cuh", one.contract.c_str()};
    if (!one.contract.empty()) plain.headers = {&contract, 1};
    plain.use_cache = false;
    const auto made = jit::compile(one.source, one.name, GetParam(), plain);
    ASSERT_TRUE(made) << one.name << ": " << made.error().message();
    for (const std::string& kernel : one.kernels) {
      const auto* used = made->function(kernel);
      ASSERT_NE(used, nullptr) << one.name << " has no " << kernel;
      EXPECT_TRUE(one.may_spill || used->spill_store_bytes == 0U)
          << one.name << ": " << kernel << "\n"
          << made->log;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Architectures, Baselines, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return std::string{of.param}; });

}  // namespace
