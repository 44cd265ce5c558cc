// tests/kernels/world.hpp - a loop::memory over vectors, small enough that every ring wraps and every stock runs out.
// Why: files of kernels/ are tested one by one, without the runtime that normally lays memory out.
// Invariant: the memory is laid out as runtime/system/segment.cpp does it; nothing moves once it is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_loops.cuh"
#include "runtime/bridge/lane_writer.hpp"
#include "runtime/bridge/large_payloads.hpp"
#include "runtime/bridge/ring_reader.hpp"
#include "tests/kernels/glue.hpp"

namespace kernel_test {

using namespace perdure::loop;
namespace abi = perdure::abi;

struct shape {
  u32 workers = 1;
  u32 lanes = 3;
  u32 ring_shift = 6;  ///< words, as all shifts
  u32 spill_shift = 8;
  u32 out_units = 128;
  u32 chip_units = 16;
  u32 claim_slots = 8;
  u32 timer_capacity = 8;
  u32 host_shift = 7;
  u32 host_lanes = 2;
  u32 buffers = 0;
  u32 buffer_bytes = 0;
  u32 host_buffers = 0;  ///< of each host lane
  u64 stall_ns = 1000;
  bool states_on_chip = true;  ///< those of a batch
  bool counts_traffic = false;
  bool lands_ahead = false;  ///< a host lane's next batch, by idle warps
  u32 records = 0;           ///< entries of a recording that a worker has room for
};

/// An actor type of the test's program: bytes of its state.
struct type_spec {
  u32 bytes;
};

inline constexpr u32 system_number = 7;

class world {
 public:
  world(const shape& s, const std::vector<type_spec>& types,
        const std::vector<abi::handler_entry>& handlers)
      : handlers_{handlers} {
    m.workers = s.workers;
    m.lanes = s.lanes;
    m.system = system_number;
    m.host_lane_count = s.host_lanes;
    m.seed = 42;
    m.worker_magic = s.workers == 1 ? 0 : ~u64{0} / s.workers + 1;
    m.stall_ns = s.stall_ns;
    m.control_shift = 0;
    m.ring_shift = s.ring_shift;
    m.spill_shift = s.spill_shift;
    m.out_units = s.out_units;
    m.chip_units = s.chip_units;
    m.claim_slots = s.claim_slots;
    m.timer_capacity = s.timer_capacity;
    m.host_shift = s.host_shift;
    m.lane_shift = s.host_shift;
    const std::size_t w = s.workers;
    m.rings = make(rings_, w << s.ring_shift);
    m.spills = make(spills_, w << s.spill_shift);
    m.tails = make(tails_, w);
    m.heads = make(heads_, w);
    m.out_words = make(out_words_, w * s.out_units * unit_words);
    m.out_entries = make(out_entries_, w * s.out_units);
    m.timers = make(timers_, w * s.timer_capacity);
    m.timer_free = make(timer_free_, w * s.timer_capacity);
    m.host_rings = make(host_rings_, w * abi::ring_pitch(s.host_shift));
    m.host_heads = make(host_heads_, w);
    m.control = make(control_, w);
    m.pressure = &pressure_;
    m.in_flight = make(in_flight_, w * s.lanes);
    make_lanes(s);
    make_types(s, types);
    m.handlers = handlers_.data();
    m.handler_count = static_cast<u32>(handlers_.size());
    m.buffer_count = s.buffers;
    m.buffer_bytes = s.buffer_bytes;
    m.host_buffer_count = s.host_buffers * s.host_lanes;
    const std::size_t all_buffers = std::size_t{s.buffers} + m.host_buffer_count;
    m.buffers =
        reinterpret_cast<char*>(make(buffers_, (all_buffers * s.buffer_bytes + 15) / sizeof(word)));
    m.buffer_sequence = make(buffer_sequence_, all_buffers);
    make_host_buffers(s);
    m.buffer_shift = pool_shift(s.buffers);
    m.buffer_free = make(buffer_free_, std::size_t{1} << m.buffer_shift);
    m.buffer_ends = make(buffer_ends_, 3);
    fill_pool(s.buffers, m.buffer_free, buffer_free_.size(), m.buffer_ends);
    m.lane_words_in = words_a_lane;
    m.lands_ahead = s.lands_ahead ? 1 : 0;
    for (const abi::handler_entry& h : handlers_)
      if (h.on_overflow != abi::overflow::wait) m.overflow_rules = 1;
    if (s.counts_traffic) {
      m.counts_traffic = 1;
      m.cluster = 1;
      m.places = make(places, types.size() + 1);
      m.traffic = make(traffic_, w);
      m.samples = make(samples_, w * abi::samples_kept);
      m.restart = &restart;
    }
    m.record_slots = s.records;
    m.records = make(records_, w * s.records * 2);
    m.record_ends = make(record_ends_, w);
    lay_out_chip(m);
    make_room_to_park();
    for (u32 i = 0; i < s.workers; ++i) {
      chip_bytes_.emplace_back(m.chip_bytes / sizeof(word));
      chips.push_back(reinterpret_cast<on_chip*>(chip_bytes_.back().data()));
      readers_.emplace_back(m.host_rings + i * abi::ring_pitch(s.host_shift), &m.host_heads[i],
                            s.host_shift);
    }
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// Prepares all workers, each by a block of its own kind.
  template <class Block>
  void begin_all() {
    for (u32 i = 0; i < m.workers; ++i) {
      Block b{m.lanes};
      begin(b, *chips[i], m, i);
      bring_chunks(*chips[i], m, 0, 1);  // as the command does that comes with the first spawn
    }
  }

  /// For all that workers have on chip: again when that has grown.
  void make_room_to_park() {
    m.parked = reinterpret_cast<char*>(
        make(parked_, std::size_t{m.workers} * m.chip_bytes / sizeof(word)));
  }
  /// What a grid leaves behind on chip: nothing that the next one may rely on.
  void forget_chip(u32 worker) {
    std::memset(static_cast<void*>(chips[worker]), 0xdb, m.chip_bytes);
  }

  u64 spawn(u32 type, u32 index, u32 generation = 1) {
    header(type, index) = {static_cast<abi::u16>(generation), abi::slot_alive, 0};
    return abi::make_ref(index, generation, type, system_number);
  }
  abi::actor_header& header(u32 type, u32 index) {
    char* slot = slot_of(m, m.types[type], index);
    if (slot == nullptr) throw std::out_of_range{"no slot for this index"};
    return *reinterpret_cast<abi::actor_header*>(slot);
  }
  template <class T>
  T& state(u32 type, u32 index) {
    return *reinterpret_cast<T*>(slot_of(m, m.types[type], index) + m.types[type].offset);
  }

  /// Sends as another worker would: reserves a place and writes it. @return false if the ring has no room.
  template <class T>
  bool push(u64 to, u32 handler, const T& payload, u64 sender = 0, u64 stamp = 0) {
    const u32 worker = worker_of(m, abi::ref_index(to));
    const u32 words = abi::words_for(sizeof(T));
    u64& tail = m.tails[worker].value;
    if (tail + words > m.heads[worker].value + (u64{1} << m.ring_shift)) return false;
    word out[abi::max_words];
    out[0] = {abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words),
              sender & abi::data_mask};
    abi::pack_bytes(out, &payload, sizeof(T), abi::stamp_to_wire(stamp), words);
    for (u32 k = 0; k < words; ++k) {
      m.rings[(std::size_t{worker} << m.ring_shift) +
              ((tail + k) & ((u64{1} << m.ring_shift) - 1))] =
          abi::tagged(out[k], tail + k, m.ring_shift, k == 0);
    }
    tail += words;
    return true;
  }
  /// A host thread's lane: it has a way to each worker.
  class host_lane {
   public:
    host_lane(world& w, u32 which) : w_{w}, which_{which} {}
    bool try_push(u64 to, u32 handler, u64 sender, u64 stamp, const void* payload, u32 bytes) {
      auto& way = w_.lane_writers_[which_ * w_.m.workers + worker_of(w_.m, abi::ref_index(to))];
      if (bytes <= abi::inline_payload)
        return way.try_push(to, handler, sender, stamp, payload, bytes);
      auto& large = w_.large_[which_];
      if (!way.has_room(2) || !large.has_room()) return false;
      const u64 handle = large.put(payload, bytes);
      return way.try_push(to, handler, sender, stamp, &handle, sizeof(handle));
    }

