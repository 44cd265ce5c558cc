// runtime/cuda/cuda_engine.cpp - the resident loop on a GPU: one cooperative launch, one worker a block.
// Why: all of the device's part of a system's life is here: memory, copies beside the running loop, launch, end.
// Invariant: nothing is allocated, freed or loaded while the loop runs; a loop that never ends is leaked, not waited for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "kernels/dispatch/on_chip.cuh"
#include "runtime/cuda/chip_plan.hpp"
#include "runtime/cuda/clock_alignment.hpp"
#include "runtime/cuda/device_program.hpp"
#include "runtime/driver/graph.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "runtime/system/core.hpp"
#include "runtime/system/host_time.hpp"

namespace perdure::runtime {
namespace {

/// Devices on which this process runs a resident system: one each.
class device_claim {
 public:
  static std::optional<device_claim> take(int device) {
    std::lock_guard lock{mutex()};
    if (!taken().insert(device).second) return std::nullopt;
    return device_claim{device};
  }
  device_claim(device_claim&& other) noexcept : device_{std::exchange(other.device_, {})} {}
  device_claim& operator=(device_claim&&) = delete;
  ~device_claim() {
    if (!device_) return;
    std::lock_guard lock{mutex()};
    taken().erase(*device_);
  }
  void keep() { device_.reset(); }

 private:
  explicit device_claim(int device) : device_{device} {}
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  static std::set<int>& taken() {
    static std::set<int> s;
    return s;
  }
  std::optional<int> device_;  ///< as it was asked for, which may be none that there is
};

constexpr std::size_t staging_bytes = std::size_t{4} << 20U;

/// 64-byte slots of a worker's inbox, 4 MiB: as many messages gather at the slowest of 132 workers among which a thousand
/// each go round, and a full inbox makes all who send to it wait (docs/adr/034).
constexpr std::uint32_t usual_inbox_slots = 1U << 16U, least_inbox_slots = 1U << 14U;
constexpr std::size_t slot_bytes = 64;

/// A worker that has just come up counts cycles for so long before its clock is believed: kernels/platform/device_clock.cuh.
constexpr std::uint64_t settling_ns = 200'000;
/// A bound on the clocks' difference that needs no further question: what drift adds until the next renewal is little.
constexpr std::int64_t clock_enough_ns = 1'200;

class cuda_engine final : public engine {
 public:
  cuda_engine(device_claim claim, driver::context context, driver::stream loop_stream,
              driver::stream copy_stream, driver::mapped_host_buffer staging, device_program code,
              const chip_plan& plan)
      : claim_{std::move(claim)},
        context_{std::move(context)},
        code_{std::move(code)},
        loop_stream_{std::move(loop_stream)},
        copy_stream_{std::move(copy_stream)},
        staging_{std::move(staging)},
        plan_{plan} {}
  ~cuda_engine() override {
    if (running_) forsake();
  }

  engine_defaults defaults() const override {
    engine_defaults d = chip_defaults(plan_);
    d.inbox_slots = d.spill_slots = usual_inbox_slots;
    d.outbox_slots = 1U << 14U;
    d.host_slots = 1U << 12U;
    d.timer_slots = 1U << 12U;
    d.buffer_slots = 1U << 14U;
    d.host_buffer_bytes = 16U << 20U;
    auto free = context_.memory();
    // inboxes and spills take a sixteenth of a small device's memory at most
    const std::size_t pair = 2 * slot_bytes * std::max(1U, plan_.workers);
    while (free && d.inbox_slots > least_inbox_slots &&
           pair * d.inbox_slots > free->free_bytes / 16) {
      d.inbox_slots = d.spill_slots /= 2;
    }
    const std::size_t quarter = free ? free->free_bytes / 4 : std::size_t{1} << 30U;
    d.arena_bytes = std::min<std::size_t>(quarter, std::size_t{4} << 30U);
    d.control_shift = 17;
    return d;
  }

