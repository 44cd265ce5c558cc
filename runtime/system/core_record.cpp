// runtime/system/core_record.cpp - what a system puts into its recording (options.record).
// Why: what comes from outside is put down as it comes, what the workers have noted when they have left.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/system/core.hpp"

namespace perdure::runtime {

result<void> core::begin_recording() {
  if (options_.record.empty()) return {};
  auto made = recorder::open(options_.record, actors_, options_.seed, segment_.workers.system);
  if (!made) return made.error();
  recorder_ = std::move(*made);
  return {};
}

/// As `make`, and puts down what it made. @param states  room for all; lives as long as what is returned
detail::make_state core::recorded_making(const detail::make_state& make, std::uint32_t bytes,
                                         std::vector<std::byte>& states) {
  return [&make, &states, bytes](std::size_t i, void* at) {
    make(i, at);
    std::memcpy(states.data() + i * bytes, at, bytes);
  };
}

void core::record_spawned(const detail::raw_range& made, std::span<const std::byte> states) {
  recorder_->spawned(made.first, made.size, states);
  recorded_.push_back(made);
}
void core::record_links(const std::vector<linker::plan_of_link>& links) {
  std::vector<recorded::link_row> rows;
  rows.reserve(links.size());
  for (const auto& l : links)
    rows.push_back(
        {l.request.from, l.request.to, l.request.out_port, l.request.in_port, l.message, 0});
  recorder_->linked(rows);
}
/// `n` messages, stamps in a row; those that were dropped after all are taken by nobody. Under the lane's lock, which stop() waits
/// for before the recording ends.
void core::record_sent(const std::uint64_t* to, std::uint32_t handler, std::uint64_t sender,
                       std::uint64_t stamp, const void* m, std::uint32_t bytes, std::size_t n) {
  const auto* at = static_cast<const std::byte*>(m);
  for (std::size_t i = 0; i < n; ++i, at += bytes)
    recorder_->sent({to[i], sender & abi::data_mask, stamp + i, handler, bytes}, at);
}

/// A worker's part, as far as it was written. @param n  entries, if it is known; else those that are there.
std::vector<abi::record_entry> core::entries_of(std::uint32_t worker, std::uint64_t n) const {
  const std::uint64_t slots = segment_.workers.record_slots;
  const abi::record_entry* first = segment_.host.records + worker * slots;
  std::vector<abi::record_entry> all;
  for (std::uint64_t i = 0, none = 0; i < std::min(n, slots); ++i) {
    // relaxed: workers that have not left may be writing others
    const auto half = [&](const std::uint64_t& of) {
      return loop::load<loop::order::relaxed, loop::scope::system>(&of);
    };
    const abi::record_entry e{half(first[i].actor), half(first[i].stamp), half(first[i].from),
                              half(first[i].what)};
    const bool there = e.kind() != abi::record_kind::none && e.stamp != 0;
    if (there) all.push_back(e);
    none = there ? 0 : none + 1;
    if (n == ~std::uint64_t{0} && none > segment_.workers.lanes)
      break;  // so many at most are under way
  }
  return all;
}

/// What actors have come to, some at a time.
result<void> core::record_states(const detail::raw_range& r) {
  constexpr std::size_t at_once = std::size_t{1} << 16U;
  const std::uint32_t type = abi::ref_type(r.first);
  const std::uint32_t size = actors_.actors[type - 1].size;
  const std::size_t each = sizeof(abi::actor_header) + size;
  std::vector<std::byte> states;
  for (std::size_t from = 0; from < r.size; from += at_once) {
    const std::size_t n = std::min(at_once, r.size - from);
    states.resize(n * each);
    auto done = each_image(r.first + from, n, [&](std::size_t i, const std::byte* image) {
      std::memcpy(states.data() + i * each, image, sizeof(abi::actor_header));
      std::memcpy(states.data() + i * each + sizeof(abi::actor_header),
                  image + segment_.types[type].offset, size);
      return result<void>{};
    });
    if (!done) return done;
    recorder_->states(r.first + from, n, states);
  }
  return {};
}

/// @param left  the workers have: their actors' states are the last ones.
/// @param warning  for on_warning, which may use the system: for who has no lock any more.
result<void> core::end_recording(bool left, std::string& warning) try {
  if (recorder_ == nullptr) return {};
  const loop::memory& m = segment_.workers;
  std::vector<abi::record_end> ends(m.workers);
  const bool told = engine_
                        ->copy_out(reinterpret_cast<std::byte*>(ends.data()),
                                   reinterpret_cast<const std::byte*>(m.record_ends),
                                   ends.size() * sizeof(ends[0]))
                        .has_value();
  std::uint64_t missing = ~std::uint64_t{0};
  for (std::uint32_t w = 0; w < m.workers; ++w) {
    // a device that has failed says nothing; those that it has written are here
    recorder_->taken(entries_of(w, told ? ends[w].next : ~std::uint64_t{0}));
    if (ends[w].missing != 0) missing = std::min(missing, ~ends[w].missing);
  }
  if (missing != ~std::uint64_t{0}) {
    warning = fmt::format(
        "{}: the recording ends before the run did: record_slots ({}) was too little, or a "
        "message of a region found no room",
        options_.record.string(), m.record_slots);
  }
  for (const detail::raw_range& r : recorded_) {
    if (!left || !record_states(r)) break;
  }
  return recorder_->finish(missing, !left || !told);
} catch (const std::bad_alloc&) {
  return error{errc::out_of_memory, fmt::format("{}: the recording", options_.record.string())};
}

}  // namespace perdure::runtime
