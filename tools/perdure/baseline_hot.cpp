// tools/perdure/baseline_hot.cpp - runs baseline_hot.cu and checks its count and its sum.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_hot.hpp"

#include <fmt/format.h>

#include "gpu.hpp"
#include "hot_actors.hpp"
#include "kernel_texts.hpp"
#include "samples.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

/// As in baseline_hot.cu.
struct hot_by_hand {
  std::uint64_t handled;
  std::uint32_t sum, errors, stalled, spare;
};
constexpr std::uint32_t ring_bits = 16, threads = 512;

class hot_counter {
 public:
  hot_counter()
      : g_{gpu::with("baseline_hot.cu", baseline_hot_text,
                     perdure::runtime::jit::embedded_headers())
               .value()},
        kernel_{g_.code.find("hot").value()},
        blocks_{static_cast<std::uint32_t>(g_.context.properties().processors)},
        ring_{cu::device_buffer::make(g_.context, std::size_t{16} << ring_bits).value()},
        counters_{cu::device_buffer::make(g_.context, 256).value()},
        out_{cu::device_buffer::make(g_.context, sizeof(hot_by_hand)).value()} {}

  std::uint32_t pumps() const { return (blocks_ - 1) * threads; }

  /// Device seconds of one run: every pump sends `rounds` messages. @param beside  handled 32 at once
  double run(std::uint32_t rounds, bool beside) {
    auto begin = cu::event::make(g_.context, true).value();
    auto end = cu::event::make(g_.context, true).value();
    for (const auto* buffer : {&ring_, &counters_, &out_})
      cu::fill_bytes(buffer->address(), 0, buffer->bytes(), g_.stream).value();
    begin.record(g_.stream).value();
    kernel_
        .launch({.grid = {blocks_, 1, 1}, .block = {threads, 1, 1}, .cooperative = true}, g_.stream,
                ring_.address(), ring_bits, counters_.address(), rounds,
                static_cast<std::uint32_t>(beside ? 1 : 0), out_.address())
        .value();
    end.record(g_.stream).value();
    hot_by_hand got{};
    cu::copy_to_host(&got, out_.address(), sizeof got, g_.stream).value();
    g_.stream.synchronize().value();
    std::uint32_t sum = 0;
    for (std::uint32_t p = 0; p < pumps(); ++p) {
      for (std::uint32_t n = 0; n < rounds; ++n) sum += worth_of(bump{n, p});
    }
    if (got.stalled != 0 || got.errors != 0 || got.sum != sum ||
        got.handled != std::uint64_t{pumps()} * rounds) {
      throw wrong_answer{fmt::format("hot by hand: {} of {} handled, sum {:#x} not {:#x}{}",
                                     got.handled, std::uint64_t{pumps()} * rounds, got.sum, sum,
                                     got.stalled != 0 ? ", stalled" : "")};
    }
    return static_cast<double>(end.milliseconds_since(begin).value()) / 1e3;
  }

 private:
  gpu g_;
  cu::kernel kernel_;
  std::uint32_t blocks_;
  cu::device_buffer ring_, counters_, out_;
};

}  // namespace

nlohmann::json hot_baselines(const bench_options& options) {
  if (auto why = no_gpu(options)) return {{"by_hand", {{"skipped", *why}}}};
  hot_counter counter;
  const auto rate_of = [&](bool beside) {
    std::uint32_t rounds = 16;
    double took = counter.run(rounds, beside);
    while (took < std::min(0.05, options.seconds) && rounds < (1U << 16U))
      took = counter.run(rounds *= 4, beside);
    rounds = static_cast<std::uint32_t>(std::clamp(rounds * options.seconds / took, 1.0, 1e5));
    std::vector<double> rate;
    rate.reserve(options.runs);
    for (std::uint32_t run = 0; run < options.runs; ++run)
      rate.push_back(static_cast<double>(counter.pumps()) * rounds / counter.run(rounds, beside));
    return summary(rate);
  };
  return {{"by_hand_hot_messages_per_s", rate_of(false)},
          {"by_hand_32_at_once_hot_messages_per_s", rate_of(true)}};
}

}  // namespace bench
