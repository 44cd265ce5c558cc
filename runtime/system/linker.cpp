// runtime/system/linker.cpp - see linker.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/linker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace perdure::runtime {
namespace {

constexpr std::uint32_t no_message = ~0U;

/// What handlers that name this port by a constant open or read there, if none of them does so with `message`; no_message
/// if that is no contradiction. Of ports that are known at run time only nothing is known here.
std::uint32_t contradicts(std::span<const port_use> uses, std::uint32_t port,
                          std::uint32_t message) {
  std::uint32_t other = no_message;
  for (const port_use& u : uses) {
    if (u.port != port) continue;
    if (u.message == message) return no_message;
    other = u.message;
  }
  return other;
}

}  // namespace

const actor_info& linker::info_of(std::uint64_t bits) const {
  return index_.of.actors[abi::ref_type(bits) - 1];
}
std::uint32_t linker::worker_of(std::uint64_t bits) const {
  return abi::ref_index(bits) % segment_.workers.workers;
}

result<void> linker::check_end(std::uint64_t bits, std::uint32_t port, bool in) const {
  if (bits == 0) return error{errc::null_ref};
  if (abi::ref_system(bits) != segment_.workers.system) return error{errc::foreign_ref};
  if (!spawner_.known(bits)) return error{errc::receiver_down, "no such actor"};
  const actor_info& info = info_of(bits);
  if (info.wide == nullptr)
    return error{errc::bad_link, fmt::format("{} is a small actor; it has no ports", info.name)};
  if (port >= info.wide->ports.size()) {
    return error{errc::bad_link, fmt::format("{} has no port {}", info.name, port)};
  }
  if (taken_.contains({bits, port, in})) {
    return error{errc::bad_link,
                 fmt::format("{}-port {} of {} {} is linked already", in ? "in" : "out",
                             info.wide->ports[port], info.name, abi::ref_index(bits))};
  }
  return {};
}

result<std::uint32_t> linker::check_types(const detail::link_request& r) const {
  const actor_info& from = info_of(r.from);
  const actor_info& to = info_of(r.to);
  const auto& joins = to.wide->joins;
  if (joins.empty()) {
    return error{errc::bad_link,
                 fmt::format("{} has no joined handler, so nothing can come in", to.name)};
  }
  std::uint32_t message = joins[0];
  if (r.message_key != 0) {
    message = index_.messages.find(r.message_key);
    if (std::find(joins.begin(), joins.end(), message) == joins.end()) {
      return error{errc::bad_link,
                   fmt::format("the joined handler of {} does not take {}", to.name,
                               message == key_table::none ? "a message of another program"
                                                          : index_.of.messages[message].name)};
    }
  } else if (joins.size() > 1) {
    return error{errc::bad_link,
                 fmt::format("the joined handler of {} takes several types; say which: "
                             "perdure::link::of<M>(...)",
                             to.name)};
  }
  const auto& opens = from.wide->opens;
  if (std::find(opens.begin(), opens.end(), message) == opens.end()) {
    return error{errc::bad_link,
                 fmt::format("unlike types: {} takes {} there, which no handler of {} opens",
                             to.name, index_.of.messages[message].name, from.name)};
  }
  const auto name = [&](std::uint32_t m) { return index_.of.messages[m].name; };
  if (const auto other = contradicts(from.wide->sends, r.out_port, message); other != no_message) {
    return error{errc::bad_link,
                 fmt::format("unlike types: a link of {}, but the handlers of {} open {} at its "
                             "port {}",
                             name(message), from.name, name(other), from.wide->ports[r.out_port])};
  }
  if (const auto other = contradicts(to.wide->takes, r.in_port, message); other != no_message) {
    return error{errc::bad_link,
                 fmt::format("unlike types: a link of {}, but the joined handler of {} reads {} at "
                             "its port {}",
                             name(message), to.name, name(other), to.wide->ports[r.in_port])};
  }
  return message;
}

result<void> linker::check_alive(std::uint64_t bits) const {
  abi::actor_header header{};
  const std::byte* slot = spawner_.slot(abi::ref_type(bits), abi::ref_index(bits));
  if (auto ok = engine_.copy_out(reinterpret_cast<std::byte*>(&header), slot, sizeof(header)); !ok)
    return ok;
  if (header.status == abi::slot_alive && header.generation == abi::ref_generation(bits)) return {};
  return error{errc::receiver_down,
               fmt::format("{} {} has stopped", info_of(bits).name, abi::ref_index(bits))};
}

