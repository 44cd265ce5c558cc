// tests/kernels/wide/wide_world.hpp - a world of wide actors with links, laid out as runtime/system does it.
// Why: kernels/wide is tested file by file, with loops and with real threads for lanes, and no runtime or GPU.
// Invariant: nothing moves once it is made; links are made before the workers look at them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>

#include "tests/kernels/world.hpp"

namespace kernel_test {

/// An actor type of the test's program; lanes == 0: a small one.
struct wide_spec {
  u32 bytes;
  u32 lanes = 0;
  u32 ports = 0;
  u32 private_bytes = 0;
  bool on_chip = false;
  u32 joined = 0;  ///< 1 + handler
};

class wide_world : public world {
 public:
  static constexpr u32 actors_a_worker = 8;
  static constexpr u32 most_message = 2048;  ///< bytes through a link

  wide_world(const shape& s, const std::vector<wide_spec>& types,
             const std::vector<abi::handler_entry>& handlers, u32 cache_ways = 0)
      : world{s, {}, handlers}, rows_(types.size() + 1) {
    m.cache_ways = cache_ways;
    m.wide = 1;
    m.cluster = 1;
    m.linked_most = 96;
    m.linked = (linked_.assign(std::size_t{s.workers} * m.linked_most, {}), linked_.data());
    m.awaited = (awaited_.assign(std::size_t{s.workers} * abi::noted_actors * abi::noted_ports, {}),
                 awaited_.data());
    m.linked_count = (linked_count_.assign(s.workers, 0), linked_count_.data());
    m.region_order =
        (region_order_.assign(std::size_t{s.workers} * 2 * s.out_units, 0), region_order_.data());
    m.stage_spare = abi::landed_bytes(most_message);
    for (std::size_t t = 1; t < rows_.size(); ++t) lay_out_type(rows_[t], types[t - 1]);
    m.types = rows_.data();
    m.type_count = static_cast<u32>(types.size());
    lay_out_chip(m);
    make_room_to_park();
    chips.clear();
    for (u32 i = 0; i < s.workers; ++i) {
      chips.push_back(reinterpret_cast<on_chip*>(chip_.emplace_back(m.chip_bytes / 16 + 1).data()));
    }
  }

  abi::link_end& end(u32 type, u32 index, u32 port, bool in) {
    const abi::type_row& row = rows_[type];
    return ends_in_slot(row, slot_of(m, row, index))[(in ? 0 : row.ports) + port];
  }
  /// One type for all: from `a`'s out-port to `b`'s in-port.
  void link(u32 type, u32 a, u32 out, u32 b, u32 in, u32 bytes, u32 slots = 2) {
    abi::link_end made{};
    made.slots = slots;
    made.bytes = bytes;
    made.words_a_message = abi::link_words(bytes);
    made.words = words_.emplace_back(std::size_t{slots} * made.words_a_message).data();
    made.taken = &taken_.emplace_back();
    made.own = a == b ? 1 : 0;
    end(type, a, out, false) = made;
    end(type, b, in, true) = made;
    enlist(type, b);
  }
  /// Puts an actor on its worker's list of those that something is linked to.
  void enlist(u32 type, u32 index) {
    const u32 worker = worker_of(m, index);
    abi::linked_actor* list = m.linked + std::size_t{worker} * m.linked_most;
    u32& n = m.linked_count[worker];
    for (u32 i = 0; i < n; ++i) {
      if (list[i].type == type && list[i].index == index) return;
    }
    list[n++] = {type, index, 0, 0, 0, 0, 0};
  }
  abi::linked_actor& listed(u32 worker, u32 n = 0) {
    return m.linked[std::size_t{worker} * m.linked_most + n];
  }
  /// As obey() does when the host gives a command.
  void tell_links() {
    for (u32 w = 0; w < m.workers; ++w) chips[w]->linked = m.linked_count[w];
  }
  /// 32-bit piece `p` of a lane's per_lane values, as private_values keeps them in a slot.
  u32& private_piece(u32 type, u32 index, u32 p, u32 lane) {
    const abi::type_row& row = rows_[type];
    return reinterpret_cast<u32*>(slot_of(m, row, index) + row.private_at)[p * row.lanes + lane];
  }