  result<std::byte*> worker_bytes(std::size_t bytes) override {
    auto made = driver::device_buffer::make(context_, bytes);
    if (!made) return made.error();
    const auto at = made->address();
    device_.push_back(std::move(*made));
    if (auto ok = driver::fill_bytes(at, 0, bytes, copy_stream_); !ok) return ok.error();
    if (auto ok = copy_stream_.synchronize(); !ok) return ok.error();
    return reinterpret_cast<std::byte*>(at);
  }
  result<std::byte*> arena_bytes(std::size_t bytes) override { return worker_bytes(bytes); }
  result<shared_bytes> host_bytes(std::size_t bytes) override {
    auto made = driver::mapped_host_buffer::make(context_, bytes);
    if (!made) return made.error();
    shared_bytes out{static_cast<std::byte*>(made->host()),
                     reinterpret_cast<std::byte*>(made->device())};
    host_.push_back(std::move(*made));
    return out;
  }

  result<void> copy_in(std::byte* to, std::size_t to_pitch, const std::byte* from,
                       std::size_t from_pitch, std::size_t width, std::size_t rows) override {
    std::lock_guard lock{copy_mutex_};
    auto* stage = static_cast<std::byte*>(staging_.host());
    std::size_t used = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t done = 0; done < width;) {
        if (used == staging_bytes) {
          if (auto ok = copy_stream_.synchronize(); !ok) return ok;
          used = 0;
        }
        const std::size_t part = std::min(width - done, staging_bytes - used);
        std::memcpy(stage + used, from + r * from_pitch + done, part);
        const auto at = reinterpret_cast<driver::abi::device_ptr>(to + r * to_pitch + done);
        if (auto ok = driver::copy_to_device(at, stage + used, part, copy_stream_); !ok) return ok;
        used += part;
        done += part;
      }
    }
    return copy_stream_.synchronize();
  }
  result<void> copy_out(std::byte* to, const std::byte* from, std::size_t bytes) override {
    std::lock_guard lock{copy_mutex_};
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t part = std::min(bytes - done, staging_bytes);
      const auto at = reinterpret_cast<driver::abi::device_ptr>(from + done);
      if (auto ok = driver::copy_to_host(staging_.host(), at, part, copy_stream_); !ok) return ok;
      if (auto ok = copy_stream_.synchronize(); !ok) return ok;
      std::memcpy(to + done, staging_.host(), part);
      done += part;
    }
    return {};
  }
  /// The arena was zeroed before the loop started: a fill now might have to load its kernel, and wait for ours.
  result<void> zero(std::byte*, std::size_t) override { return {}; }

  result<void> launch(const loop::memory& m) override {
    const std::size_t bytes = m.chip_bytes;
    // chip_defaults() sees to that; another layout than the code's would be read as what it is not
    if (plan_.states_on_chip ? m.held_bytes < plan_.m.held_bytes
                             : plan_.states_in_memory && m.held_bytes != 0) {
      return error{errc::bad_option, fmt::format("a block has {} bytes for a wide actor's state; "
                                                 "its code was made for {}",
                                                 m.held_bytes, plan_.m.held_bytes)};
    }
    if (auto ok = code_.kernel.allow_dynamic_shared(bytes); !ok) return ok;
    auto fit = code_.kernel.blocks_per_processor(static_cast<int>(m.lanes), bytes);
    if (!fit) return fit.error();
    const auto most = static_cast<std::uint32_t>(*fit * context_.properties().processors);
    if (m.workers > most) {
      return error{errc::bad_option,
                   fmt::format("workers is {}; at once this device holds {}", m.workers, most)};
    }
    for (const driver::mapped_host_buffer& b : host_) {
      const auto control = reinterpret_cast<driver::abi::device_ptr>(m.control);
      if (b.device() == control) alignment_.emplace(static_cast<abi::control_page*>(b.host()));
    }
    driver::launch_shape shape;
    shape.grid = {m.workers, 1, 1};
    shape.block = {m.lanes, 1, 1};
    shape.dynamic_shared_bytes = static_cast<unsigned>(bytes);
    shape.cooperative = true;
    shape.cluster = m.cluster;
    if (m.parked != nullptr) {
      auto again = driver::graph::record(loop_stream_,
                                         [&] { return code_.kernel.launch(shape, loop_stream_); });
      if (!again) return again.error();
      again_.emplace(std::move(*again));
    }
    if (auto ok = copy_in(reinterpret_cast<std::byte*>(code_.memory), sizeof(m),
                          reinterpret_cast<const std::byte*>(&m), sizeof(m), sizeof(m), 1);
        !ok) {
      return ok;
    }
    if (auto ok = code_.kernel.launch(shape, loop_stream_); !ok) return ok;
    std::lock_guard lock{align_mutex_};
    running_ = true;
    // the worker has counted cycles for a moment only, so its first answer says that it is there and no more
    if (!alignment_->ask(100'000'000 * time_scale(), false)) {
      if (auto ok = healthy(); !ok) return ok;
      return error{errc::device_failed, "the dispatch loop did not come up within 100 ms"};
    }
    settled_ns_ = steady_clock_ns() + settling_ns;
    while (steady_clock_ns() < settled_ns_) {
    }
    alignment_->renew(clock_enough_ns, 32);
    clock_offset_ns_.store(alignment_->publish(), std::memory_order_relaxed);
    return {};
  }
  void parked() override {
    const std::lock_guard lock{align_mutex_};
    running_ = false;
  }
  /// The stream runs it behind the end of those that have left.
  result<void> relaunch() override {
    const std::lock_guard lock{align_mutex_};
    running_ = true;  // if they do not come, healthy() says so
    settled_ns_ = 0;
    return again_->launch(loop_stream_);
  }
  bool join(std::uint64_t deadline_ns) override {
    while (running_) {
      auto done = loop_stream_.done();
      if (!done || *done) {
        const std::lock_guard lock{align_mutex_};
        running_ = false;
        break;
      }
      if (steady_clock_ns() >= deadline_ns) return false;
      std::this_thread::yield();
    }
    return true;
  }
  std::uint64_t steady_ns() override { return steady_clock_ns(); }
  std::uint64_t wall_ns() override { return wall_clock_ns(); }
  std::int64_t worker_clock_offset_ns() override {
    return clock_offset_ns_.load(std::memory_order_relaxed);  // a value of its own
  }
  bool align_clock() override {
    const std::lock_guard lock{align_mutex_};
    if (!alignment_ || !running_) return false;
    if (settled_ns_ == 0) {  // as in launch(): its first answer says that it is there and no more
      if (!alignment_->ask(200'000, false)) return false;
      settled_ns_ = steady_clock_ns() + settling_ns;
    }
    if (steady_clock_ns() < settled_ns_ || !alignment_->knock()) return false;
    alignment_->renew(clock_enough_ns, 16);
    clock_offset_ns_.store(alignment_->publish(), std::memory_order_relaxed);
    return true;
  }
  std::uint64_t clock_bound_ns() override {
    std::lock_guard lock{align_mutex_};
    return alignment_ ? static_cast<std::uint64_t>(alignment_->bound_ns()) : 0;
  }
  result<void> healthy() override {
    auto done = loop_stream_.done();
    if (!done) return done.error();
    if (running_ && *done)
      return error{errc::device_failed, "the dispatch loop has ended by itself"};
    return {};
  }
  void describe(layout_report& report) const override {
    report.backend = "cuda";
    report.device = context_.properties().name;
    report.compile_ms = code_.compile_ms;
    report.load_ms = code_.load_ms;
    report.context_ms = code_.context_ms;
    report.from_cache = code_.from_cache;
    report.embedded = code_.embedded;
    if (auto has = code_.kernel.attributes()) {
      report.registers = static_cast<std::uint32_t>(has->registers);
      report.stack_bytes = static_cast<std::uint32_t>(has->local_bytes);
    }
    report.loop_spill_bytes = code_.spill_bytes;
    report.cubin_hash = code_.hash;
  }

 private:
  /// The loop still runs: freeing anything would wait for it for ever.
  void forsake() {
    for (auto& b : device_) (void)b.leak();
    for (auto& b : host_) (void)b.leak();
    (void)staging_.leak();
    if (again_) (void)again_->leak();
    (void)loop_stream_.leak();
    (void)copy_stream_.leak();
    (void)code_.library.leak();
    context_.leak();
    claim_.keep();
  }

  device_claim claim_;
  driver::context context_;
  device_program code_;
  driver::stream loop_stream_;
  driver::stream copy_stream_;
  std::optional<driver::graph> again_;  ///< the launch of the loop; only where it may be parked
  driver::mapped_host_buffer staging_;
  chip_plan plan_;
  std::vector<driver::device_buffer> device_;
  std::vector<driver::mapped_host_buffer> host_;
  std::mutex copy_mutex_;
  std::mutex align_mutex_;
  std::optional<clock_alignment> alignment_;
  std::uint64_t settled_ns_ =
      0;  ///< 0: it has not answered since it was launched; guarded by align_mutex_
  std::atomic<std::int64_t> clock_offset_ns_{0};
  std::atomic<bool> running_{false};  ///< changed under align_mutex_
};

/// How many blocks are resident at once when they come in clusters.
result<void> fit_clusters(chip_plan& plan, const device_program& code) {
  if (plan.cluster == 1) return {};
  if (auto ok = code.kernel.allow_dynamic_shared(plan.m.chip_bytes); !ok) return ok;
  driver::launch_shape shape;
  shape.grid = {plan.workers, 1, 1};
  shape.block = {plan.lanes, 1, 1};
  shape.dynamic_shared_bytes = plan.m.chip_bytes;
  shape.cluster = plan.cluster;
  auto clusters = code.kernel.clusters(shape);
  if (!clusters) return clusters.error();
  plan.workers = std::min(plan.workers, static_cast<std::uint32_t>(*clusters) * plan.cluster);
  if (plan.workers == 0) {
    return error{errc::bad_option,
                 fmt::format("no cluster of {} blocks fits on this device", plan.cluster)};
  }
  return {};
}

}  // namespace