std::string linker::name_of(std::uint64_t bits, std::uint32_t port) const {
  if (bits == 0 || abi::ref_system(bits) != segment_.workers.system || !spawner_.known(bits))
    return fmt::format("reference {:#x}", bits);
  const actor_info& info = info_of(bits);
  const bool named = info.wide != nullptr && port < info.wide->ports.size();
  return fmt::format("{} {}, port {}", info.name, abi::ref_index(bits),
                     named ? std::string{info.wide->ports[port]} : std::to_string(port));
}
error linker::about(const detail::link_request& r, const error& why) const {
  return error{why.code(), fmt::format("{} -> {}: {}", name_of(r.from, r.out_port),
                                       name_of(r.to, r.in_port), why.context())};
}

result<linker::plan_of_link> linker::plan_one(const detail::link_request& r,
                                              std::set<port_key>& fresh) const {
  if (auto ok = check_end(r.from, r.out_port, false); !ok) return ok.error();
  if (auto ok = check_end(r.to, r.in_port, true); !ok) return ok.error();
  auto message = check_types(r);
  if (!message) return message.error();
  if (r.slots > 1024 || !std::has_single_bit(r.slots)) {
    return error{errc::bad_link,
                 fmt::format("a link of {} messages; it holds a power of two in 1..1024", r.slots)};
  }
  if (r.from == r.to && r.slots == 1) {
    return error{
        errc::bad_link,
        "an actor fires with room at its out-ports only, so a link of one message to itself "
        "would stop it for good; give it two"};
  }
  if (!fresh.insert({r.from, r.out_port, false}).second ||
      !fresh.insert({r.to, r.in_port, true}).second) {
    return error{errc::bad_link, "it shares a port with another one of these links"};
  }
  return plan_of_link{r, *message};
}

result<std::vector<linker::plan_of_link>> linker::plan(
    std::span<const detail::link_request> links) const {
  std::vector<plan_of_link> all;
  std::set<port_key> fresh;
  for (const detail::link_request& r : links) {
    auto one = plan_one(r, fresh);
    if (!one) return about(r, one.error());
    all.push_back(*one);
  }
  return all;
}

result<void> linker::check_lists(const std::vector<plan_of_link>& links) const {
  const loop::memory& m = segment_.workers;
  std::vector<std::uint32_t> entries = linked_;
  entries.resize(m.workers);
  std::set<std::uint64_t> fresh;
  for (const plan_of_link& l : links) {
    const std::uint64_t to = l.request.to;
    if (listed_.contains(to) || !fresh.insert(to).second) continue;
    if (++entries[worker_of(to)] > m.linked_most) {
      return error{
          errc::bad_link,
          fmt::format("a worker has room for {} linked actors; use more workers", m.linked_most)};
    }
  }
  return {};
}

result<linker::bytes_of_actors> linker::room_with(const std::vector<plan_of_link>& links) const {
  const loop::memory& m = segment_.workers;
  bytes_of_actors all = port_bytes_;
  for (const plan_of_link& l : links) {
    const std::uint32_t bytes = abi::landed_bytes(index_.of.messages[l.message].size);
    const std::uint32_t out = all[l.request.from].out += bytes;
    const std::uint32_t in = all[l.request.to].in += bytes;
    if (m.whole_links != 0) continue;  // they stay in their links
    const bool fills = out > m.stage_bytes - m.stage_spare;
    if (!fills && in <= m.land_bytes) continue;
    return about(
        l.request,
        error{errc::bad_link,
              fmt::format("the messages at the {1}-ports of {0} take {2} bytes on chip; beside the "
                          "states a worker has room for {3}",
                          info_of(fills ? l.request.from : l.request.to).name, fills ? "out" : "in",
                          fills ? out : in, fills ? m.stage_bytes - m.stage_spare : m.land_bytes)});
  }
  return all;
}

