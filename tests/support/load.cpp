// tests/support/load.cpp - see load.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/load.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "kernels/abi/ref_bits.cuh"
#include "perdure/system.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/links.hpp"
#include "tests/support/random.hpp"

namespace perdure::support {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t generations = 3;  // later ones know references to earlier ones

class loader {
 public:
  loader(const program& p, const load_plan& plan, detail::system_core& core)
      : program_{p}, plan_{plan}, core_{core}, random_{plan.seed}, by_type_(p.actors.size() + 1) {
    for (std::size_t h = 0; h < p.handlers.size(); ++h) {
      if (!is_joined(p, h)) to_send_.push_back(h);
    }
  }

  bool can_send() const { return !to_send_.empty(); }

  result<void> open_mailbox_if_needed() {
    bool wanted = false;
    auto look = [&](std::span<const field_info> fields) {
      for (const field_info& f : fields) {
        wanted |= f.kind == field_kind::reference && target_of(f) == mailbox_target;
      }
    };
    std::vector<std::uint64_t> keys;
    for (const actor_info& a : program_.actors) look(a.fields);
    for (const message_info& m : program_.messages) look(m.fields), keys.push_back(m.key);
    if (!wanted) return {};
    auto bits = core_.open_mailbox(keys, 4096);
    if (!bits) return bits.error();
    mailbox_ = *bits;
    return {};
  }

  result<void> spawn_all() {
    for (std::size_t g = 0; g < generations; ++g) {
      for (std::size_t t = 0; t < program_.actors.size(); ++t) {
        const std::size_t n = (plan_.actors_per_type + generations - 1 - g) / generations;
        if (n == 0) continue;
        auto made = core_.spawn(program_.actors[t].key, n,
                                [&](std::size_t, void* at) { make(program_.actors[t], at); });
        if (!made) return made.error();
        for (std::size_t i = 0; i < n; ++i) enrol(t + 1, made->first + i);
      }
    }
    return {};
  }

  result<void> link_all() {
    const auto links = random_links(program_, by_type_, random_);
    return links.empty() ? result<void>{} : core_.link(links);
  }

  result<void> send_all() {
    const std::size_t handlers = to_send_.size();
    for (std::size_t i = 0; i < plan_.messages || i < handlers; ++i) {
      const handler_info& h =
          program_.handlers[to_send_[i < handlers ? i : random_.below(handlers)]];
      const message_info& m = program_.messages[h.message];
      std::vector<std::byte> message(m.size + 16);  // zeroed: padding too is the same every time
      fill_random(m.fields, message.data(), random_, [this](unsigned t) { return pick(t); });
      const auto& receivers = by_type_[h.actor];
      const std::uint64_t to = receivers[random_.below(receivers.size())];
      auto sent = core_.send(to, h.key, message.data(), m.size, plan_.rest_timeout);
      if (!sent) return sent;
      if ((i + 1) % plan_.burst == 0) {
        if (auto ok = rest(); !ok) return ok;
      }
    }
    return rest();
  }

  result<aftermath> gather() {
    for (std::size_t t = 0; t < program_.actors.size(); ++t) {
      const actor_info& a = program_.actors[t];
      std::uint32_t number = 0;
      for (const std::uint64_t bits : by_type_[t + 1]) {
        actor_image image{static_cast<std::uint8_t>(t + 1), number++,
                          std::vector<std::byte>(a.size)};
        auto seen = core_.view(bits, a.key, 1, image.state.data(), a.size);
        if (!seen && seen.error().code() != errc::receiver_down) return seen.error();
        if (!seen) image.state.clear();
        out_.actors.push_back(std::move(image));
      }
    }
    out_.state_hash = 1;
    for (const actor_image& image : out_.actors) {
      const auto fields = program_.actors[image.type - 1U].fields;
      out_.state_hash =
          fold(out_.state_hash,
               image.state.empty() ? 0xdeadU : hash_fields(fields, image.state.data(), name_of()));
    }
    out_.counters = core_.statistics();
    out_.layout = core_.layout();
    return std::move(out_);
  }

  void close_mailbox() {
    if (mailbox_ != 0) core_.close_mailbox(mailbox_);
  }

 private:
  void make(const actor_info& a, void* at) {
    auto* object = static_cast<std::byte*>(at);
    const pick_reference picker = [this](unsigned t) { return pick(t); };
    if (a.construct == nullptr) {
      std::memset(object, 0, a.size);
      return fill_random(a.fields, object, random_, picker);
    }
    a.construct(object);
    fill_references(a.fields, object, picker);
  }

  void enrol(std::size_t type, std::uint64_t bits) {
    by_type_[type].push_back(bits);
    out_.names.emplace(bits, out_.names.size() + 1);
    all_.push_back(bits);
  }

  std::uint64_t pick(unsigned target) {
    if (random_.below(8) == 0) return 0;
    if (target == mailbox_target) return mailbox_;
    const auto& from = target == 0 ? all_ : by_type_[target];
    return from.empty() ? 0 : from[random_.below(from.size())];
  }