result<std::uint32_t> cuda_processors(int device) {
  auto cuda = driver::api::load();
  if (!cuda) return cuda.error();
  auto properties = driver::describe(**cuda, device);
  if (!properties) return properties.error();
  return static_cast<std::uint32_t>(properties->processors);
}

result<std::unique_ptr<engine>> make_cuda_engine(const program& actors, const options& opts) {
  auto cuda = driver::api::load();
  if (!cuda) return cuda.error();
  auto claim = device_claim::take(opts.device);
  if (!claim) return error{errc::device_busy, fmt::format("device {}", opts.device)};
  const auto properties = driver::describe(**cuda, opts.device);
  if (!properties) return properties.error();
  if (!properties->cooperative_launch) {
    return error{errc::no_device, properties->name + " cannot launch cooperatively"};
  }
  auto plan = plan_chip(*properties, actors, opts);
  if (!plan) return plan.error();
  // NVRTC needs no context, and the driver takes a fifth of a second to make one; what is the user's is called here
  std::vector<std::string> warnings;
  options beside = opts;
  beside.on_warning = [&warnings](const std::string& text) { warnings.push_back(text); };
  auto compiling = std::async(std::launch::async | std::launch::deferred, [&] {
    return make_device_code(properties->architecture(), actors, *plan, beside);
  });
  const auto begun = std::chrono::steady_clock::now();
  auto context = driver::context::retain(**cuda, opts.device);
  const std::chrono::duration<double, std::milli> context_ms =
      std::chrono::steady_clock::now() - begun;
  const auto made = compiling.get();
  for (const std::string& text : warnings)
    if (opts.on_warning) opts.on_warning(text);
  if (!context) return context.error();
  if (!made) return made.error();
  auto code = load_device_program(*context, actors, *made);
  if (!code) return code.error();
  code->context_ms = context_ms.count();
  if (auto ok = fit_clusters(*plan, *code); !ok) return ok.error();
  auto loop_stream = driver::stream::make(*context);
  if (!loop_stream) return loop_stream.error();
  auto copy_stream = driver::stream::make(*context);
  if (!copy_stream) return copy_stream.error();
  auto staging = driver::mapped_host_buffer::make(*context, staging_bytes);
  if (!staging) return staging.error();
  return std::unique_ptr<engine>{std::make_unique<cuda_engine>(
      std::move(*claim), std::move(*context), std::move(*loop_stream), std::move(*copy_stream),
      std::move(*staging), std::move(*code), *plan)};
}

}  // namespace perdure::runtime