std::uint32_t linker::take_chip(std::uint32_t worker, std::uint32_t bytes) {
  const loop::memory& m = segment_.workers;
  chip_used_.resize(m.workers);
  if (m.link_bytes - chip_used_[worker] < bytes) return 0;
  const std::uint32_t at = m.link_words.offset + chip_used_[worker];
  chip_used_[worker] += bytes;
  return at;
}

result<void> linker::carry_out(const std::vector<plan_of_link>& links) {
  if (links.empty()) return {};
  constexpr std::size_t line = 128;  // polls of one count must not disturb another
  for (const plan_of_link& l : links) {
    for (const std::uint64_t bits : {l.request.from, l.request.to}) {
      if (auto ok = check_alive(bits); !ok) return about(l.request, ok.error());
    }
  }
  if (auto ok = check_lists(links); !ok) return ok;
  auto with_these = room_with(links);
  if (!with_these) return with_these.error();
  std::size_t bytes = 0;
  const auto words_of = [&](const plan_of_link& l) {
    return std::size_t{l.request.slots} * abi::link_words(index_.of.messages[l.message].size) *
           sizeof(loop::word);
  };
  for (const plan_of_link& l : links) bytes += (words_of(l) + line - 1) / line * line + line;
  auto memory = spawner_.allocate(bytes);
  if (!memory) return memory.error();
  port_bytes_ = std::move(*with_these);
  std::byte* at = *memory;
  for (const plan_of_link& l : links) {
    std::byte* taken = at;
    at += line;
    if (auto ok = make(l, at, taken); !ok) return ok;
    at += (words_of(l) + line - 1) / line * line;
  }
  return {};
}

result<void> linker::make(const plan_of_link& l, std::byte* words, std::byte* taken) {
  const detail::link_request& r = l.request;
  const loop::memory& m = segment_.workers;
  abi::link_end end{};
  end.words = reinterpret_cast<loop::word*>(words);
  end.taken = reinterpret_cast<abi::u64*>(taken);
  end.slots = r.slots;
  end.bytes = index_.of.messages[l.message].size;
  end.words_a_message = abi::link_words(end.bytes);
  end.message = l.message;
  end.own = r.from == r.to ? 1 : 0;
  const std::uint32_t sender = worker_of(r.from);
  const std::uint32_t receiver = worker_of(r.to);
  if (m.cluster > 1 && sender / m.cluster == receiver / m.cluster) {
    end.offset =
        take_chip(receiver, r.slots * end.words_a_message * std::uint32_t{sizeof(loop::word)});
    if (end.offset != 0) {
      end.where = abi::tier::chip;
      end.rank = receiver % m.cluster;
      ++segment_.report.links_on_chip;
    }
  }
  ++segment_.report.links;
  const auto write = [&](std::uint64_t bits, std::uint32_t port, bool in) {
    const abi::type_row& row = segment_.types[abi::ref_type(bits)];
    auto* slot = const_cast<std::byte*>(spawner_.slot(abi::ref_type(bits), abi::ref_index(bits)));
    std::byte* to = slot + row.links_at + (in ? port : row.ports + port) * sizeof(end);
    taken_.insert({bits, port, in});
    return engine_.copy_in(to, sizeof(end), reinterpret_cast<const std::byte*>(&end), sizeof(end),
                           sizeof(end), 1);
  };
  if (auto ok = write(r.from, r.out_port, false); !ok) return ok;
  if (auto ok = write(r.to, r.in_port, true); !ok) return ok;
  return add_linked(r.to);
}

result<void> linker::add_linked(std::uint64_t bits) {
  if (!listed_.insert(bits).second) return {};
  const loop::memory& m = segment_.workers;
  const std::uint32_t worker = worker_of(bits);
  linked_.resize(m.workers);
  const abi::linked_actor entry{abi::ref_type(bits), abi::ref_index(bits), 0, 0, 0, 0, 0};
  const auto put = [&](void* to, const void* from, std::size_t bytes) {
    return engine_.copy_in(static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from),
                           bytes, bytes, 1);
  };
  const std::size_t place = std::size_t{worker} * m.linked_most + linked_[worker];
  if (auto ok = put(m.linked + place, &entry, sizeof(entry)); !ok) return ok;
  ++linked_[worker];
  return put(m.linked_count + worker, &linked_[worker], sizeof(std::uint32_t));
}

}  // namespace perdure::runtime
