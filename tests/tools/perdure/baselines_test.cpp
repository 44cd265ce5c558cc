// tests/tools/perdure/baselines_test.cpp - every hand-written kernel of `perdure bench` compiles
// for every architecture.
// Why: they are compiled where they run, on a GPU; a mistake in one must be seen on a machine
// without one.
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
  std::string name;
  std::string source;
  bool of_contracts;  ///< includes one of the router's contracts, and nothing of the library
  std::vector<std::string> kernels;
  bool may_spill = false;  ///< 1,024 threads leave 64 registers each
};

std::vector<text> texts() {
  std::vector<text> all{
      {"rtt", bench::baseline_rtt_text, false, {"count_up", "answer_words", "answer_asks"}},
      {"graph", bench::baseline_graph_text, false, {"mix_word"}},
      {"hop", bench::baseline_hop_text, false, {"hop_blocks", "hop_warps"}},
      {"hot", bench::baseline_hot_text, false, {"hot"}},
      {"lanes", bench::baseline_lanes_text, false, {"lanes_in", "lanes_out"}},
      {"sync", bench::baseline_sync_text, false, {"sync_grid", "sync_neighbours", "sync_cluster"}},
      {"tear", bench::baseline_tear_text, false, {"tear_device", "tear_system", "tear_block"}}};
  for (const char* threads : {"512", "1024"}) {
    for (const char* words : {"1", "2", "4"}) {
      const bool tight = std::string{threads} == "1024" && std::string{words} == "4";
      all.push_back({std::string{"route, words: "} + words,
                     std::string{"#define THREADS "} + threads + "\n#define WORDS " + words + "\n" +
                         bench::baseline_route_text,
                     true,
                     {"route"},
                     tight});
    }
  }
  return all;
}

class Baselines : public testing::TestWithParam<const char*> {};

TEST_P(Baselines, EveryTextCompilesWithoutSpills) {
  if (auto found = jit::nvrtc::open(); !found) GTEST_SKIP() << found.error().message();
  for (const text& one : texts()) {
    jit::compile_options plain;
    const jit::header contracts[] = {
        {"tools/perdure/baseline_route_38.cuh", bench::baseline_route_38_text.c_str()},
        {"tools/perdure/baseline_route_8.cuh", bench::baseline_route_8_text.c_str()}};
    if (one.of_contracts) plain.headers = contracts;
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