   private:
    world& w_;
    u32 which_;
  };
  host_lane lane(u32 which) { return {*this, which}; }

  /// The next message to the host from this worker, if there is one.
  bool host_take(u32 worker, perdure::runtime::inbound_message& out) {
    if (!readers_[worker].peek(out)) return false;
    readers_[worker].consume();
    readers_[worker].publish();
    return true;
  }

  u64 total(abi::counter which) const {
    u64 n = 0;
    for (const on_chip* c : chips) n += counted(*c, which);
    return n;
  }
  u64 dead(abi::dead_reason why) const {
    u64 n = 0;
    for (const on_chip* c : chips) {
      n += counted(*c, static_cast<abi::counter>(static_cast<u32>(abi::counter::dead) +
                                                 static_cast<u32>(why)));
    }
    return n;
  }
  u64 dead() const {
    u64 n = 0;
    for (u32 r = 0; r < abi::dead_reasons; ++r) n += dead(static_cast<abi::dead_reason>(r));
    return n;
  }
  static u64 counted(const on_chip& c, abi::counter which) {
    return c.count[static_cast<u32>(which)] + c.tally[static_cast<u32>(which)];
  }
  /// What was noted for a recording; workers rest.
  std::vector<abi::record_entry> notes() const {
    std::vector<abi::record_entry> all;
    for (u32 i = 0; i < m.workers; ++i) {
      EXPECT_LE(record_ends_[i].next, m.record_slots);
      for (u64 n = 0; n < record_ends_[i].next; ++n) {
        const word* at = m.records + 2 * (i * m.record_slots + n);
        all.push_back({at[0].lo, at[0].hi, at[1].lo, at[1].hi});
      }
    }
    return all;
  }
  /// Of all host lanes' buffers those that nobody has.
  u32 free_host_buffers() const {
    u32 free = 0;
    for (u32 i = 0; i < m.host_buffer_count; ++i) free += host_given_[i] == host_filled_[i] ? 1 : 0;
    return free;
  }
  u32 free_buffers() const {
    const u64 taken = m.buffer_ends[buffers_taken].value,
              given = m.buffer_ends[buffers_given].value;
    std::set<u32> free;  // each once
    for (u64 t = taken; t < given; ++t) free.insert(static_cast<u32>(*place_of_free(m, t)));
    EXPECT_EQ(free.size(), m.buffer_ends[buffers_left].value);
    return static_cast<u32>(free.size());
  }

