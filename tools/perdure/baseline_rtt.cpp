// tools/perdure/baseline_rtt.cpp - launch, graph and mapped word, each timed one at a time and checked.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_rtt.hpp"

#include <fmt/format.h>

#include <functional>

#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "runtime/driver/graph.hpp"
#include "samples.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

/// `once()` gives one checked round trip. Runs of the wanted length, percentiles a run.
nlohmann::json measure(const bench_options& options, const std::function<void()>& once) {
  for (int i = 0; i < 200; ++i) once();
  std::vector<double> p50, p99;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    std::vector<double> us;
    const auto start = steady::now();
    while (seconds_since(start) < options.seconds / 4 && us.size() < (1U << 20U)) {
      const auto from = steady::now();
      once();
      us.push_back(seconds_since(from) * 1e6);
    }
    p50.push_back(percentile(us, 50));
    p99.push_back(percentile(us, 99));
  }
  return {{"p50_us", summary(p50)}, {"p99_us", summary(p99)}};
}

void flatten(nlohmann::json& into, const std::string& name, const nlohmann::json& figures) {
  for (const auto& [key, value] : figures.items()) into[name + "_" + key] = value;
}

/// Ends the answering kernel however the scope is left; it must not outlive its memory.
struct end_answering {
  volatile std::uint32_t* request;
  const cu::stream& stream;
  ~end_answering() {
    *request = 0xffffffffU;
    static_cast<void>(stream.synchronize());
  }
};

}  // namespace

nlohmann::json rtt_baselines(const bench_options& options) {
  if (auto why = no_gpu(options)) return {{"launch", {{"skipped", *why}}}};
  gpu g = gpu::with("baseline_rtt.cu", baseline_rtt_text).value();
  auto words = cu::mapped_host_buffer::make(g.context, 256).value();
  auto* host = static_cast<volatile std::uint32_t*>(words.host());
  const cu::kernel count_up = g.code.find("count_up").value();
  const cu::kernel answer_words = g.code.find("answer_words").value();
  nlohmann::json figures;

  std::uint32_t expected = 0;
  auto arrived = [&] {
    g.stream.synchronize().value();
    if (host[0] != ++expected)
      throw wrong_answer{
          fmt::format("rtt baseline: the kernel left {}, not {}", +host[0], expected)};
  };
  flatten(figures, "launch_sync", measure(options, [&] {
            count_up.launch({}, g.stream, words.device()).value();
            arrived();
          }));
  auto graph = cu::graph::record(g.stream, [&] {
                 return count_up.launch({}, g.stream, words.device());
               }).value();
  flatten(figures, "graph_sync", measure(options, [&] {
            graph.launch(g.stream).value();
            arrived();
          }));

  volatile std::uint32_t* request = host + 16;
  volatile std::uint32_t* reply = host + 32;
  answer_words.launch({}, g.stream, words.device() + 64, words.device() + 128).value();
  const end_answering at_exit{request, g.stream};
  std::uint32_t number = 0;
  flatten(figures, "mapped_word", measure(options, [&] {
            *request = ++number;
            const auto from = steady::now();
            while (*reply != number) {
              if (seconds_since(from) > 5)
                throw wrong_answer{"rtt baseline: no answer in a mapped word for 5 s"};
            }
          }));
  return figures;
}

}  // namespace bench
