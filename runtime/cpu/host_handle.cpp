// runtime/cpu/host_handle.cpp - see host_handle.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/host_handle.hpp"

#include <cstring>

#include "perdure/context.hpp"

namespace perdure::runtime {
namespace {

struct host_lane_state : detail::lane {
  loop::lane_state* call;
  const program_index* index;
};

loop::lane_state& call_of(detail::lane& l) { return *static_cast<host_lane_state&>(l).call; }
const program_index& index_of(detail::lane& l) { return *static_cast<host_lane_state&>(l).index; }

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

void send(detail::lane& l, std::uint64_t to, std::uint64_t key, const void* m,
          std::uint32_t bytes) {
  loop::lane_state& call = call_of(l);
  const std::uint32_t handler = index_of(l).handlers.find(key);
  carry(
      call, m, bytes, [&](const auto& payload) { return call.send(to, handler, payload); },
      [&] { call.exhausted(to, handler); });
}
void after(detail::lane& l, std::uint64_t delay_ns, std::uint64_t to, std::uint64_t key,
           const void* m, std::uint32_t bytes) {
  loop::lane_state& call = call_of(l);
  const std::uint32_t handler = index_of(l).handlers.find(key);
  carry(
      call, m, bytes,
      [&](const auto& payload) { return call.after(delay_ns, to, handler, payload); },
      [&] { call.exhausted(to, handler); });
}
void send_host(detail::lane& l, std::uint64_t to, std::uint64_t key, const void* m,
               std::uint32_t bytes) {
  loop::lane_state& call = call_of(l);
  const std::uint32_t message = index_of(l).messages.find(key);
  carry(
      call, m, bytes,
      [&](const auto& payload) { return call.send_host(to, message, payload), true; }, [] {});
}
void reply(detail::lane& l, std::uint64_t key, const void* m, std::uint32_t bytes) {
  loop::lane_state& call = call_of(l);
  const std::uint32_t message = index_of(l).messages.find(key);
  carry(
      call, m, bytes, [&](const auto& payload) { return call.reply(message, payload), true; },
      [] {});
}
void log(detail::lane& l, std::uint64_t format_key, std::uint32_t count, std::uint64_t kinds,
         const std::uint64_t* values) {
  loop::lane_state& call = call_of(l);
  loop::u32 raw[29] = {static_cast<loop::u32>(format_key),
                       static_cast<loop::u32>(format_key >> 32U), count,
                       static_cast<loop::u32>(kinds), static_cast<loop::u32>(kinds >> 32U)};
  std::memcpy(raw + 5, values, std::size_t{std::min(count, 12U)} * 8);
  loop::post_to_host(*call.chip, *call.mem, abi::host_kind::log, 0, call.own(), call.now(), raw);
}

constexpr detail::lane_ops ops{
    send,
    send_host,
    reply,
    after,
    [](detail::lane& l) { return std::uint64_t{call_of(l).now()}; },
    [](detail::lane& l) { return std::uint64_t{call_of(l).random()}; },
    log,
    [](detail::lane& l) { call_of(l).stop(); },
    [](detail::lane& l, std::uint32_t reason) { call_of(l).fail(reason); },
};

}  // namespace

void host_handle::operator()(loop::u32 handler, void* state, const loop::message_view& message,
                             loop::lane_state& call) const {
  host_lane_state lane;
  lane.ops = &ops;
  lane.self = call.self;
  lane.sender = call.sender();
  lane.call = &call;
  lane.index = index_;
  context ctx{lane};
  const handler_info& info = index_->of.handlers[handler];
  const std::uint32_t bytes = index_->of.messages[info.message].size;
  if (bytes > abi::inline_payload) {
    info.invoke(state, loop::open_buffer(*message.mem, message.handle()), ctx);
    return;
  }
  alignas(16) unsigned char payload[abi::inline_payload];
  abi::unpack_bytes(payload, message.words, bytes, message.count);
  info.invoke(state, payload, ctx);
}

}  // namespace perdure::runtime