 private:
  void lay_out_type(abi::type_row& row, const wide_spec& spec) {
    row = {};
    row.size = spec.bytes;
    row.lanes = static_cast<abi::u16>(spec.lanes);
    row.ports = static_cast<abi::u16>(spec.ports);
    row.private_bytes = spec.private_bytes;
    row.on_chip = spec.on_chip ? 1 : 0;
    row.joined = static_cast<abi::u16>(spec.joined);
    row.offset = abi::wide_align;
    row.links_at = row.offset + abi::wide_up(spec.bytes);
    row.private_at = row.links_at + abi::wide_up(2 * spec.ports * u32{sizeof(abi::link_end)});
    row.stride = row.private_at + abi::wide_up(spec.lanes * spec.private_bytes);
    auto& chunks = chunks_.emplace_back();
    for (u32 n = 0; n < actors_a_worker; ++n) {
      chunks.push_back(slots_.emplace_back(std::size_t{m.workers} * row.stride / 16 + 1).data());
    }
    row.chunks = chunks.data();
    row.chunk_count = actors_a_worker;
    if (spec.on_chip) m.held_bytes = std::max(m.held_bytes, abi::wide_up(spec.bytes));
    m.run_most = std::max(m.run_most, 2 * spec.ports * abi::link_runs(most_message, m.lanes));
    m.land_bytes = std::max(m.land_bytes, spec.ports * abi::landed_bytes(most_message));
    m.stage_bytes = std::max(m.stage_bytes, (spec.ports + 1) * abi::landed_bytes(most_message));
  }

  std::vector<abi::type_row> rows_;
  std::deque<std::vector<void*>> chunks_;
  std::deque<std::vector<word>> slots_, words_, chip_;
  std::deque<u64> taken_;
  std::vector<abi::linked_actor> linked_;
  std::vector<abi::awaited> awaited_;
  std::vector<u32> linked_count_, region_order_;
};

/// Writes the next message of a link, as write_links() does for a whole call; counted by the caller.
template <class Block>
void write_message(abi::link_end& out, const u32* from, u64 stamp) {
  if constexpr (Block::whole_links) {
    std::memcpy(whole_message(out, out.count + 1), from, abi::link_pieces(out.bytes) * 4);
    return publish_whole(out, stamp);
  }
  std::vector<u32> filled(std::size_t{out.words_a_message} * abi::link_word_pieces);
  std::copy_n(from, abi::link_pieces(out.bytes), filled.begin());
  filled[abi::link_pieces(out.bytes)] = static_cast<u32>(stamp);
  filled[abi::link_pieces(out.bytes) + 1] = static_cast<u32>(stamp >> 32U);
  const u32* p = filled.data();
  for (u32 k = 0; k < out.words_a_message; ++k, p += abi::link_word_pieces) {
    store<order::relaxed, scope::device>(
        out.words + place_in_link(out, k, out.count + 1),
        abi::link_word(p[0], p[1], p[2], static_cast<u32>(out.count) + 1));
  }
}

/// What a wide handler of a test with loops sends: `message` as the call's only one at this port.
template <class Block, class M>
void commit(wide_call<Block>& made, u32 port, const M& message) {
  static_assert(sizeof(M) <= wide_world::most_message);
  alignas(16) u32 raw[wide_world::most_message / 4] = {};
  std::memcpy(raw, &message, sizeof(M));
  ++made.call.stamp;
  made.committed |= 1U << port;
  made.written |= 1U << port;
  write_message<Block>((*made.chip)[made.mem->ends][abi::max_ports + port], raw, made.call.stamp);
}
/// The joined message of a port.
template <class M, class Block>
M landed(const wide_call<Block>& made, u32 port) {
  M out;
  const char* at = nullptr;
  if constexpr (Block::whole_links) {
    const abi::link_end& in = (*made.chip)[made.mem->ends][port];
    at = whole_message(in, in.count + 1);
  } else {
    at = made.landed + made.landed_at[port];
  }
  std::memcpy(&out, at, sizeof(M));
  return out;
}

/// The handlers of a program whose lanes are a loop: functions, called once for all lanes.
template <class Block>
struct loop_handle {
  static constexpr u32 private_bytes = 0;
  static constexpr bool wide_alike = false;
  std::function<void(u32 handler, void* state, const message_view&, lane_state&)> small;
  std::function<void(u32 handler, wide_call<Block>& made, const void* message)> on;

  /// A message of a stream is taken apart, and its envelope's stamp is lost; tests look at that.
  static bool is_hot(u32 /*handler*/) { return false; }
  void operator()(u32 handler, void* state, const message_view& view, lane_state& call) const {
    small(handler, state, view, call);
  }
  void wide(wide_call<Block>& made, u32 handler, const void* message) const {
    on(handler, made, message);
  }
  void joined(wide_call<Block>& made, u32 handler) const { on(handler, made, nullptr); }
};

}  // namespace kernel_test
