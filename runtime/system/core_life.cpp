// runtime/system/core_life.cpp - starting, spawning, linking, looking at states.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>

#include "perdure/context.hpp"
#include "runtime/system/core.hpp"
#include "runtime/system/names_by.hpp"
#include "runtime/system/sizing.hpp"

namespace perdure::runtime {
namespace {

/// Systems of this process by number, so that a reference tells which one it belongs to.
struct registry {
  std::mutex mutex;
  core* systems[256] = {};
  std::uint32_t next = 1;
};
registry& all_systems() {
  static registry r;
  return r;
}

/// A host thread that has heard of one system and tells another is one who has seen both.
host_clock& clock_of_process() {
  static host_clock clock;
  return clock;
}

thread_local const names_by* names_of_thread = nullptr;

bool names_actor(std::uint64_t bits, std::uint64_t type_key) {
  if (const names_by* here = names_of_thread;
      here != nullptr && bits != 0 && here->is_of(abi::ref_system(bits)))
    return here->is_actor_of(bits, type_key);
  registry& r = all_systems();
  std::lock_guard lock{r.mutex};
  const core* owner = r.systems[abi::ref_system(bits)];
  return bits != 0 && owner != nullptr && owner->is_actor_of(bits, type_key);
}

result<std::uint32_t> enroll(core* c) {
  registry& r = all_systems();
  std::lock_guard lock{r.mutex};
  detail::is_actor_of = names_actor;
  for (std::uint32_t tries = 0; tries < 255; ++tries, r.next = r.next % 255 + 1) {
    if (r.systems[r.next] != nullptr) continue;
    r.systems[r.next] = c;
    const std::uint32_t number = r.next;
    r.next = r.next % 255 + 1;
    return number;
  }
  return error{errc::bad_option, "255 systems run in this process; stop one first"};
}
void resign(std::uint32_t number, const core* c) {
  registry& r = all_systems();
  std::lock_guard lock{r.mutex};
  if (r.systems[number] == c) r.systems[number] = nullptr;
}

}  // namespace

names_by::names_by(std::uint32_t system, const program_index& index)
    : system_{system}, index_{index}, before_{names_of_thread} {
  const std::lock_guard lock{all_systems().mutex};
  if (detail::is_actor_of != names_actor) detail::is_actor_of = names_actor;
  names_of_thread = this;
}
names_by::~names_by() { names_of_thread = before_; }

bool core::is_actor_of(std::uint64_t bits, std::uint64_t type_key) const {
  return names(index_, bits, type_key);
}

core::core(std::unique_ptr<engine> e, const program& actors, const options& opts)
    : actors_{actors},
      index_{actors},
      options_{opts},
      engine_{std::move(e)},
      clock_{engine_->virtual_time() ? own_clock_ : clock_of_process()} {}

result<std::shared_ptr<core>> core::start(std::unique_ptr<engine> e, const program& actors,
                                          const options& opts) {
  std::shared_ptr<core> c{new core{std::move(e), actors, opts}};
  c->life_.store(life::stopped);  // until it runs, the destructor has nothing to stop
  if (auto ok = c->launch(); !ok) return ok.error();
  return c;
}

result<void> core::launch() {
  const auto begun = std::chrono::steady_clock::now();
  loop::memory sized{};
  const engine_defaults defaults = engine_->defaults();
  if (auto ok = choose_sizes(sized, options_, defaults, actors_); !ok) return ok;
  auto number = enroll(this);
  if (!number) return number.error();
  sized.system = *number;
  const std::size_t arena =
      options_.memory_bytes != 0 ? options_.memory_bytes : defaults.arena_bytes;
  auto made =
      make_segment(*engine_, sized, actors_, arena, options_.execution != execution::resident);
  if (!made) {
    resign(*number, this);
    return made.error();
  }
  segment_ = std::move(*made);
  if (auto ok = begin_recording(); !ok) {
    resign(*number, this);
    return ok;
  }
  const loop::memory& m = segment_.workers;
  commands_ = std::make_unique<commands>(*engine_, segment_, actors_);
  spawner_ = std::make_unique<spawner>(*engine_, segment_, actors_);
  linker_ = std::make_unique<linker>(*engine_, segment_, index_, *spawner_);
  mover_ = std::make_unique<mover>(*engine_, segment_, *spawner_);
  for (std::uint32_t w = 0; w < m.workers; ++w) {
    rings_.emplace_back(segment_.host.rings + abi::ring_start(w, m.host_shift),
                        &segment_.host.ring_heads[w], m.host_shift);
    segment_.host.control[w].clock_offset_ns = engine_->worker_clock_offset_ns();
    segment_.host.control[w].lanes_used = 1;
  }
  ways_ = std::make_unique<lane_ways>(segment_.host.lane_words, segment_.host.lane_heads,
                                      segment_.host.control, m.workers, m.lane_shift);
  for (std::size_t i = 0; i < m.host_lane_count; ++i) {
    lane& l = lanes_.emplace_back();
    for (std::uint32_t w = 0; w < m.workers; ++w) l.writers.emplace_back(*ways_, w);
    const std::uint32_t each = m.host_buffer_count / m.host_lane_count;
    l.large = {segment_.host.large, m, static_cast<std::uint32_t>(i) * each, each};
  }
  auto begun_all = begin_callbacks();
  if (begun_all) begun_all = engine_->launch(m);
  if (!begun_all) {
    take_back_launch();
    resign(*number, this);
    return begun_all;
  }
  life_.store(life::running, std::memory_order_release);
  if (auto ok = begin_service(); !ok) return ok;
  segment_.report.start_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  engine_->describe(segment_.report);
  return {};
}

/// Workers that could not all be told to have come up: those that have leave, and those that come up later do so then.
void core::take_back_launch() {
  commands_->tell(abi::command::halt);
  (void)engine_->join(deadline(options_.stop_timeout));
}

result<void> core::begin_callbacks() {
  if (engine_->virtual_time() || (!options_.on_log && !options_.on_dead_letter)) return {};
  try {
    callbacks_.begin();
  } catch (const std::system_error& why) {
    return error{errc::out_of_memory, fmt::format("the thread for callbacks: {}", why.what())};
  }
  return {};
}

result<void> core::begin_service() {
  if (engine_->virtual_time()) return {};
  try {
    service_ = std::thread{[this] { serve(); }};
  } catch (const std::system_error& why) {  // the destructor stops the workers
    return error{errc::out_of_memory, fmt::format("the service thread: {}", why.what())};
  }
  return {};
}

core::~core() {
  if (life_.load() != life::stopped) (void)stop(options_.stop_timeout);
  if (service_.joinable()) {  // it is who calls the crew
    {
      std::lock_guard lock{service_mutex_};
      service_stop_ = true;
    }
    service_wake_.notify_one();
    service_.join();
  }
  crew_.dismiss();
  callbacks_.end(
      options_.stop_timeout);  // they may still use the system, and are told that it has stopped
  resign(segment_.workers.system, this);
}

void core::remember(const totals& t) {
  last_ = t;
  // should no note of it have found room on its way here
  if (const abi::u64 pair = t.at(abi::counter::overflow_pair); pair != 0)
    note_overflow(pair >> 8U & 255U, pair & 255U);
}

result<totals> core::give(abi::command what, std::uint64_t until) {
  unpark_locked();
  auto done = commands_->give(what, until, [this] { take_in(); });
  if (done) remember(*done);
  unanswered_ = !done.has_value();
  return done;
}

void core::let_run() {
  commands_->tell(abi::command::run);
  unanswered_ = true;
}

result<void> core::not_in_init(const char* call) const {
  if (!makes_states()) return {};
  return error{errc::busy, std::string{call} +
                               "() was called by the init of spawn(), which holds the system; "
                               "call it before spawn() or behind it"};
}

result<detail::raw_range> core::spawn(std::uint64_t type_key, std::size_t n,
                                      const detail::make_state& make) {
  if (auto ok = not_in_init("spawn"); !ok) return ok.error();
  if (auto ok = open_for_use(); !ok) return ok.error();
  if (auto ok = not_failed(); !ok) return ok.error();
  const std::uint32_t type = index_.actors.find(type_key);
  if (type == key_table::none)
    return error{errc::no_handler, fmt::format("{} has no such actor type", actors_.name)};
  std::lock_guard lock{control_};
  unpark_locked();  // before `make`, which is the user's and may send
  {
    std::lock_guard stopped_lock{stopped_mutex_};
    for (std::uint64_t bits : stopped_) spawner_->stopped(bits);
    stopped_.clear();
  }
  auto planned = spawner_->prepare(type + 1, n);
  if (!planned) return planned.error();
  const std::uint32_t bytes = actors_.actors[type].size;
  std::vector<std::byte> states;  // for the recording
  if (recorder_) states.resize(n * bytes);
  const std::uint64_t until = deadline(options_.stop_timeout);
  // who follows a command reads the tables that are changed below
  if (unanswered_) {
    if (auto ok = give(abi::command::run, until); !ok) return ok.error();
  }
  const bool rest = planned->reuses && !paused_;
  if (rest) {
    if (auto ok = give(abi::command::pause, until); !ok) {
      let_run();
      return ok.error();
    }
  }
  std::exception_ptr thrown;
  const auto carried_out = [&]() -> result<detail::raw_range> {
    maker_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    try {
      return spawner_->carry_out(*planned, recorder_ ? recorded_making(make, bytes, states) : make);
    } catch (...) {
      thrown = std::current_exception();
      return error{errc::cancelled};
    }
  };
  auto made = carried_out();
  maker_.store({}, std::memory_order_relaxed);
  // every worker looks once more before anybody can use the references; and goes on, whatever was thrown
  auto resumed = give(paused_ ? abi::command::pause : abi::command::run, until);
  if (thrown) std::rethrow_exception(thrown);
  if (recorder_ && made) record_spawned(*made, states);
  if (!resumed) return resumed.error();
  return made;
}

result<void> core::link(std::span<const detail::link_request> links) {
  if (auto ok = not_in_init("link"); !ok) return ok;
  std::lock_guard lock{control_};
  if (auto ok = open_for_use(); !ok) return ok;
  auto planned = linker_->plan(links);
  if (!planned) return planned.error();
  const std::uint64_t until = deadline(options_.stop_timeout);
  if (auto ok = give(abi::command::pause, until); !ok) {
    if (!paused_) let_run();
    return ok.error();
  }
  auto made = linker_->carry_out(*planned);
  if (recorder_ && made) record_links(*planned);
  auto resumed = give(paused_ ? abi::command::pause : abi::command::run, until);
  if (!made) return made;
  return resumed ? result<void>{} : result<void>{resumed.error()};
}

result<void> core::view(std::uint64_t first, std::uint64_t type_key, std::size_t n, void* out,
                        std::size_t bytes_each) {
  if (auto ok = not_in_init("view"); !ok) return ok;
  const std::uint32_t type = index_.actors.find(type_key);
  std::lock_guard lock{control_};
  if (type == key_table::none)
    return error{errc::no_handler, fmt::format("{} has no such actor type", actors_.name)};
  if (first == 0) return error{errc::null_ref};
  if (abi::ref_system(first) != segment_.workers.system) return error{errc::foreign_ref};
  if (!spawner_->known(first) || !spawner_->known(first + n - 1) ||
      abi::ref_type(first) != type + 1) {
    return error{errc::receiver_down, "no such actor"};
  }
  const life now = life_.load();
  const bool rest = !paused_ && now == life::running;
  const std::uint64_t until = deadline(options_.stop_timeout);
  if (rest) {
    auto idle = wave_is_idle(until);
    if (!idle) return idle.error();
    if (!*idle) return error{errc::busy, "view"};
    if (auto ok = give(abi::command::pause, until); !ok) {
      let_run();
      return ok.error();
    }
  }
  const std::uint32_t offset = segment_.types[type + 1].offset;
  const auto copy = [&](std::size_t i, const std::byte* image) -> result<void> {
    abi::actor_header header;
    std::memcpy(&header, image, sizeof(header));
    if (header.generation != abi::ref_generation(first)) {
      return error{
          errc::receiver_down,
          fmt::format("index {} has generation {}",
                      abi::ref_index(first) + static_cast<std::uint32_t>(i), header.generation)};
    }
    std::memcpy(static_cast<std::byte*>(out) + i * bytes_each, image + offset, bytes_each);
    return {};
  };
  auto done = each_image(first, n, copy);
  if (rest) {
    if (auto ok = give(abi::command::run, until); !ok) return ok.error();
  }
  return done;
}

result<void> core::each_image(
    std::uint64_t first, std::size_t n,
    const std::function<result<void>(std::size_t i, const std::byte* slot)>& f) {
  const std::uint32_t type = abi::ref_type(first);
  const abi::type_row& row = segment_.types[type];
  const std::size_t chunk_bytes = spawner_->chunk_actors(type) * row.stride;
  std::vector<std::byte> chunk(n == 1 ? row.stride : chunk_bytes);
  std::uint32_t loaded = ~0U;
  const auto one = [&](std::size_t i) -> result<void> {
    const std::uint32_t index = abi::ref_index(first) + static_cast<std::uint32_t>(i);
    const std::uint32_t place = segment_.place_of(type, index);
    const std::byte* image = chunk.data();
    result<void> done;
    if (n == 1) {
      done = engine_->copy_out(chunk.data(), spawner_->slot(type, index), row.stride);
    } else {
      if (const std::uint32_t number = spawner_->chunk_of(type, place); number != loaded) {
        loaded = number;
        done = engine_->copy_out(chunk.data(), spawner_->chunk(type, number), chunk_bytes);
      }
      image += spawner_->offset_in_chunk(type, place);
    }
    return done ? f(i, image) : done;
  };
  result<void> done;
  if (n == 1 || segment_.places[type].empty()) {
    for (std::size_t i = 0; i < n && done; ++i) done = one(i);
    return done;
  }
  std::vector<std::pair<std::uint32_t, std::size_t>> order;  // of places: each chunk is loaded once
  order.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    order.emplace_back(
        segment_.place_of(type, abi::ref_index(first) + static_cast<std::uint32_t>(i)), i);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < n && done; ++i) done = one(order[i].second);
  return done;
}

}  // namespace perdure::runtime
