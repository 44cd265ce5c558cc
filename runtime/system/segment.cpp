// runtime/system/segment.cpp - see segment.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/segment.hpp"

#include <array>
#include <cstring>

#include "kernels/dispatch/buffers.cuh"

namespace perdure::runtime {
namespace {

/// Collects the first error of several allocations, so that the caller reads like a table.
class allocator {
 public:
  explicit allocator(engine& e) : engine_{e} {}

  template <class T>
  T* workers(std::size_t count) {
    return reinterpret_cast<T*>(
        take(engine_.worker_bytes(std::max<std::size_t>(count * sizeof(T), 16))));
  }
  std::byte* arena(std::size_t bytes) { return take(engine_.arena_bytes(bytes)); }
  shared_bytes shared(std::size_t bytes) {
    auto got = engine_.host_bytes(bytes);
    host_total_ += bytes;
    if (got) return *got;
    if (!failure_) failure_ = std::make_unique<error>(got.error());
    return {};
  }
  const error* failure() const { return failure_.get(); }
  std::size_t host_total() const { return host_total_; }

 private:
  std::byte* take(result<std::byte*> got) {
    if (got) return *got;
    if (!failure_) failure_ = std::make_unique<error>(got.error());
    return nullptr;
  }
  engine& engine_;
  std::unique_ptr<error> failure_;
  std::size_t host_total_ = 0;
};

/// Where a state and what belongs to it lie in a slot.
abi::type_row row_of(const actor_info& info, const loop::memory& m) {
  abi::type_row row{};
  row.size = info.size;
  if (info.wide == nullptr) {
    row.stride = abi::slot_stride(info.size, info.align);
    row.offset = abi::state_offset(info.align);
    row.chunk_shift = abi::chunk_shift;
    row.on_chip = m.state_pitch != 0 && abi::is_staged(info.size, info.align) ? 1 : 0;
    return row;
  }
  const wide_info& wide = *info.wide;
  row.lanes = wide.lanes;
  row.ports = static_cast<std::uint16_t>(wide.ports.size());
  row.joined = wide.joined;
  row.private_bytes = wide.private_bytes;
  row.offset = abi::wide_align;
  row.links_at = row.offset + abi::wide_up(info.size);
  row.private_at =
      row.links_at + abi::wide_up(2 * row.ports * std::uint32_t{sizeof(abi::link_end)});
  row.stride = row.private_at + abi::wide_up(row.lanes * row.private_bytes);
  row.on_chip = m.held_bytes >= abi::wide_up(info.size) ? 1 : 0;
  return row;
}

result<void> put(engine& e, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return {};
  return e.copy_in(static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from), bytes,
                   bytes, 1);
}

}  // namespace

