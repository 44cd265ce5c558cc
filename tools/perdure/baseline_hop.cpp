// tools/perdure/baseline_hop.cpp - hops and torn words by hand: runs baseline_hop.cu and
// baseline_tear.cu.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gpu.hpp"
#include "hop_samples.hpp"
#include "kernel_texts.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

/// As in baseline_hop.cu.
struct rally_by_hand {
  std::uint64_t nanoseconds;
  std::uint32_t errors, stalled;
};
/// As in baseline_tear.cu.
struct seen_words {
  std::uint64_t words, torn, changed;
  std::uint32_t readers_done, spare;
};

struct lab {
  gpu& g;
  cu::device_buffer words, out;

  lab(gpu& on, std::size_t bytes, std::size_t out_bytes)
      : g{on},
        words{cu::device_buffer::make(on.context, bytes).value()},
        out{cu::device_buffer::make(on.context, out_bytes).value()} {}
  void clear() const {
    cu::fill_bytes(words.address(), 0, words.bytes(), g.stream).value();
    cu::fill_bytes(out.address(), 0, out.bytes(), g.stream).value();
  }
  template <class Out>
  Out result() const {
    Out got{};
    cu::copy_to_host(&got, out.address(), sizeof got, g.stream).value();
    g.stream.synchronize().value();
    return got;
  }
};

double us_a_hop(const rally_by_hand& r, std::uint32_t hops) {
  if (r.errors != 0 || r.stalled != 0)
    throw wrong_answer{"hop by hand: a word was wrong or did not come"};
  return static_cast<double>(r.nanoseconds) / 1e3 / hops;
}

}  // namespace

nlohmann::json hop_baselines(const bench_options& options) {
  if (auto why = no_gpu(options)) return {{"by_hand", {{"skipped", *why}}}};
  gpu g = gpu::with("baseline_hop.cu", baseline_hop_text, perdure::runtime::jit::embedded_headers())
              .value();
  const lab at{g, 1024, sizeof(rally_by_hand)};
  const cu::kernel blocks = g.code.find("hop_blocks").value(),
                   warps = g.code.find("hop_warps").value();
  const auto grid = static_cast<std::uint32_t>(g.context.properties().processors);
  constexpr std::uint32_t hops = 2000;
  std::vector<double> any, same;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    std::vector<double> pairs;
    for (std::uint32_t b = 1; b < grid; b += 7) {
      at.clear();
      blocks
          .launch({.grid = {grid, 1, 1}, .block = {32, 1, 1}, .cooperative = true}, g.stream,
                  at.words.address(), std::uint32_t{0}, b, hops, at.out.address())
          .value();
      pairs.push_back(us_a_hop(at.result<rally_by_hand>(), hops));
    }
    any.push_back(percentile(pairs, 50));
    at.clear();
    warps.launch({.grid = {1, 1, 1}, .block = {64, 1, 1}}, g.stream, hops, at.out.address())
        .value();
    same.push_back(us_a_hop(at.result<rally_by_hand>(), hops));
  }
  // the same word is the floor of both channels
  return {{"by_hand_inbox_any_p50_us", summary(any)},
          {"by_hand_link_any_p50_us", summary(any)},
          {"by_hand_inbox_same_worker_p50_us", summary(same)}};
}

void hop_tear(nlohmann::json& report, const bench_options& options) {
  nlohmann::json& tear = report["tear"];
  bench_options anyway = options;
  anyway.baselines = true;  // this is no baseline
  if (auto why = no_gpu(anyway)) {
    tear = {{"skipped", *why}};
    report["answers"]["torn_words"] = "not looked for: " + *why;
    return;
  }
  gpu g =
      gpu::with("baseline_tear.cu", baseline_tear_text, perdure::runtime::jit::embedded_headers())
          .value();
  constexpr std::uint32_t threads = 512;
  const auto grid = static_cast<std::uint32_t>(g.context.properties().processors);
  const lab at{g, std::size_t{16} * threads * (grid + 1) / 2, sizeof(seen_words)};
  const std::uint64_t words = options.words != 0 ? options.words : 10'000'000'000ULL;
  std::uint64_t torn = 0, all = 0;
  for (const char* name : {"tear_device", "tear_system", "tear_block"}) {
    const bool in_block = std::string{name} == "tear_block";
    const std::uint64_t readers =
        in_block ? std::uint64_t{grid} * threads / 2 : std::uint64_t{grid / 2} * threads;
    const std::uint64_t each = (words + readers - 1) / readers;
    const cu::kernel kernel = g.code.find(name).value();
    at.clear();
    const auto from = steady::now();
    kernel
        .launch({.grid = {grid, 1, 1}, .block = {threads, 1, 1}, .cooperative = true}, g.stream,
                at.words.address(), each, at.out.address())
        .value();
    const auto got = at.result<seen_words>();
    if (got.words < words || got.changed < words / 1000) {
      throw wrong_answer{fmt::format("{}: {} words read of {}, {} seen to change", name, got.words,
                                     words, got.changed)};
    }
    tear[name] = {{"words", got.words},
                  {"torn", got.torn},
                  {"changed", got.changed},
                  {"seconds", seconds_since(from)}};
    torn += got.torn;
    all += got.words;
  }
  if (torn != 0) throw wrong_answer{fmt::format("{} of {} words were torn", torn, all)};
  report["answers"]["torn_words"] = torn;
  report["answers"]["words_read_while_written"] = all;
}

}  // namespace bench
