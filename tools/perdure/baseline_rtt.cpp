// tools/perdure/baseline_rtt.cpp - launch, graph, mapped word and an actor by hand, each timed one at a time and checked.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_rtt.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <functional>

#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "kernels/clock/hybrid.cuh"
#include "mix.hpp"
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

constexpr unsigned ring_bits = 10;
constexpr std::uint64_t capacity = 1U << ring_bits;

/// Host end of answer_asks: one thread asks, and waits for each reply. Ends the kernel when it goes.
class asker_by_hand {
 public:
  asker_by_hand(const gpu& g, std::uint32_t actors)
      : g_{g},
        rings_{cu::mapped_host_buffer::make(g.context, 2 * ring_bytes + 256).value()},
        states_{cu::device_buffer::make(g.context, actors * std::size_t{64}).value()},
        actors_{actors},
        handled_(actors) {
    std::memset(rings_.host(), 0, rings_.bytes());
    cu::fill_bytes(states_.address(), 0, states_.bytes(), g.stream).value();
    const cu::abi::device_ptr at = rings_.device();
    g.code.find("answer_asks")
        .value()
        .launch({.grid = {1, 1, 1}, .block = {2, 1, 1}}, g.stream, at, at + ring_bytes, ring_bits,
                at + 2 * ring_bytes, at + 2 * ring_bytes + 128, states_.address())
        .value();
  }
  asker_by_hand(const asker_by_hand&) = delete;
  asker_by_hand& operator=(const asker_by_hand&) = delete;
  ~asker_by_hand() {
    constexpr std::uint64_t nobody = 0xffffffffU;
    for (int i = 0; i < 2; ++i, ++at_) put(nobody, 0, 0);  // it may have read the first one's place
    static_cast<void>(g_.stream.synchronize());
  }

  /// Asks the next actor in turn. @throws wrong_answer  if it is wrong, out of order by its stamp, or does not come.
  void ask() {
    const auto number = static_cast<std::uint32_t>(at_);
    const std::uint32_t to = number % actors_;
    wait(heads(0), [&](std::uint64_t head) { return at_ < head + capacity; });
    const std::uint64_t asked = clock_ = perdure::loop::merge_clock(clock_, 0, wall()) + 1;
    put(to | static_cast<std::uint64_t>(number) << 32U, number, asked);
    const std::uint64_t* from = slot(capacity);
    wait(from + 1, [&](std::uint64_t half) { return half >> 32U == lap(); });
    wait(from + 3, [&](std::uint64_t half) { return half >> 32U == lap(); });
    const std::uint64_t got = __atomic_load_n(from, __ATOMIC_RELAXED);
    const auto handled = static_cast<std::uint32_t>(__atomic_load_n(from + 1, __ATOMIC_RELAXED));
    const std::uint64_t stamp = __atomic_load_n(from + 2, __ATOMIC_RELAXED);
    ++at_;
    if ((at_ & 63U) == 0) __atomic_store_n(heads(1), at_, __ATOMIC_RELEASE);
    clock_ = perdure::loop::merge_clock(clock_, stamp, 0);
    if (got != (number | static_cast<std::uint64_t>(mix(number)) << 32U) ||
        handled != ++handled_[to] || stamp <= asked) {
      throw wrong_answer{fmt::format("rtt by hand: ask {} has a wrong reply", number)};
    }
  }

 private:
  static constexpr std::size_t ring_bytes = capacity * 32;

  static std::uint64_t wall() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return perdure::loop::stamp_at(
        static_cast<std::uint64_t>(std::chrono::nanoseconds{now}.count()) -
        perdure::loop::epoch_2026_ns);
  }
  std::uint64_t lap() const { return (at_ >> ring_bits) + 1; }
  /// Of the message at hand, four halves. @param ring  0 for asks, `capacity` for replies
  std::uint64_t* slot(std::uint64_t ring) const {
    return static_cast<std::uint64_t*>(rings_.host()) + (ring + at_ % capacity) * 4;
  }
  /// What the device has read of asks, and we of replies.
  std::uint64_t* heads(std::size_t which) const {
    return static_cast<std::uint64_t*>(rings_.host()) + 2 * ring_bytes / 8 + which * 16;
  }
  /// The half with the lap is stored last, so who sees the lap sees the word.
  void put(std::uint64_t first, std::uint32_t number, std::uint64_t stamp) const {
    std::uint64_t* to = slot(0);
    const std::uint64_t tag = lap() << 32U;
    __atomic_store_n(to + 2, stamp, __ATOMIC_RELAXED);
    __atomic_store_n(to + 3, tag, __ATOMIC_RELEASE);
    __atomic_store_n(to, first, __ATOMIC_RELAXED);
    __atomic_store_n(to + 1, number | tag, __ATOMIC_RELEASE);
  }
  template <class Enough>
  static void wait(const std::uint64_t* at, Enough enough) {
    if (enough(__atomic_load_n(at, __ATOMIC_ACQUIRE))) return;
    // to read the clock takes longer than a look
    std::uint32_t looks = 0;
    for (const auto from = steady::now(); !enough(__atomic_load_n(at, __ATOMIC_ACQUIRE));) {
      if (++looks % 1024 == 0 && seconds_since(from) > 5)
        throw wrong_answer{"rtt by hand: no reply for 5 s"};
    }
  }

  const gpu& g_;
  cu::mapped_host_buffer rings_;
  cu::device_buffer states_;
  std::uint32_t actors_;
  std::vector<std::uint32_t> handled_;
  std::uint64_t at_ = 0, clock_ = 0;
};

}  // namespace

nlohmann::json rtt_baselines(const bench_options& options) {
  if (auto why = no_gpu(options)) return {{"launch", {{"skipped", *why}}}};
  gpu g = gpu::with("baseline_rtt.cu", baseline_rtt_text, perdure::runtime::jit::embedded_headers())
              .value();
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

  {
    asker_by_hand by_hand{g, 1};
    const nlohmann::json asks = measure(options, [&] { by_hand.ask(); });
    flatten(figures, "by_hand", asks);
    figures["by_hand_polling_worker_p50_us"] = asks.at("p50_us");  // as in bench_rtt.cpp
  }

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
