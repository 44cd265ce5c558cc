// runtime/replay/machine.cpp - see machine.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/replay/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "perdure/text.hpp"
#include "runtime/replay/lanes.hpp"
#include "runtime/system/log_text.hpp"

namespace perdure::runtime {

machine::machine(const program_index& index, const recording& of, const replay_options& opts)
    : index_{index}, of_{of}, opts_{opts} {
  memory_.seed = of.head.seed;
  memory_.system = of.head.system;
  for (const auto& some : of.spawned) actors_.add(some, index.of);
  for (const recorded::link_row& l : of.links) {
    const actor_place from = actors_.find(l.from), to = actors_.find(l.to);
    if (!from || !to || from.range->info->wide == nullptr || to.range->info->wide == nullptr)
      continue;  // an entry that needs it says so
    std::uint32_t bytes = index.of.messages[l.message].size;
    for (const std::uint16_t m : to.range->info->wide->joins)
      bytes = std::max(bytes, index.of.messages[m].size);
    links_.push_back({l.message, bytes, {}});
    from.wide().out[l.out_port] = to.wide().in[l.in_port] =
        static_cast<std::uint32_t>(links_.size());
  }
  for (const message_info& m : index.of.messages) largest_ = std::max(largest_, m.size);
  scratch_ = aligned_bytes{largest_};
  for (const auto& m : of.sent) {
    sent_.insert_or_assign(sending{m.row.sender, abi::stamp_to_wire(m.row.stamp)},
                           message{m.row.to, m.row.handler, m.row.bytes, m.at, {}});
  }
}

result<replay_report> machine::run() {
  if (!opts_.trace.empty()) {
    std::uint64_t begin = of_.taken.empty() ? 0 : of_.taken.front().stamp;
    for (const auto& m : of_.sent) begin = std::min(begin, m.row.stamp);
    auto made = trace::open(opts_.trace, begin);
    if (!made) return made.error();
    trace_ = std::move(*made);
  }
  report_.whole = of_.end.missing == ~std::uint64_t{0} && of_.end.cut_short == 0;
  for (const abi::record_entry& e : of_.taken) {
    auto done = take(e);
    // what it lacks may be what was not written
    if (!done && of_.end.cut_short != 0 && done.error().code() == errc::diverged) break;
    if (!done) return done.error();
    if (report_.ended) break;
  }
  report_.left = sent_.size();
  if (report_.whole && !report_.ended) compare();
  if (trace_) {
    if (auto ok = trace_->finish(); !ok) return ok.error();
  }
  return report_;
}

result<void> machine::take(const abi::record_entry& e) {
  switch (e.kind()) {
    case abi::record_kind::message:
      return take_message(e);
    case abi::record_kind::firing:
      return take_firing(e);
    case abi::record_kind::timer:
      return take_timer(e);
    case abi::record_kind::ports:
      ports_ = e;
      return {};
    default:
      return error{errc::bad_recording, "an entry of a kind that there is none of"};
  }
}

std::string machine::name_of(std::uint64_t bits) const {
  const std::uint32_t type = abi::ref_type(bits);
  if (type == 0 || type > index_.of.actors.size()) return bits == 0 ? "a host" : "a host's ask";
  std::string name = fmt::format("{}#{}", index_.of.actors[type - 1].name, abi::ref_index(bits));
  if (abi::ref_generation(bits) > 1) name += fmt::format(".{}", abi::ref_generation(bits));
  return name;
}
error machine::diverges(const abi::record_entry& e, const std::string& how) const {
  return error{errc::diverged,
               fmt::format("call {}, of {} at {}.{}: {}", report_.messages + report_.firings,
                           name_of(e.actor), e.stamp >> 16U, e.stamp & 0xffffU, how)};
}

result<actor_place> machine::living(const abi::record_entry& e) {
  const actor_place who = actors_.find(e.actor);
  if (!who) return diverges(e, "the recording has no such actor");
  if (who.header().status != abi::slot_alive)
    return diverges(e, "the actor has stopped in an earlier call");
  return who;
}
loop::lane_state machine::call_of(const abi::record_entry& e, const actor_place& who) const {
  return {nullptr, &memory_,        e.actor, e.sender(), e.stamp, 0, who.header().handled,
          0,       abi::slot_alive, 0};
}
void machine::end_call(const loop::lane_state& call, const actor_place& who, std::uint64_t began,
                       std::string_view handler) {
  if (trace_) trace_->call(call.self, name_of(call.self), handler, began, call.stamp);
  who.header().handled = call.handled + 1;
  who.header().status = static_cast<abi::u16>(call.status);
}
bool machine::ask(const abi::record_entry& e, const actor_place& who, std::uint64_t sender,
                  std::string_view message_type, const void* message) {
  if (!opts_.on_call) return true;
  const bool more =
      opts_.on_call({report_.messages + report_.firings, any_ref{e.actor}, any_ref{sender},
                     hlc{e.stamp}, who.range->info->name, message_type, who.state(), message});
  report_.ended = !more;
  return more;
}

result<void> machine::take_message(const abi::record_entry& e) {
  auto who = living(e);
  if (!who) return who.error();
  const auto found = sent_.find({e.sender(), abi::stamp_to_wire(e.what)});
  if (found == sent_.end()) {
    return diverges(e, fmt::format("it handled a message that {} sent; in the replay {} has not "
                                   "sent one then",
                                   name_of(e.sender()), name_of(e.sender())));
  }
  const message& m = found->second;
  if (m.to != e.actor || index_.of.handlers[m.handler].actor != abi::ref_type(e.actor))
    return diverges(e, fmt::format("its message goes to {} in the replay", name_of(m.to)));
  const handler_info& handler = index_.of.handlers[m.handler];
  std::memcpy(scratch_.get(), m.at != nullptr ? m.at : m.own.get(), m.bytes);
  loop::lane_state call = call_of(e, *who);
  if (!ask(e, *who, call.sender(), index_.of.messages[handler.message].name, scratch_.get()))
    return {};
  const std::uint32_t number = m.handler;
  sent_.erase(found);
  if (who->range->info->wide != nullptr) {
    const bool told = ports_.actor == e.actor && ports_.stamp == e.stamp;
    const auto bits = static_cast<std::uint32_t>(told ? ports_.what : 0);
    call_wide(call, *who, number, scratch_.get(), 0, bits >> 16U);
  } else {
    replaying::small_lane lane;
    lane.ops = &replaying::ops<replaying::small_lane>;
    lane.self = call.self;
    lane.sender = call.sender();
    lane.call = &call;
    lane.in = this;
    context ctx{lane};
    handler.invoke(who->state(), scratch_.get(), ctx);
    end_call(call, *who, e.stamp, index_.of.messages[handler.message].name);
  }
  if (trace_) {
    trace_->arrow(call.sender(), abi::stamp_from_wire(e.what, e.stamp), e.actor, e.stamp);
  }
  ++report_.messages;
  return {};
}

result<void> machine::take_firing(const abi::record_entry& e) {
  auto who = living(e);
  if (!who) return who.error();
  const wide_info* wide = who->range->info->wide;
  if (wide == nullptr || wide->joined == 0) return diverges(e, "it has no joined handler");
  const auto in = static_cast<std::uint32_t>(e.what >> 16U);
  const auto queue_at = [&](unsigned port) -> std::deque<aligned_bytes>* {
    const std::uint32_t link = who->wide().in[port];
    return (in >> port & 1U) != 0 && link != 0 ? &links_[link - 1].queue : nullptr;
  };
  for (unsigned p = 0; p < abi::max_ports; ++p) {
    if ((in >> p & 1U) == 0) continue;
    if (queue_at(p) == nullptr || queue_at(p)->empty())
      return diverges(e, fmt::format("no message has come at its in-port {}",
                                     p < wide->ports.size() ? wide->ports[p] : "?"));
  }
  if (!ask(e, *who, 0, {}, nullptr)) return {};
  call_wide(call_of(e, *who), *who, wide->joined - 1U, nullptr, in,
            static_cast<std::uint32_t>(e.what) & 0xffffU);
  for (unsigned p = 0; p < abi::max_ports; ++p) {
    if (auto* queue = queue_at(p)) queue->pop_front();
  }
  ++report_.firings;
  return {};
}

void machine::call_wide(const loop::lane_state& of, const actor_place& who, std::uint32_t handler,
                        const void* message, std::uint32_t in, std::uint32_t open) {
  loop::lane_state call = of;
  const program_index::places_of_actor& places = index_.places[abi::ref_type(call.self)];
  replaying::wide_lane lane;
  lane.ops = &replaying::ops<replaying::wide_lane>;
  lane.wide = &replaying::wide_ops;
  lane.self = call.self;
  lane.sender = call.sender();
  lane.state = reinterpret_cast<const char*>(who.state());
  lane.store = reinterpret_cast<char*>(who.wide().store.get());
  lane.places = places.of_marker.data();
  lane.first_marker = places.first_marker;
  lane.lanes = who.range->info->wide->lanes;
  lane.call = &call;
  lane.in = this;
  lane.who = who;
  lane.open = open;
  const void* whole[abi::max_ports] = {};
  for (unsigned p = 0; p < abi::max_ports; ++p) {
    if ((in >> p & 1U) != 0) whole[p] = links_[who.wide().in[p] - 1].queue.front().get();
  }
  const abi::landed_messages landed{nullptr, nullptr, message == nullptr ? whole : nullptr};
  index_.of.handlers[handler].invoke_wide(who.state(), message, landed, lane);
  end_call(
      call, who, of.stamp,
      message == nullptr ? "joined" : index_.of.messages[index_.of.handlers[handler].message].name);
}

result<void> machine::take_timer(const abi::record_entry& e) {
  const auto set = timers_.find({e.actor, e.what});
  if (set == timers_.end())
    return diverges(e, "it sent a message of after(), which in the replay it has not called then");
  sent_.insert_or_assign({set->first.sender, abi::stamp_to_wire(e.stamp)}, std::move(set->second));
  timers_.erase(set);
  ++report_.timers;
  return {};
}

void machine::post(const loop::lane_state& by, std::uint64_t to, std::uint32_t handler,
                   const void* m, std::uint32_t bytes) {
  sent_.insert_or_assign({by.own(), abi::stamp_to_wire(by.stamp)},
                         message{to, handler, bytes, nullptr, aligned_bytes{bytes, m}});
}
void machine::set_timer(const loop::lane_state& by, std::uint64_t to, std::uint32_t handler,
                        const void* m, std::uint32_t bytes) {
  timers_.insert_or_assign({by.own(), abi::stamp_to_wire(by.stamp)},
                           message{to, handler, bytes, nullptr, aligned_bytes{bytes, m}});
}
void machine::log(const loop::lane_state& by, std::uint64_t key, std::uint32_t count,
                  std::uint64_t kinds, const std::uint64_t* values) {
  if (opts_.on_log)
    opts_.on_log({any_ref{by.self}, hlc{by.stamp}, log_text(index_.of, key, count, kinds, values)});
}

bool machine::takes(const actor_place& who, std::uint32_t open, unsigned port,
                    std::uint32_t message) {
  const std::uint32_t link = who.wide().out[port];
  return (open >> port & 1U) != 0 && link != 0 && links_[link - 1].message == message;
}
std::byte* machine::stage(unsigned port) {
  if (stages_[port].get() == nullptr) stages_[port] = aligned_bytes{largest_};
  return stages_[port].get();
}
void machine::commit(const actor_place& who, unsigned port, std::uint32_t message) {
  link& l = links_[who.wide().out[port] - 1];
  l.queue.emplace_back(l.bytes);
  std::memcpy(l.queue.back().get(), stages_[port].get(), index_.of.messages[message].size);
}

/// What became of the actors here beside what became of them there.
void machine::compare() {
  constexpr std::size_t most = 16;
  for (const recording::actors& some : of_.states) {
    const std::size_t bytes = some.head.bytes;
    for (std::uint64_t i = 0; i < some.head.count; ++i) {
      const std::uint64_t bits = some.head.first + i;
      const actor_place here = actors_.find(bits);
      const std::byte* there = some.bytes.data() + i * bytes;
      abi::actor_header header;
      std::memcpy(&header, there, sizeof(header));
      if (!here || header.generation != abi::ref_generation(bits))
        continue;  // another one's by then
      ++report_.compared;
      const aligned_bytes state{bytes - sizeof(header), there + sizeof(header)};
      const auto text = [&](const abi::actor_header& h, const std::byte* at) {
        auto told = detail::text_of(index_.of, here.range->info->key, at);
        return fmt::format("{} messages{}: {}", h.handled,
                           h.status == abi::slot_failed    ? ", failed"
                           : h.status == abi::slot_stopped ? ", stopped"
                                                           : "",
                           told ? *told : told.error().message());
      };
      const bool alike = std::memcmp(&header, &here.header(), sizeof(header)) == 0 &&
                         std::memcmp(state.get(), here.state(), here.range->info->size) == 0;
      if (alike) continue;
      auto recorded = text(header, state.get()), replayed = text(here.header(), here.state());
      // what is between their fields says nothing
      if (recorded == replayed && !here.range->info->fields.empty()) continue;
      ++report_.differ;
      if (report_.different.size() < most)
        report_.different.push_back({any_ref{bits}, std::move(recorded), std::move(replayed)});
    }
  }
}

}  // namespace perdure::runtime