  memory m{};
  std::vector<on_chip*> chips;
  std::vector<abi::place_table> places;  ///< [type], with counts_traffic
  abi::traffic_restart restart{0, 0};

 private:
  template <class T>
  static T* make(std::vector<T>& v, std::size_t n) {
    v.assign(n, T{});
    return v.data();
  }
  void make_host_buffers(const shape& s) {
    const std::size_t bytes = std::size_t{m.host_buffer_count} * s.buffer_bytes;
    m.host_buffers = reinterpret_cast<char*>(make(host_bytes_, (bytes + 15) / sizeof(word)));
    m.host_filled = make(host_filled_, m.host_buffer_count);
    m.host_given = make(host_given_, m.host_buffer_count);
    for (u32 i = 0; i < s.host_lanes; ++i)
      large_.emplace_back(
          perdure::runtime::host_buffers{reinterpret_cast<std::byte*>(host_bytes_.data()),
                                         host_filled_.data(), host_given_.data()},
          m, i * s.host_buffers, s.host_buffers);
  }
  void make_lanes(const shape& s) {
    const std::size_t ways = std::size_t{s.host_lanes} * s.workers;
    m.lane_words = make(lane_words_, ways * abi::ring_pitch(s.host_shift));
    m.lane_heads = make(lane_heads_, ways);
    for (std::size_t i = 0; i < ways; ++i) {
      lane_writers_.emplace_back(m.lane_words + i * abi::ring_pitch(s.host_shift), &m.lane_heads[i],
                                 s.host_shift);
    }
    for (u32 i = 0; i < s.workers; ++i) m.control[i].lanes_used = s.host_lanes;
  }
  void make_types(const shape& s, const std::vector<type_spec>& types) {
    rows_.resize(types.size() + 1);
    for (std::size_t t = 1; t < rows_.size(); ++t) {
      const u32 stride = abi::slot_stride(types[t - 1].bytes, 8);
      slots_.emplace_back(std::size_t{s.workers} * abi::chunk_slots * stride / 8);
      chunks_.push_back(std::make_unique<void*>(slots_.back().data()));
      rows_[t] = {};
      rows_[t].chunks = chunks_.back().get();
      rows_[t].chunk_count = 1;
      rows_[t].stride = stride;
      rows_[t].offset = abi::state_offset(8);
      rows_[t].chunk_shift = abi::chunk_shift;
      rows_[t].on_chip = s.states_on_chip && abi::is_staged(types[t - 1].bytes, 8) ? 1 : 0;
      if (rows_[t].on_chip != 0) m.state_pitch = std::max(m.state_pitch, abi::staged_pitch(stride));
    }
    m.types = rows_.data();
    m.type_count = static_cast<u32>(types.size());
  }

