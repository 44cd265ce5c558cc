// runtime/cpu/host_handle.cpp - see host_handle.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/host_handle.hpp"

#include <cstring>

#include "kernels/platform/block_loops.cuh"
#include "perdure/block_context.hpp"

namespace perdure::runtime {
namespace {

/// A small actor's call.
struct small_lane : detail::lane {
  loop::lane_state* call;
  const program_index* index;

  loop::lane_state& state_of_call() { return *call; }
};
/// A wide actor's call.
template <class Block>
struct wide_lane : detail::block_lane {
  loop::wide_call<Block>* made;
  const program_index* index;

  loop::lane_state& state_of_call() { return made->call; }
};

template <class Lane>
loop::lane_state& call_of(detail::lane& l) {
  return static_cast<Lane&>(l).state_of_call();
}
template <class Lane>
const program_index& index_of(detail::lane& l) {
  return *static_cast<Lane&>(l).index;
}

/// Gives `send` the message itself, or the handle of a buffer that holds it.
template <class Send, class Exhausted>
void carry(loop::lane_state& call, const void* m, std::uint32_t bytes, Send send,
           Exhausted exhausted) {
  if (bytes <= abi::inline_payload) {
    send(loop::payload_bytes{m, bytes});
    return;
  }
  const std::uint32_t buffer = loop::take_buffer(*call.mem);
  if (buffer == ~0U) return exhausted();
  std::memcpy(loop::buffer_at(*call.mem, buffer), m, bytes);
  const std::uint64_t handle = loop::publish_buffer(*call.mem, buffer);
  if (!send(loop::payload_bytes{&handle, sizeof(handle)})) loop::give_buffer(*call.mem, buffer);
}

/// Of what lanes send side by side on a device those have stamps that have a place; so here, too, in a region.
/// @param before  the stamp before it was sent.
template <class Lane>
void forget_event(detail::lane& l, bool reaches, std::uint64_t before) {
  if constexpr (requires(Lane& lane) { lane.inside; }) {
    if (static_cast<Lane&>(l).inside && !reaches) call_of<Lane>(l).stamp = before;
  }
}

template <class Lane>
void send(detail::lane& l, std::uint64_t to, std::uint64_t key, const void* m,
          std::uint32_t bytes) {
  loop::lane_state& call = call_of<Lane>(l);
  const std::uint32_t handler = index_of<Lane>(l).handlers.find(key);
  const std::uint64_t before = call.stamp;
  carry(
      call, m, bytes, [&](const auto& payload) { return call.send(to, handler, payload); },
      [&] { call.no_buffer(to, handler); });
  forget_event<Lane>(l, call.may_reach(to), before);
}
template <class Lane>
void after(detail::lane& l, std::uint64_t delay_ns, std::uint64_t to, std::uint64_t key,
           const void* m, std::uint32_t bytes) {
  loop::lane_state& call = call_of<Lane>(l);
  const std::uint32_t handler = index_of<Lane>(l).handlers.find(key);
  carry(
      call, m, bytes,
      [&](const auto& payload) { return call.after(delay_ns, to, handler, payload); },
      [&] { call.no_buffer(to, handler); });
}
template <class Lane>
void send_host(detail::lane& l, std::uint64_t to, std::uint64_t key, const void* m,
               std::uint32_t bytes) {
  loop::lane_state& call = call_of<Lane>(l);
  const std::uint32_t letter = abi::letter_of(index_of<Lane>(l).messages.find(key), bytes);
  const std::uint64_t before = call.stamp;
  carry(
      call, m, bytes, [&](const auto& payload) { return call.send_host(to, letter, payload); },
      [&] { call.no_buffer_to_host(false); });
  forget_event<Lane>(l, call.may_reach_host(to), before);
}
template <class Lane>
void reply(detail::lane& l, std::uint64_t key, const void* m, std::uint32_t bytes) {
  loop::lane_state& call = call_of<Lane>(l);
  const std::uint32_t letter = abi::letter_of(index_of<Lane>(l).messages.find(key), bytes);
  carry(
      call, m, bytes, [&](const auto& payload) { return call.reply(letter, payload); },
      [&] { call.no_buffer_to_host(true); });
}
template <class Lane>
void log(detail::lane& l, std::uint64_t format_key, std::uint32_t count, std::uint64_t kinds,
         const std::uint64_t* values) {
  call_of<Lane>(l).log(format_key, count, kinds, values);
}

template <class Lane>
constexpr detail::lane_ops ops{
    send<Lane>,
    send_host<Lane>,
    reply<Lane>,
    after<Lane>,
    [](detail::lane& l) { return std::uint64_t{call_of<Lane>(l).now()}; },
    [](detail::lane& l) { return std::uint64_t{call_of<Lane>(l).random()}; },
    log<Lane>,
    [](detail::lane& l) { call_of<Lane>(l).stop(); },
    [](detail::lane& l, std::uint32_t reason) { call_of<Lane>(l).fail(reason); },
};

template <class Block>
abi::link_end& out_port(const loop::wide_call<Block>& made, unsigned port) {
  return (*made.chip)[made.mem->ends][abi::max_ports + port % abi::max_ports];
}

/// Whether a message of that key may be committed at the port.
template <class Block>
bool takes(const wide_lane<Block>& lane, const abi::link_end& out, unsigned port,
           std::uint64_t message_key) {
  return (lane.made->open_ports >> port % abi::max_ports & 1U) != 0 && loop::is_linked(out) &&
         out.message == lane.index->messages.find(message_key);
}

template <class Block>
void* open_port(detail::block_lane& l, unsigned port, std::uint64_t message_key, bool& linked) {
  auto& lane = static_cast<wide_lane<Block>&>(l);
  const loop::wide_call<Block>& made = *lane.made;
  const abi::link_end& out = out_port(made, port);
  linked = takes(lane, out, port, message_key);
  char* const stage = (*made.chip)[made.mem->stage];
  if (!linked) return stage;
  if constexpr (Block::in_order) {
    // a second message of the call is none; the first one may be its receiver's by now
    return (made.committed >> port % abi::max_ports & 1U) != 0
               ? stage
               : loop::whole_message(out, out.count + 1);
  } else {
    return stage + out.place;
  }
}
/// The messages of a joined call.
template <class Block>
abi::landed_messages landed_of(const loop::wide_call<Block>& made,
                               [[maybe_unused]] const void* (&whole)[abi::max_ports]) {
  if constexpr (Block::in_order) {
    for (loop::u32 p = 0; p < abi::max_ports; ++p) {
      const abi::link_end& in = (*made.chip)[made.mem->ends][p];
      whole[p] = in.slots == 0 ? nullptr : loop::whole_message(in, in.count + 1);
    }
    return {nullptr, nullptr, whole};
  } else {
    return {made.landed, made.landed_at, nullptr};
  }
}

/// As loop::wide_lane's, for a port that open_port() was called for.
template <class Block>
void commit_port(detail::block_lane& l, unsigned port, std::uint64_t message_key) {
  auto& lane = static_cast<wide_lane<Block>&>(l);
  loop::wide_call<Block>& made = *lane.made;
  const abi::link_end& out = out_port(made, port);
  const loop::u32 bit = 1U << port % abi::max_ports;
  if (((made.committed | made.lost) & bit) != 0) return;
  ++made.call.stamp;
  if (!takes(lane, out, port, message_key)) {
    made.lost |= bit;
    return;
  }
  made.committed |= bit;
  made.written |= bit;
  if constexpr (Block::in_order) {
    loop::publish_whole(out, made.call.stamp);
  } else {
    loop::commit_stamps stamps;
    (void)stamps.note(port % abi::max_ports, made.call.stamp);
    loop::write_links(*made.block, *made.chip, *made.mem, bit, stamps);
  }
}
template <class Block>
constexpr detail::block_ops wide_ops{
    open_port<Block>, commit_port<Block>,
    [](detail::block_lane& l, std::uint32_t region, std::uint32_t index, std::uint32_t draw) {
      return std::uint64_t{call_of<wide_lane<Block>>(l).random_at(region, index, draw)};
    }};

}  // namespace

void host_handle::operator()(loop::u32 handler, void* state, const loop::message_view& message,
                             loop::lane_state& call) const {
  small_lane lane;
  lane.ops = &ops<small_lane>;
  lane.self = call.self;
  lane.sender = call.sender();
  lane.call = &call;
  lane.index = index_;
  context ctx{lane};
  const handler_info& info = index_->of.handlers[handler];
  const std::uint32_t bytes = index_->of.messages[info.message].size;
  if (bytes > abi::inline_payload) {
    info.invoke(state, loop::open_buffer(*message.mem, message.handle(), bytes), ctx);
    return;
  }
  alignas(16) unsigned char payload[abi::unpacked_room(abi::max_words)];
  message.unpack(payload);
  info.invoke(state, payload, ctx);
}

template <class Block>
void host_handle::wide(loop::wide_call<Block>& made, loop::u32 handler, const void* message) const {
  const handler_info& info = index_->of.handlers[handler];
  const program_index::places_of_actor& places = index_->places[info.actor];
  wide_lane<Block> lane;
  lane.ops = &ops<wide_lane<Block>>;
  lane.wide = &wide_ops<Block>;
  lane.self = made.call.self;
  lane.sender = made.call.sender();
  lane.state = made.state;
  lane.store = made.store;
  lane.places = places.of_marker.data();
  lane.first_marker = places.first_marker;
  lane.lanes = index_->of.actors[info.actor - 1U].wide->lanes;
  lane.made = &made;
  lane.index = index_;
  const void* whole[abi::max_ports];
  abi::landed_messages landed{};
  if (message == nullptr) landed = landed_of(made, whole);
  info.invoke_wide(made.state, message, landed, lane);
}

template void host_handle::wide(loop::wide_call<loop::block_loops<true>>&, loop::u32,
                                const void*) const;
template void host_handle::wide(loop::wide_call<loop::block_loops<false>>&, loop::u32,
                                const void*) const;

}  // namespace perdure::runtime
