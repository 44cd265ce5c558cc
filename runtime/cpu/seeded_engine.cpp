// runtime/cpu/seeded_engine.cpp - see seeded_engine.hpp.
// Invariant: nothing here depends on real time, addresses or threads; every pump() is a function of the seed,
//            the options and what the host has put into the lanes.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/seeded_engine.hpp"

#include <mutex>
#include <vector>

#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_loops.cuh"
#include "runtime/cpu/cpu_memory.hpp"
#include "runtime/cpu/host_handle.hpp"

namespace perdure::runtime {
namespace {

class seeded_engine final : public cpu_memory {
 public:
  seeded_engine(const program& p, std::uint64_t seed) : index_{p}, handle_{index_}, random_{seed} {}

  engine_defaults defaults() const override {
    engine_defaults d = cpu_memory::defaults();
    d.workers = 4;  // whatever the machine has, so that a seed means the same everywhere
    return d;
  }

  result<void> launch(const loop::memory& m) override {
    memory_ = m;
    for (std::uint32_t w = 0; w < m.workers; ++w) {
      chips_.push_back(make_chip(m));
      if (chips_.back() == nullptr) return error{errc::out_of_memory, "worker state"};
      loop::block_loops<false> block{m.lanes};
      loop::begin(block, *chips_[w], memory_, w);
      halted_.push_back(false);
    }
    return {};
  }
  result<void> relaunch() override {
    std::lock_guard lock{mutex_};
    forget_chips(chips_, memory_);
    for (std::uint32_t w = 0; w < memory_.workers; ++w) {
      loop::block_loops<false> block{memory_.lanes};
      loop::begin(block, *chips_[w], memory_, w);
      halted_[w] = false;
    }
    return {};
  }
  /// A few turns of workers picked at random. Always true: time has passed.
  bool pump() override {
    std::lock_guard lock{mutex_};
    bool worked = false;
    for (std::size_t turns = 0; turns < 2 * chips_.size(); ++turns) {
      const auto w = static_cast<std::size_t>(next_random() % chips_.size());
      if (halted_[w]) continue;
      loop::block_loops<false> block{memory_.lanes};
      auto steady = [&] { return time_ns_; };
      chips_[w]->control_at = 0;
      // as on a device, a turn may begin with what an idle worker's poll has found
      const loop::arrival here =
          (next_random() >> 32U & 1U) != 0
              ? loop::poll_once(block, *chips_[w], memory_, time_ns_, handle_)
              : loop::arrival{};
      const loop::progress p = loop::turn(block, *chips_[w], memory_, handle_, steady, here);
      halted_[w] = p == loop::progress::halted;
      if (halted_[w]) loop::leave(block, *chips_[w], memory_);
      worked |= p == loop::progress::worked || here.handled || here.taken.messages != 0;
      time_ns_ += turn_ns;
    }
    // nothing to do: let time pass quicker, so that timers and timeouts come
    idle_ = worked ? 0 : idle_ + 1;
    if (idle_ > 16) time_ns_ += idle_ns;
    return true;
  }
  bool join(std::uint64_t) override {
    for (std::size_t tries = 0; tries < 100'000; ++tries) {
      bool all = true;
      for (bool h : halted_) all &= h;
      if (all) return true;
      pump();
    }
    return false;
  }
  std::uint64_t steady_ns() override {
    std::lock_guard lock{mutex_};
    return time_ns_;
  }
  std::uint64_t wall_ns() override { return steady_ns(); }
  std::int64_t worker_clock_offset_ns() override { return 0; }
  bool virtual_time() const override { return true; }

 private:
  static constexpr std::uint64_t turn_ns = 1'000;
  static constexpr std::uint64_t idle_ns = 50'000;

  std::uint64_t next_random() {
    random_ += 0x9e3779b97f4a7c15U;
    return loop::lane_state::mix(random_);
  }

  program_index index_;
  host_handle handle_;
  std::uint64_t random_;
  std::uint64_t time_ns_ = 1'000'000'000;
  std::uint64_t idle_ = 0;
  loop::memory memory_{};
  std::vector<loop::on_chip*> chips_;
  std::vector<bool> halted_;
  std::mutex mutex_;
};

}  // namespace

result<std::unique_ptr<engine>> make_seeded_engine(const program& actors, const options& opts) {
  return std::unique_ptr<engine>{std::make_unique<seeded_engine>(actors, opts.seed)};
}

}  // namespace perdure::runtime