  name_reference name_of() const {
    return [this](std::uint64_t bits) { return out_.name(bits); };
  }

  /// Until nothing is queued and every timer has fired. A program whose timers re-arm for ever is given up.
  result<void> rest() {
    const auto until = std::chrono::steady_clock::now() + 2s;
    std::uint64_t last_sent = ~std::uint64_t{0};
    for (int tries = 0; tries < 4000; ++tries) {
      if (auto ok = core_.quiesce(plan_.rest_timeout); !ok) return ok;
      if (auto ok = take_letters(); !ok) return ok;
      // What a timer brings may be queued after it has fired, so two rests in a row must count the same.
      const stats s = core_.statistics();
      const bool fired = s.timers_set == s.timers_fired;
      if (fired && s.sent == last_sent) return {};
      last_sent = fired ? s.sent : ~std::uint64_t{0};
      if (out_.timers_pending || std::chrono::steady_clock::now() > until) break;
    }
    out_.timers_pending = true;
    return {};
  }

  result<void> take_letters() {
    if (mailbox_ == 0) return {};
    std::size_t before = 0;
    do {
      before = out_.letters;
      auto ok = core_.receive(
          mailbox_, 256, 0ns,
          [&](std::uint64_t key, const void* bytes, std::uint64_t sender, std::uint64_t) {
            ++out_.letters;
            for (std::size_t m = 0; m < program_.messages.size(); ++m) {
              if (program_.messages[m].key != key) continue;
              const auto body = hash_fields(program_.messages[m].fields,
                                            static_cast<const std::byte*>(bytes), name_of());
              out_.letters_hash += fold(fold(body, m), out_.name(sender));  // in any order
            }
          });
      if (!ok && ok.error().code() != errc::timeout) return ok;
    } while (out_.letters != before);
    return {};
  }

  const program& program_;
  const load_plan& plan_;
  detail::system_core& core_;
  random_source random_;
  std::vector<std::vector<std::uint64_t>> by_type_;  // [actor type id] -> references
  std::vector<std::uint64_t> all_;
  std::vector<std::size_t> to_send_;  // handlers that take ordinary messages
  std::uint64_t mailbox_ = 0;
  aftermath out_;
};

}  // namespace

std::uint64_t aftermath::name(std::uint64_t bits) const {
  if (auto it = names.find(bits); it != names.end()) return it->second;
  return bits == 0 ? 0
                   : (bits & 0x00ff'ffff'ffff'ffffU) |
                         1ULL << 63U;  // the system's number is no part of it
}

result<aftermath> run_load(const program& actors, const options& opts, const load_plan& plan) {
  if (actors.actors.empty() || actors.handlers.empty())
    return error{errc::no_handler, "the program has no actors"};
  auto started = system::start(actors, opts);
  if (!started) return started.error();
  loader load{actors, plan, started->core()};
  if (!load.can_send()) return error{errc::no_handler, "nothing can be sent to these actors"};
  if (auto ok = load.open_mailbox_if_needed(); !ok) return ok.error();
  if (auto ok = load.spawn_all(); !ok) return ok.error();
  if (auto ok = load.link_all(); !ok) return ok.error();
  if (auto ok = load.send_all(); !ok) return ok.error();
  auto done = load.gather();
  load.close_mailbox();
  if (auto ok = started->stop(5s); !ok && done && !done->timers_pending) return ok.error();
  return done;
}

std::string compare(const program& actors, const aftermath& first, const aftermath& second,
                    std::size_t most) {
  std::string text;
  auto name_first = [&](std::uint64_t bits) { return first.name(bits); };
  auto name_second = [&](std::uint64_t bits) { return second.name(bits); };
  std::size_t shown = 0;
  for (std::size_t i = 0; i < first.actors.size() && i < second.actors.size() && shown < most;
       ++i) {
    const actor_image& a = first.actors[i];
    const actor_image& b = second.actors[i];
    const actor_info& type = actors.actors[a.type - 1U];
    std::string diff;
    if (a.state.empty() != b.state.empty()) {
      diff = " is down in one run only";
    } else if (!a.state.empty()) {
      diff = difference(type.fields, a.state.data(), b.state.data(), name_first, name_second);
    }
    if (diff.empty()) continue;
    text += fmt::format("  {}[{}]:{}\n", type.name, a.number, diff);
    ++shown;
  }
  auto count = [&](const char* what, std::uint64_t a, std::uint64_t b) {
    if (a != b) text += fmt::format("  {}: {}|{}\n", what, a, b);
  };
  count("actors", first.actors.size(), second.actors.size());
  count("handled", first.counters.handled, second.counters.handled);
  count("firings", first.counters.fired, second.counters.fired);
  count("dead letters", first.counters.dead_total(), second.counters.dead_total());
  count("stopped", first.counters.stopped, second.counters.stopped);
  count("failed", first.counters.failed, second.counters.failed);
  count("timers fired", first.counters.timers_fired, second.counters.timers_fired);
  count("letters", first.letters, second.letters);
  count("hash of letters", first.letters_hash, second.letters_hash);
  return text;
}

}  // namespace perdure::support
