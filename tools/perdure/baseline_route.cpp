// tools/perdure/baseline_route.cpp - runs the hand-written router in a few grids and checks every state.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_route.hpp"

#include <fmt/format.h>

#include "bench_actors.hpp"
#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "samples.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

/// As in baseline_route.cu.
struct routed_site {
  std::uint32_t out[4], in[4];
  std::uint64_t last, checksum;
  std::uint32_t index, count, handled, errors;
};
static_assert(sizeof(routed_site) == 64);
struct routed_result {
  std::uint64_t retired, handled;
  std::uint32_t stalled, spilled;
};

constexpr unsigned ring_bits = 13;

class router {
 public:
  router(const std::string& threads_line, unsigned threads, unsigned blocks_per_processor,
         const route_shape& shape)
      : gpu_{gpu::with("baseline_route.cu", threads_line + baseline_route_text).value()},
        kernel_{gpu_.code.find("route").value()},
        threads_{threads},
        count_{shape.actors / 2} {
    const int resident = kernel_.blocks_per_processor(static_cast<int>(threads), 0).value();
    const unsigned per = std::min(blocks_per_processor, static_cast<unsigned>(resident));
    blocks_ = per * static_cast<unsigned>(gpu_.context.properties().processors);
    tokens_ = std::max(1U, shape.tokens / blocks_);  // as many under way as among the actors
    while ((1ULL << spill_bits_) < std::uint64_t{tokens_} * blocks_)
      ++spill_bits_;  // at worst all lie in one
    spills_.emplace(
        cu::device_buffer::make(gpu_.context, (std::size_t{blocks_} << spill_bits_) * 64).value());
    ring_bytes_ = (std::size_t{blocks_} << ring_bits) * 64;
    host_.resize(std::size_t{2} * count_);
    for (std::uint32_t i = 0; i < host_.size(); ++i) {
      host_[i].index = i % count_;
      host_[i].count = count_;
    }
    rings_.emplace(cu::device_buffer::make(gpu_.context, ring_bytes_).value());
    controls_.emplace(cu::device_buffer::make(gpu_.context, std::size_t{blocks_} * 128).value());
    sites_.emplace(
        cu::device_buffer::make(gpu_.context, host_.size() * sizeof(routed_site)).value());
    result_.emplace(cu::device_buffer::make(gpu_.context, sizeof(routed_result)).value());
    cu::copy_to_device(sites_->address(), host_.data(), sites_->bytes(), gpu_.stream).value();
    gpu_.stream.synchronize().value();
  }

  std::uint32_t blocks() const { return blocks_; }
  double messages(std::uint32_t hops) const {
    return static_cast<double>(blocks_) * tokens_ * (static_cast<double>(hops) + 1);
  }

  /// Messages of the last run that found their ring full and its owner waiting.
  std::uint32_t spilled() const { return spilled_; }

  /// A ring counts its messages in 32 bits.
  double most_hops() const { return 2e9 / tokens_; }

  /// Device seconds of one run, every message checked.
  double run(std::uint32_t hops) {
    const auto& in = gpu_.context;
    const auto& stream = gpu_.stream;
    auto begin = cu::event::make(in, true).value();
    auto end = cu::event::make(in, true).value();
    for (const auto* buffer : {&*rings_, &*controls_, &*result_})
      cu::fill_bytes(buffer->address(), 0, buffer->bytes(), stream).value();
    const cu::launch_shape shape{
        .grid = {blocks_, 1, 1}, .block = {threads_, 1, 1}, .cooperative = true};
    begin.record(stream).value();
    kernel_
        .launch(shape, stream, rings_->address(), controls_->address(), ring_bits,
                spills_->address(), spill_bits_, sites_->address(), count_, tokens_, hops,
                ++salt_ * 0x10001U, result_->address())
        .value();
    end.record(stream).value();
    routed_result got{};
    cu::copy_to_host(&got, result_->address(), sizeof got, stream).value();
    cu::copy_to_host(host_.data(), sites_->address(), sites_->bytes(), stream).value();
    stream.synchronize().value();
    const auto all =
        static_cast<std::uint64_t>(blocks_) * tokens_ * (static_cast<std::uint64_t>(hops) + 1);
    handled_ += all;
    spilled_ = got.spilled;
    check(got, all);
    return static_cast<double>(end.milliseconds_since(begin).value()) / 1e3;
  }

 private:
  void check(const routed_result& got, std::uint64_t all) const {
    std::uint64_t handled = 0, errors = 0, unbalanced = 0;
    for (std::size_t i = 0; i < host_.size(); ++i) {
      handled += host_[i].handled;
      errors += host_[i].errors;
      const routed_site* others = host_.data() + (i < count_ ? count_ : 0);
      for (unsigned e = 0; e < edges; ++e)
        unbalanced += host_[i].out[e] != others[neighbour(e, host_[i].index, count_)].in[e] ? 1 : 0;
    }
    if (got.stalled != 0 || got.handled != all || handled != handled_ || errors != 0 ||
        unbalanced != 0) {
      throw wrong_answer{fmt::format(
          "route baseline: {} of {} handled ({} of {} in all), {} errors, {} pairs unbalanced{}",
          got.handled, all, handled, handled_, errors, unbalanced,
          got.stalled != 0 ? ", stalled" : "")};
    }
  }

  gpu gpu_;
  cu::kernel kernel_;
  unsigned threads_, blocks_ = 0, tokens_ = 0, spill_bits_ = 0;
  std::uint32_t count_, salt_ = 0, spilled_ = 0;
  std::size_t ring_bytes_ = 0;
  std::uint64_t handled_ = 0;
  std::vector<routed_site> host_;
  std::optional<cu::device_buffer> rings_, spills_, controls_, sites_, result_;
};

}  // namespace

nlohmann::json route_baselines(const bench_options& options, const route_shape& shape) {
  if (!shape.cuda) return {{"by_hand", {{"skipped", "the actors ran on the CPU"}}}};
  if (auto why = no_gpu(options)) return {{"by_hand", {{"skipped", *why}}}};
  nlohmann::json figures;
  const std::pair<unsigned, unsigned> grids[] = {{512, 1}, {1024, 1}};
  for (const auto& [threads, per_processor] : grids) {
    router by_hand{fmt::format("#define THREADS {}\n", threads), threads, per_processor, shape};
    std::uint32_t hops = 50;
    double took = by_hand.run(hops);
    while (took < std::min(0.05, shape.seconds) && hops < (1U << 24U))
      took = by_hand.run(hops *= 4);
    hops = static_cast<std::uint32_t>(
        std::clamp(hops * shape.seconds / took, 1.0, by_hand.most_hops()));
    std::vector<double> rate;
    for (std::uint32_t run = 0; run < shape.runs; ++run)
      rate.push_back(by_hand.messages(hops) / by_hand.run(hops));
    figures[fmt::format("by_hand_{}x{}_spilled", by_hand.blocks(), threads)] = by_hand.spilled();
    figures[fmt::format("by_hand_{}x{}_messages_per_s", by_hand.blocks(), threads)] = summary(rate);
  }
  return figures;
}

}  // namespace bench