  std::vector<abi::handler_entry> handlers_;
  std::vector<word> rings_, spills_, out_words_, host_rings_, lane_words_, parked_;
  std::vector<line_counter> tails_, heads_, host_heads_, lane_heads_;
  std::vector<timer_slot> timers_;
  std::vector<u32> timer_free_, buffer_sequence_;
  std::vector<u64> buffer_free_;
  std::vector<line_counter> buffer_ends_;
  std::vector<abi::control_page> control_;
  std::vector<u64> in_flight_, out_entries_;
  std::vector<perdure::runtime::lane_writer> lane_writers_;
  std::vector<perdure::runtime::ring_reader> readers_;
  std::vector<abi::type_row> rows_;
  std::vector<std::vector<u64>> slots_;
  std::vector<std::unique_ptr<void*>> chunks_;
  std::vector<abi::traffic_page> traffic_;
  std::vector<abi::traffic_sample> samples_;
  std::vector<word> buffers_, host_bytes_;
  std::vector<word> records_;
  std::vector<abi::record_end> record_ends_;
  std::vector<u32> host_filled_, host_given_;
  std::vector<perdure::runtime::large_payloads> large_;  // by host lane
  std::vector<std::vector<word>> chip_bytes_;
  u64 pressure_ = 0;
};

/// A block of N lanes run as a loop; the kinds that parameterised tests run with.
template <bool InOrder, u32 N, bool Few = false>
struct loops {
  static constexpr u32 lanes = N;
  using block = block_loops<InOrder, Few>;
};
/// Lanes in rounds whose links are those of a GPU's block where no wide actor's state fits on the chip.
struct whole_rounds : block_loops<false> {
  static constexpr bool whole_links = true;
  using block_loops<false>::block_loops;
};
template <u32 N>
struct whole_loops {
  static constexpr u32 lanes = N;
  using block = whole_rounds;
};

}  // namespace kernel_test
