// tools/perdure/baseline_route.cpp - runs the hand-written router in a few grids and checks every
// state.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_route.hpp"

#include <fmt/format.h>

#include "bench_actors.hpp"
#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "samples.hpp"
#include "small_actors.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

/// The two contracts: the state as in their files, and what must balance after a run. `seeds` is
/// what the tokens' first messages, which no actor sent, add to the sums.
struct contract_38 {
  static constexpr bool two_types = true;
  struct site {
    std::uint32_t out[4], in[4];
    std::uint64_t last, checksum;
    std::uint32_t index, count, handled, errors;
  };
  static_assert(sizeof(site) == 64);
  static std::uint32_t worth_of_seed(std::uint32_t /*walk*/, std::uint32_t /*hops*/) { return 0; }
  static std::uint64_t unbalanced(const std::vector<site>& all, std::uint32_t count,
                                  std::uint32_t /*seeds*/) {
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const site* others = all.data() + (i < count ? count : 0);
      for (unsigned e = 0; e < edges; ++e)
        pairs += all[i].out[e] != others[neighbour(e, all[i].index, count)].in[e] ? 1 : 0;
    }
    return pairs;
  }
};
struct contract_8 {
  static constexpr bool two_types = false;
  struct site {
    std::uint32_t index, count, handled, errors, received, sent;
    std::uint64_t newest;
  };
  static_assert(sizeof(site) == 32);
  static std::uint32_t worth_of_seed(std::uint32_t walk, std::uint32_t hops) {
    return worth_of(chip{walk, hops});
  }
  static std::uint64_t unbalanced(const std::vector<site>& all, std::uint32_t /*count*/,
                                  std::uint32_t seeds) {
    std::uint32_t sent = seeds, received = 0;
    for (const site& s : all) {
      sent += s.sent;
      received += s.received;
    }
    return sent != received ? 1 : 0;
  }
};
struct routed_result {
  std::uint64_t retired, handled;
  std::uint32_t stalled, spilled;
};

/// As many messages a ring as the library's inboxes have slots: smaller ones spill at the slowest blocks.
constexpr unsigned ring_bits = 16;

template <class Contract>
class router {
 public:
  using site = typename Contract::site;

  router(unsigned threads, unsigned words, const route_shape& shape)
      : gpu_{compiled(threads, words)},
        kernel_{gpu_.code.find("route").value()},
        threads_{threads},
        count_{Contract::two_types ? shape.actors / 2 : shape.actors} {
    const std::size_t message = std::size_t{16} * words;
    blocks_ = static_cast<unsigned>(gpu_.context.properties().processors);
    tokens_ = std::max(1U, shape.tokens / blocks_);  // as many under way as among the actors
    while ((1ULL << spill_bits_) < std::uint64_t{tokens_} * blocks_)
      ++spill_bits_;  // at worst all lie in one
    spills_.emplace(
        cu::device_buffer::make(gpu_.context, (std::size_t{blocks_} << spill_bits_) * message)
            .value());
    ring_bytes_ = (std::size_t{blocks_} << ring_bits) * message;
    host_.resize(std::size_t{Contract::two_types ? 2U : 1U} * count_);
    for (std::uint32_t i = 0; i < host_.size(); ++i) {
      host_[i].index = i % count_;
      host_[i].count = count_;
    }
    rings_.emplace(cu::device_buffer::make(gpu_.context, ring_bytes_).value());
    controls_.emplace(cu::device_buffer::make(gpu_.context, std::size_t{blocks_} * 128).value());
    sites_.emplace(cu::device_buffer::make(gpu_.context, host_.size() * sizeof(site)).value());
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
    salt_ += 0x10001U;
    for (std::uint32_t t = 0; t < blocks_ * tokens_; ++t)
      seeds_ += Contract::worth_of_seed(mix(salt_ + t), hops);
    const cu::launch_shape shape{
        .grid = {blocks_, 1, 1}, .block = {threads_, 1, 1}, .cooperative = true};
    begin.record(stream).value();
    kernel_
        .launch(shape, stream, rings_->address(), controls_->address(), ring_bits,
                spills_->address(), spill_bits_, sites_->address(), count_, tokens_, hops, salt_,
                result_->address())
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
  static gpu compiled(unsigned threads, unsigned words) {
    const std::string head = fmt::format("#define THREADS {}\n#define WORDS {}\n", threads, words);
    const perdure::runtime::jit::header contracts[] = {
        {"tools/perdure/baseline_route_38.cuh", baseline_route_38_text.c_str()},
        {"tools/perdure/baseline_route_8.cuh", baseline_route_8_text.c_str()}};
    return gpu::with("baseline_route.cu", head + baseline_route_text, contracts).value();
  }
  void check(const routed_result& got, std::uint64_t all) const {
    std::uint64_t handled = 0, errors = 0;
    for (const site& one : host_) {
      handled += one.handled;
      errors += one.errors;
    }
    const std::uint64_t unbalanced = Contract::unbalanced(host_, count_, seeds_);
    if (got.stalled != 0 || got.handled != all || handled != handled_ || errors != 0 ||
        unbalanced != 0) {
      throw wrong_answer{fmt::format(
          "route baseline: {} of {} handled ({} of {} in all), {} errors, {} unbalanced{}",
          got.handled, all, handled, handled_, errors, unbalanced,
          got.stalled != 0 ? ", stalled" : "")};
    }
  }

  gpu gpu_;
  cu::kernel kernel_;
  unsigned threads_, blocks_ = 0, tokens_ = 0, spill_bits_ = 0;
  std::uint32_t count_, salt_ = 0, seeds_ = 0, spilled_ = 0;
  std::size_t ring_bytes_ = 0;
  std::uint64_t handled_ = 0;
  std::vector<site> host_;
  std::optional<cu::device_buffer> rings_, spills_, controls_, sites_, result_;
};

/// Finds how many hops make a run of the wanted length, then runs.
template <class Contract>
void measure(nlohmann::json& figures, const std::string& name, unsigned threads, unsigned words,
             const route_shape& shape) {
  router<Contract> by_hand{threads, words, shape};
  std::uint32_t hops = 50;
  double took = by_hand.run(hops);
  while (took < std::min(0.05, shape.seconds) && hops < (1U << 21U)) took = by_hand.run(hops *= 4);
  const double most = std::min(by_hand.most_hops(), 16e6);  // hops to go have 24 bits
  hops = static_cast<std::uint32_t>(std::clamp(hops * shape.seconds / took, 1.0, most));
  std::vector<double> rate;
  for (std::uint32_t run = 0; run < shape.runs; ++run)
    rate.push_back(by_hand.messages(hops) / by_hand.run(hops));
  const std::string full = fmt::format("{}_{}x{}", name, by_hand.blocks(), threads);
  figures[full + "_spilled"] = by_hand.spilled();
  figures[full + "_messages_per_s"] = summary(rate);
}

}  // namespace

nlohmann::json route_baselines(const bench_options& options, const route_shape& shape) {
  if (!shape.cuda) return {{"by_hand", {{"skipped", "the actors ran on the CPU"}}}};
  if (auto why = no_gpu(options)) return {{"by_hand", {{"skipped", *why}}}};
  nlohmann::json figures;
  for (const unsigned threads : {512U, 1024U}) {
    if (shape.payload == 8) {
      measure<contract_8>(figures, "by_hand_16_bytes", threads, 1, shape);
      measure<contract_8>(figures, "by_hand_32_bytes", threads, 2, shape);
    } else {
      measure<contract_38>(figures, "by_hand", threads, 4, shape);
    }
  }
  return figures;
}

}  // namespace bench
