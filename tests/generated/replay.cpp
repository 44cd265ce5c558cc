// tests/generated/replay.cpp - handles a recorded run again, one message at a time, with the native handlers.
// Why: contract, clause 9: the CPU computes the same state when each actor gets the same messages in the same
//      order. A generated ordered actor keeps the ids of what it handled, so the order is in its state.
// Invariant: a message is handled only when it has been sent, and when it is its receiver's next recorded one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "kernels/abi/ref_bits.cuh"
#include "perdure/context.hpp"
#include "tests/generated/scenario.hpp"
#include "tests/support/fields.hpp"

namespace perdure::generated {
namespace {

struct pending_message {
  std::size_t handler;
  std::uint64_t sender;
  std::vector<std::byte> bytes;
};

struct replayed_actor {
  const actor_info* type;
  std::uint64_t bits;
  std::unique_ptr<std::max_align_t[]> memory;  // generated states have no stricter alignment
  std::vector<std::uint64_t> order;            // ids, as recorded
  std::size_t next = 0;
  std::unordered_map<std::uint64_t, pending_message> pending;
  std::byte* state() { return reinterpret_cast<std::byte*>(memory.get()); }
};

/// ctx.random() as kernels/dispatch/lane_state.cuh defines it, written down a second time.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27U) * 0x94d049bb133111ebU;
  return x ^ x >> 31U;
}

const field_info* field_named(std::span<const field_info> fields, std::string_view name) {
  for (const field_info& f : fields) {
    if (std::string_view{f.name} == name) return &f;
  }
  return nullptr;
}

class replayer;
struct replay_lane : detail::lane {
  replayer* all;
  std::uint64_t handled, draws, seed;
};

class replayer {
 public:
  replayer(const program& p, std::uint64_t seed) : program_{p}, seed_{seed} {
    for (std::size_t h = 0; h < p.handlers.size(); ++h) handlers_.emplace(p.handlers[h].key, h);
  }

  std::string prepare(const outcome& recorded) {
    for (const actor_state& a : recorded.actors) {
      replayed_actor& r = actors_.emplace_back();
      r.type = &program_.actors[a.type - 1U];
      r.bits = a.bits;
      r.memory = std::make_unique<std::max_align_t[]>(r.type->size / sizeof(std::max_align_t) + 1);
      r.type->construct(r.memory.get());
      const field_info* order = field_named(r.type->fields, "order[]");
      if (order == nullptr) order = field_named(r.type->fields, "order");
      const field_info* handled = field_named(r.type->fields, "handled");
      if (order == nullptr || handled == nullptr)
        return fmt::format("  {} records no order\n", r.type->name);
      const std::uint64_t n = support::read_bits(*handled, 0, a.state.data());
      for (std::uint32_t i = 0; i < n; ++i)
        r.order.push_back(support::read_bits(*order, i, a.state.data()));
    }
    for (std::size_t i = 0; i < actors_.size(); ++i) by_bits_.emplace(actors_[i].bits, i);
    for (const host_message& m : recorded.sent)
      put(m.to, m.handler, 0, m.bytes.data(), m.bytes.size());
    return {};
  }

  /// Handles what can be handled until nothing more can.
  std::string work_off() {
    for (bool moved = true; moved;) {
      moved = false;
      for (replayed_actor& a : actors_) {
        while (a.next < a.order.size() && a.pending.contains(a.order[a.next]))
          step(a), moved = true;
      }
    }
    for (const replayed_actor& a : actors_) {
      if (a.next < a.order.size()) {
        return fmt::format("  {}: message {} of {} was recorded but is not sent in the replay\n",
                           a.type->name, a.next, a.order.size());
      }
    }
    return {};
  }

  std::string compare_with(const outcome& recorded) {
    auto same = [](std::uint64_t bits) { return bits; };
    std::string text;
    for (std::size_t i = 0; i < actors_.size() && text.size() < 2000; ++i) {
      const auto diff = support::difference(
          actors_[i].type->fields, recorded.actors[i].state.data(), actors_[i].state(), same, same);
      if (!diff.empty())
        text += fmt::format("  {} (actor {}), run|replay:{}\n", actors_[i].type->name, i,
                            diff.substr(0, 400));
    }
    return text;
  }

  void put(std::uint64_t to, std::size_t handler, std::uint64_t sender, const void* m,
           std::size_t bytes) {
    const auto it = by_bits_.find(to);
    if (it == by_bits_.end()) return;  // null: a dead letter
    const auto* from = static_cast<const std::byte*>(m);
    const message_info& type = program_.messages[program_.handlers[handler].message];
    const std::uint64_t id = support::read_bits(*field_named(type.fields, "id"), 0, from);
    actors_[it->second].pending.emplace(id, pending_message{handler, sender, {from, from + bytes}});
  }
  std::size_t handler(std::uint64_t key) const { return handlers_.at(key); }

 private:
  void step(replayed_actor& a);

  const program& program_;
  std::uint64_t seed_;
  std::vector<replayed_actor> actors_;
  std::unordered_map<std::uint64_t, std::size_t> by_bits_, handlers_;
};

replay_lane& of(detail::lane& l) { return static_cast<replay_lane&>(l); }

constexpr detail::lane_ops ops{
    [](detail::lane& l, std::uint64_t to, std::uint64_t key, const void* m, std::uint32_t bytes) {
      of(l).all->put(to, of(l).all->handler(key), l.self, m, bytes);
    },
    [](detail::lane&, std::uint64_t, std::uint64_t, const void*, std::uint32_t) {},
    [](detail::lane&, std::uint64_t, const void*, std::uint32_t) {},
    [](detail::lane& l, std::uint64_t, std::uint64_t to, std::uint64_t key, const void* m,
       std::uint32_t bytes) { of(l).all->put(to, of(l).all->handler(key), l.self, m, bytes); },
    [](detail::lane&) { return std::uint64_t{0}; },  // generated actors do not ask for the time
    [](detail::lane& l) {
      replay_lane& r = of(l);
      std::uint64_t x = mix(r.seed + (l.self & 0x00ff'ffff'ffff'ffffU) * 0x9e3779b97f4a7c15U);
      x = mix(x ^ (r.handled << 32U | r.draws++));
      return mix(x + r.seed);
    },
    [](detail::lane&, std::uint64_t, std::uint32_t, std::uint64_t, const std::uint64_t*) {},
    [](detail::lane&) {},  // what came after the end is not in the record
    [](detail::lane&, std::uint32_t) {},
};

void replayer::step(replayed_actor& a) {
  const pending_message m = std::move(a.pending.extract(a.order[a.next]).mapped());
  replay_lane lane;
  lane.ops = &ops;
  lane.self = a.bits;
  lane.sender = m.sender;
  lane.all = this;
  lane.handled = a.next++;
  lane.draws = 0;
  lane.seed = seed_;
  context ctx{lane};
  const handler_info& h = program_.handlers[m.handler];
  auto aligned =
      std::make_unique<std::max_align_t[]>(m.bytes.size() / sizeof(std::max_align_t) + 1);
  std::memcpy(aligned.get(), m.bytes.data(), m.bytes.size());
  h.invoke(a.state(), aligned.get(), ctx);
}

}  // namespace

std::string replay(const program_slice& slice, const outcome& recorded, std::uint64_t seed) {
  replayer r{*slice.of, seed};
  if (auto why = r.prepare(recorded); !why.empty()) return why;
  if (auto why = r.work_off(); !why.empty()) return why;
  return r.compare_with(recorded);
}

}  // namespace perdure::generated