result<segment> make_segment(engine& e, const loop::memory& sized, const program& actors,
                             std::size_t arena_size, bool parks) {
  segment s;
  loop::memory& m = s.workers;
  m = sized;
  allocator a{e};
  const std::size_t w = m.workers;
  const std::size_t ring_words = std::size_t{1} << m.ring_shift;
  const std::size_t spill_words = std::size_t{1} << m.spill_shift;
  const std::size_t host_words = abi::ring_pitch(m.host_shift);
  m.rings = a.workers<loop::word>(w * ring_words);
  m.tails = a.workers<loop::line_counter>(w);
  m.heads = a.workers<loop::line_counter>(w);
  m.spills = a.workers<loop::word>(w * spill_words);
  m.out_words = a.workers<loop::word>(w * m.out_units * loop::unit_words);
  m.out_entries = a.workers<abi::u64>(w * m.out_units);
  m.timers = a.workers<loop::timer_slot>(w * m.timer_capacity);
  m.timer_free = a.workers<std::uint32_t>(w * m.timer_capacity);
  m.pressure = a.workers<abi::u64>(16);
  m.in_flight = a.workers<abi::u64>(w * m.lanes);
  const std::size_t buffers = std::size_t{m.buffer_count} + m.host_buffer_count;
  m.buffers = a.workers<char>(buffers * m.buffer_bytes);
  m.buffer_sequence = a.workers<std::uint32_t>(buffers);
  m.buffer_free = a.workers<abi::u64>(std::size_t{1} << m.buffer_shift);
  m.buffer_ends = a.workers<loop::line_counter>(3);
  if (m.wide != 0) {
    m.linked = a.workers<abi::linked_actor>(w * m.linked_most);
    m.awaited = a.workers<abi::awaited>(w * abi::noted_actors * abi::noted_ports);
    m.linked_count = a.workers<std::uint32_t>(w);
    m.region_order = a.workers<std::uint32_t>(w * 2 * m.out_units);
  }
  if (m.counts_traffic != 0) {
    m.places = a.workers<abi::place_table>(m.type_count + 1);
    m.traffic = a.workers<abi::traffic_page>(w);
    m.samples = a.workers<abi::traffic_sample>(w * abi::samples_kept);
    m.restart = a.workers<abi::traffic_restart>(1);
  }
  if (m.record_slots != 0) m.record_ends = a.workers<abi::record_end>(w);
  if (parks) m.parked = a.workers<char>(w * m.chip_bytes);
  auto* types = a.workers<abi::type_row>(m.type_count + 1);
  auto* handlers = a.workers<abi::handler_entry>(m.handler_count);
  m.types = types;
  m.handlers = handlers;
  s.arena_size = arena_size;
  s.arena = a.arena(arena_size);

  const shared_bytes control = a.shared(w * sizeof(abi::control_page));
  const shared_bytes rings = a.shared(w * host_words * sizeof(loop::word));
  const std::size_t lanes = m.host_lane_count * w;
  const shared_bytes heads = a.shared((w + lanes) * sizeof(loop::line_counter));
  const shared_bytes lane_words =
      a.shared(lanes * abi::ring_pitch(m.lane_shift) * sizeof(loop::word));
  shared_bytes large_bytes, large_filled, large_given;
  if (const std::size_t large = m.host_buffer_count; large != 0) {
    large_bytes = a.shared(large * m.buffer_bytes);
    large_filled = a.shared(large * sizeof(std::uint32_t));
    large_given = a.shared(large * sizeof(std::uint32_t));
  }
  shared_bytes records;
  if (m.record_slots != 0) records = a.shared(w * m.record_slots * sizeof(abi::record_entry));
  s.types.assign(m.type_count + 1, abi::type_row{});
  s.places.resize(m.type_count + 1);
  for (std::size_t t = 1; t <= m.type_count; ++t) {
    const actor_info& info = actors.actors[t - 1];
    abi::type_row& row = s.types[t];
    row = row_of(info, m);
    row.chunk_count =
        static_cast<std::uint32_t>(arena_size / ((w << row.chunk_shift) * row.stride) + 1);
    row.chunks = a.workers<void*>(row.chunk_count);
  }
  if (a.failure() != nullptr) return *a.failure();

  m.control = reinterpret_cast<abi::control_page*>(control.worker);
  m.host_rings = reinterpret_cast<loop::word*>(rings.worker);
  m.host_heads = reinterpret_cast<loop::line_counter*>(heads.worker);
  s.host.control = reinterpret_cast<abi::control_page*>(control.host);
  s.host.rings = reinterpret_cast<loop::word*>(rings.host);
  s.host.ring_heads = reinterpret_cast<loop::line_counter*>(heads.host);
  m.lane_words = reinterpret_cast<loop::word*>(lane_words.worker);
  m.lane_heads = m.host_heads + w;
  s.host.lane_words = reinterpret_cast<loop::word*>(lane_words.host);
  s.host.lane_heads = s.host.ring_heads + w;
  m.host_buffers = reinterpret_cast<const char*>(large_bytes.worker);
  m.host_filled = reinterpret_cast<const std::uint32_t*>(large_filled.worker);
  m.host_given = reinterpret_cast<std::uint32_t*>(large_given.worker);
  s.host.large = {large_bytes.host, reinterpret_cast<std::uint32_t*>(large_filled.host),
                  reinterpret_cast<const std::uint32_t*>(large_given.host)};

  m.records = reinterpret_cast<loop::word*>(records.worker);
  s.host.records = reinterpret_cast<const abi::record_entry*>(records.host);

  std::vector<abi::handler_entry> handler_rows;
  for (const handler_info& h : actors.handlers) {
    handler_rows.push_back({h.actor, h.message, actors.messages[h.message].size,
                            actors.actors[h.actor - 1U].on_overflow});
  }
  std::vector<abi::u64> free_buffers(std::size_t{1} << m.buffer_shift);
  std::array<loop::line_counter, 3> buffer_ends{};
  loop::fill_pool(m.buffer_count, free_buffers.data(), free_buffers.size(), buffer_ends.data());
  for (const auto& done :
       {put(e, handlers, handler_rows.data(), handler_rows.size() * sizeof(handler_rows[0])),
        put(e, types, s.types.data(), s.types.size() * sizeof(s.types[0])),
        put(e, m.buffer_free, free_buffers.data(), free_buffers.size() * sizeof(abi::u64)),
        put(e, m.buffer_ends, buffer_ends.data(), sizeof(buffer_ends))}) {
    if (!done) return done.error();
  }
  s.report.workers = m.workers;
  s.report.lanes = m.lanes;
  s.report.ring_bytes = w * ring_words * sizeof(loop::word);
  s.report.spill_bytes = w * spill_words * sizeof(loop::word);
  s.report.outbox_bytes = w * m.out_units * loop::unit_words * sizeof(loop::word);
  s.report.host_bytes = a.host_total();
  s.report.arena_bytes = arena_size;
  s.report.cluster = m.cluster;
  s.report.chip_bytes = m.chip_bytes;
  s.report.held_bytes = m.held_bytes;
  return s;
}

}  // namespace perdure::runtime
